// SPDX-License-Identifier: BSD-3-Clause
// The cases of linear layers on the GPU; of FP64, which has no products there, none.
#include "validation/numerics/kernels/linear.cpp"  // NOLINT(bugprone-suspicious-include)

namespace shardstone::validation {

template std::vector<KernelOutput> linear_outputs<Cuda>(ElementType, Planted);

}  // namespace shardstone::validation
