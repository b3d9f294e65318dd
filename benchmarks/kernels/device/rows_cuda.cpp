// SPDX-License-Identifier: BSD-3-Clause
// Kernels between the products of a block, at GPT-2's sizes: what memory limits.
#include <fmt/format.h>

#include "benchmarks/kernels/device/device_kernel.hpp"
#include "kernels/transformer/gelu.hpp"
#include "kernels/transformer/layernorm.hpp"
#include "kernels/transformer/linear.hpp"
#include "kernels/transformer/narrow_rows.hpp"
#include "kernels/transformer/residual.hpp"

namespace shardstone::benchmarks {

namespace {

/// Of a micro-batch of 16 sequences of 1024 tokens; the stream is in FP32, products in BF16.
constexpr std::int64_t rows = 16384;

using Call = std::function<void()>;

/// `make`: a call on tensors of its own with so many columns.
DeviceKernel kernel(const std::string& name, std::int64_t columns, double bytes_per_element,
                    Call (*make)(std::int64_t columns)) {
    const double bytes = bytes_per_element * static_cast<double>(rows * columns);
    return {name, fmt::format("{} x {}", rows, columns), bytes, 0.0,
            [=] { return rotating(bytes, [=] { return make(columns); }); }};
}

template <class T>
Matrix<T, Cuda> view(const std::shared_ptr<Buffer<T, Cuda>>& tensor, std::int64_t columns) {
    return matrix<Cuda>(tensor->data(), rows, columns);
}

Call layernorm_forward_call(std::int64_t c) {
    auto x = device_tensor<float>(rows * c);
    auto out = device_tensor<bf16>(rows * c), weight = device_tensor<bf16>(2 * c);
    auto numbers = device_tensor<float>(2 * rows);
    return [=] {
        layernorm_forward<bf16>(CudaQueue(), view(x, c), weight->data(), weight->data() + c,
                                view(out, c), numbers->data(), numbers->data() + rows);
    };
}

/// Both parts of backward take the same.
template <class F>
Call layernorm_backward_call(std::int64_t c, const F& backward) {
    auto x = device_tensor<float>(rows * c), d_out = device_tensor<float>(rows * c);
    auto d_x = device_tensor<float>(rows * c), numbers = device_tensor<float>(2 * rows);
    auto weight = device_tensor<bf16>(c);
    auto d_weight = device_tensor<float>(2 * c);
    return [=] {
        const LayernormSaved<bf16, float, Cuda> saved{view(x, c), weight->data(), numbers->data(),
                                                      numbers->data() + rows};
        backward(saved, Matrix<const float, Cuda>(view(d_out, c)), view(d_x, c), d_weight->data());
    };
}

Call layernorm_backward_input_call(std::int64_t c) {
    return layernorm_backward_call(c, [](const auto& saved, auto d_out, auto d_x, float*) {
        layernorm_backward_input<bf16>(CudaQueue(), saved, d_out, d_x);
    });
}

Call layernorm_backward_parameters_call(std::int64_t c) {
    return layernorm_backward_call(c, [c](const auto& saved, auto d_out, auto, float* d_weight) {
        layernorm_backward_parameters<bf16>(CudaQueue(), saved, d_out, d_weight, d_weight + c);
    });
}

Call gelu_forward_call(std::int64_t c) {
    auto pre = device_tensor<bf16>(rows * c), out = device_tensor<bf16>(rows * c);
    auto bias = std::make_shared<Buffer<bf16, Cuda>>(c);  // zeros, or `pre` would grow call by call
    return [=] { bias_gelu_forward<bf16>(CudaQueue(), view(pre, c), bias->data(), view(out, c)); };
}

Call gelu_backward_call(std::int64_t c) {
    auto pre = device_tensor<bf16>(rows * c), d = device_tensor<bf16>(rows * c);
    return [=] { gelu_backward<bf16>(CudaQueue(), view(pre, c), view(d, c)); };
}

Call residual_call(std::int64_t c) {
    auto residual = device_tensor<float>(rows * c), branch = device_tensor<float>(rows * c);
    auto out = device_tensor<float>(rows * c);
    auto bias = device_tensor<bf16>(c);
    return [=] {
        bias_residual_forward<bf16>(CudaQueue(), view(residual, c), view(branch, c), bias->data(),
                                    view(out, c));
    };
}

Call bias_backward_call(std::int64_t c) {
    auto d_out = device_tensor<bf16>(rows * c);
    auto d_bias = device_tensor<float>(c);
    return [=] { bias_backward<bf16>(CudaQueue(), view(d_out, c), d_bias->data()); };
}

Call narrow_rows_call(std::int64_t c) {
    auto from = device_tensor<float>(rows * c);
    auto to = device_tensor<bf16>(rows * c);
    return [=] { narrow_rows<bf16>(CudaQueue(), view(from, c), view(to, c)); };
}

const DeviceKernelRegistration registration({
    kernel("layernorm forward, bf16", 768, 6.0, layernorm_forward_call),
    kernel("layernorm forward, bf16", 1600, 6.0, layernorm_forward_call),
    kernel("layernorm backward, input", 768, 16.0, layernorm_backward_input_call),
    kernel("layernorm backward, input", 1600, 16.0, layernorm_backward_input_call),
    kernel("layernorm backward, parameters", 768, 8.0, layernorm_backward_parameters_call),
    kernel("layernorm backward, parameters", 1600, 8.0, layernorm_backward_parameters_call),
    kernel("bias and gelu forward, bf16", 3072, 6.0, gelu_forward_call),
    kernel("gelu backward, bf16", 3072, 6.0, gelu_backward_call),
    kernel("bias and residual forward", 768, 12.0, residual_call),
    kernel("bias backward, bf16", 768, 2.0, bias_backward_call),
    kernel("bias backward, bf16", 3072, 2.0, bias_backward_call),
    kernel("narrow rows, bf16", 768, 6.0, narrow_rows_call),
});

}  // namespace

}  // namespace shardstone::benchmarks
