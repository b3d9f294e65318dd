// SPDX-License-Identifier: BSD-3-Clause
// The outputs of the cross-entropy on the GPU.
#include "validation/numerics/kernels/cross_entropy.cpp"  // NOLINT(bugprone-suspicious-include)

namespace shardstone::validation {

template std::vector<KernelOutput> cross_entropy_outputs<Cuda>(ElementType, Planted);

}  // namespace shardstone::validation
