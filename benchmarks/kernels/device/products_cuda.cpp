// SPDX-License-Identifier: BSD-3-Clause
// Products and attention on the GPU, at GPT-2's sizes and at large ones.
#include <fmt/format.h>

#include "benchmarks/kernels/device/device_kernel.hpp"
#include "kernels/transformer/attention.hpp"
#include "kernels/transformer/linear.hpp"

namespace shardstone::benchmarks {

namespace {

using Call = std::function<void()>;

/// Elements from one row to the next, as the model pads rows of logits: whole cache lines.
constexpr std::int64_t padded(std::int64_t columns) {
    return (columns + 31) / 32 * 32;
}

Matrix<bf16, Cuda> padded_rows(const std::shared_ptr<Buffer<bf16, Cuda>>& tensor, std::int64_t rows,
                               std::int64_t columns) {
    return {tensor->data(), rows, columns, padded(columns)};
}

/// out (n, o) = x (n, i) W^T in BF16.
DeviceKernel product(std::int64_t n, std::int64_t i, std::int64_t o) {
    const auto numbers = static_cast<double>(n * i + i * o + n * o);
    const double flop = 2.0 * static_cast<double>(n) * static_cast<double>(i * o);
    const auto make = [=]() -> Call {
        auto x = device_tensor<bf16>(n * i), weight = device_tensor<bf16>(o * i);
        auto out = device_tensor<bf16>(n * padded(o));
        return [=] {
            linear_forward<bf16, bf16>(CudaQueue(), matrix<Cuda>(x->data(), n, i),
                                       matrix<Cuda>(weight->data(), o, i), nullptr,
                                       padded_rows(out, n, o));
        };
    };
    return {"linear forward, bf16", fmt::format("{} x {} x {}", n, i, o), 2.0 * numbers, flop,
            [=] { return rotating(2.0 * numbers, make); }};
}

/// d_weight (o, i) += d_out^T x, in FP32.
DeviceKernel weight_gradient(std::int64_t n, std::int64_t i, std::int64_t o) {
    const double bytes = static_cast<double>(2 * n * i + 2 * n * o + 8 * i * o);
    const double flop = 2.0 * static_cast<double>(n) * static_cast<double>(i * o);
    const auto make = [=]() -> Call {
        auto x = device_tensor<bf16>(n * i), d_out = device_tensor<bf16>(n * padded(o));
        auto d_weight = device_tensor<float>(o * i);
        return [=] {
            linear_backward_parameters<bf16>(CudaQueue(), padded_rows(d_out, n, o),
                                             matrix<Cuda>(x->data(), n, i),
                                             matrix<Cuda>(d_weight->data(), o, i), nullptr);
        };
    };
    return {"linear backward, weights, bf16", fmt::format("{} x {} x {}", n, i, o), bytes, flop,
            [=] { return rotating(bytes, make); }};
}

/// d_x (n, i) = d_out W, in FP32.
DeviceKernel input_gradient(std::int64_t n, std::int64_t i, std::int64_t o) {
    const auto bytes = static_cast<double>(2 * n * o + 2 * i * o + 4 * n * i);
    const double flop = 2.0 * static_cast<double>(n) * static_cast<double>(i * o);
    const auto make = [=]() -> Call {
        auto d_out = device_tensor<bf16>(n * padded(o)), weight = device_tensor<bf16>(o * i);
        auto d_x = device_tensor<float>(n * i);
        return [=] {
            linear_backward_input<bf16, float>(CudaQueue(), padded_rows(d_out, n, o),
                                               matrix<Cuda>(weight->data(), o, i),
                                               matrix<Cuda>(d_x->data(), n, i));
        };
    };
    return {"linear backward, input, bf16", fmt::format("{} x {} x {}", n, i, o), bytes, flop,
            [=] { return rotating(bytes, make); }};
}

struct AttentionCase {
    AttentionShape shape;
    std::shared_ptr<Buffer<bf16, Cuda>> qkv, out, d_out, d_qkv;
    std::shared_ptr<Buffer<float, Cuda>> log_sum_exp, scratch;

    explicit AttentionCase(const AttentionShape& of) : shape(of) {
        const std::int64_t elements = of.batch * of.sequence * of.channels();
        qkv = device_tensor<bf16>(3 * elements);
        out = device_tensor<bf16>(elements);
        d_out = device_tensor<bf16>(elements);
        d_qkv = device_tensor<bf16>(3 * elements);
        log_sum_exp = device_tensor<float>(of.batch * of.heads * of.sequence);
        scratch = device_tensor<float>(of.scratch_elements<bf16, Cuda>());
    }
    void forward() const {
        attention_forward<bf16>(CudaQueue(), shape, qkv->data(), out->data(), log_sum_exp->data(),
                                scratch->data());
    }
    void backward() const {
        attention_backward<bf16>(
            CudaQueue(), shape, AttentionSaved<bf16>{qkv->data(), out->data(), log_sum_exp->data()},
            d_out->data(), d_qkv->data(), scratch->data());
    }
};

/// Of the pairs that the causal mask leaves: two products forward; five backward, as counted for
/// FlashAttention, though ours may recompute more.
DeviceKernel attention(const AttentionShape& shape, bool backward) {
    const auto elements = static_cast<double>(shape.batch * shape.sequence * shape.channels());
    const double products = backward ? 5.0 : 2.0;
    const double flop = products * elements * static_cast<double>(shape.sequence);
    const double bytes = elements * (backward ? 16.0 : 8.0);
    const auto make = [=]() -> Call {
        const auto of = std::make_shared<AttentionCase>(shape);
        of->forward();
        return [=] { backward ? of->backward() : of->forward(); };
    };
    return {
        fmt::format("attention {}, bf16", backward ? "backward" : "forward"),
        fmt::format("{} x {} x {} x {}", shape.batch, shape.sequence, shape.heads, shape.head_size),
        bytes, flop, [=] { return rotating(bytes, make); }};
}

const DeviceKernelRegistration registration({
    product(16384, 768, 2304),
    product(16384, 768, 768),
    product(16384, 768, 3072),
    product(16384, 3072, 768),
    product(16384, 768, 50257),
    product(8192, 8192, 8192),
    input_gradient(16384, 768, 768),
    input_gradient(16384, 3072, 768),
    input_gradient(16384, 768, 50257),
    weight_gradient(16384, 768, 768),
    weight_gradient(16384, 768, 2304),
    weight_gradient(16384, 768, 3072),
    weight_gradient(16384, 3072, 768),
    weight_gradient(16384, 768, 50257),
    attention({16, 1024, 12, 64}, false),
    attention({16, 1024, 12, 64}, true),
    attention({4, 4096, 16, 64}, false),
    attention({4, 4096, 16, 64}, true),
    attention({4, 4096, 16, 128}, false),
    attention({4, 4096, 16, 128}, true),
});

}  // namespace

}  // namespace shardstone::benchmarks
