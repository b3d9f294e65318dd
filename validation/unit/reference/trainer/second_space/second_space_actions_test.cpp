// SPDX-License-Identifier: BSD-3-Clause
// What second_space_test.cpp cannot include: more members of classes that it instantiates.
#include "validation/unit/reference/trainer/second_space/fenced.hpp"
// Fenced kernels first, so that the templates find them.
#include "reference/model/experts/expert_gradients.cpp"
#include "reference/trainer/trainer_actions.cpp"

namespace shardstone::reference {

template class ExpertBranch<float, float, Fenced>;
template class ExpertBranch<bf16, float, Fenced>;
template class ExpertBranch<fp16, float, Fenced>;
template class ExpertBranch<bf16, bf16, Fenced>;
template class Trainer<float, Fenced>;

}  // namespace shardstone::reference
