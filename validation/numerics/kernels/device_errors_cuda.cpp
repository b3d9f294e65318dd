// SPDX-License-Identifier: BSD-3-Clause
// Every kernel of the GPU in every type that it has there, against the FP64 oracle.
#include "kernels/tensor/cuda.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::validation {

std::vector<KernelError> device_kernel_errors(
    const std::function<void(std::size_t done, std::size_t of)>& progress) {
    constexpr KernelCase cases[] = {
        linear_outputs<Cuda>,        layernorm_outputs<Cuda>, gelu_outputs<Cuda>,
        attention_outputs<Cuda>,     residual_outputs<Cuda>,  adamw_outputs<Cuda>,
        cross_entropy_outputs<Cuda>,
    };
    return errors_of_cases(cases, {ElementType::fp32, ElementType::bf16, ElementType::fp16},
                           progress);
}

}  // namespace shardstone::validation
