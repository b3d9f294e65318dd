// SPDX-License-Identifier: BSD-3-Clause
// The outputs of GELU on the GPU.
#include "validation/numerics/kernels/gelu.cpp"  // NOLINT(bugprone-suspicious-include)

namespace shardstone::validation {

template std::vector<KernelOutput> gelu_outputs<Cuda>(ElementType, Planted);

}  // namespace shardstone::validation
