// SPDX-License-Identifier: BSD-3-Clause
// Errors of AdamW updates on the GPU.
#include "validation/numerics/kernels/adamw.cpp"

namespace shardstone::validation {

template std::vector<KernelOutput> adamw_outputs<Cuda>(ElementType, Planted);

}  // namespace shardstone::validation
