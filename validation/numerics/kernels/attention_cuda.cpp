// SPDX-License-Identifier: BSD-3-Clause
// Errors of attention on the GPU.
#include "kernels/tensor/cuda.hpp"
#include "validation/numerics/kernels/attention.cpp"

namespace shardstone::validation {

template std::vector<KernelOutput> attention_forward_outputs<Cuda>(ElementType, Planted);
template std::vector<KernelOutput> attention_outputs<Cuda>(ElementType, Planted);

}  // namespace shardstone::validation
