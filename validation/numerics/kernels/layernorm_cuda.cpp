// SPDX-License-Identifier: BSD-3-Clause
// The outputs of LayerNorm on the GPU.
#include "validation/numerics/kernels/layernorm.cpp"  // NOLINT(bugprone-suspicious-include)

namespace shardstone::validation {

template std::vector<KernelOutput> layernorm_outputs<Cuda>(ElementType, Planted);

}  // namespace shardstone::validation
