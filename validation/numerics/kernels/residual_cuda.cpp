// SPDX-License-Identifier: BSD-3-Clause
// The outputs of the residual stream on the GPU.
#include "validation/numerics/kernels/residual.cpp"  // NOLINT(bugprone-suspicious-include)

namespace shardstone::validation {

template std::vector<KernelOutput> residual_outputs<Cuda>(ElementType, Planted);

}  // namespace shardstone::validation
