// SPDX-License-Identifier: BSD-3-Clause
// What second_space_test.cpp cannot include: the reports of the trainer that it instantiates.
#include "validation/unit/reference/trainer/second_space/fenced.hpp"
// Fenced kernels first, so that the templates find them.
#include "reference/trainer/trainer_reports.cpp"

namespace shardstone::reference {

template class Trainer<float, Fenced>;

}  // namespace shardstone::reference
