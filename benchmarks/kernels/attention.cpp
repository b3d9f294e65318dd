// SPDX-License-Identifier: BSD-3-Clause
// Roofline benchmarks of causal attention with the heads of GPT-2, forward and backward.
#include "kernels/transformer/attention.hpp"

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t heads = 12;  // as in GPT-2 124M
constexpr std::int64_t head_size = 64;

/// The keys that a query may see, over all queries and heads.
double pairs(const AttentionShape& shape) {
    const auto length = static_cast<double>(shape.sequence);
    return static_cast<double>(shape.batch * shape.heads) * length * (length + 1.0) / 2.0;
}

template <class S>
struct Layer {
    AttentionShape shape;
    std::shared_ptr<Buffer<S>> qkv, out, d_out, d_qkv;
    std::shared_ptr<Buffer<float>> sums, scratch;

    explicit Layer(std::int64_t sequence)
        : shape{1, sequence, heads, head_size},
          qkv(normal_numbers_in<S>("qkv", 3 * elements())),
          out(std::make_shared<Buffer<S>>(elements())),
          d_out(normal_numbers_in<S>("d_out", elements())),
          d_qkv(std::make_shared<Buffer<S>>(3 * elements())),
          sums(std::make_shared<Buffer<float>>(heads * sequence)),
          scratch(std::make_shared<Buffer<float>>(shape.scratch_elements<S>())) {}

    std::int64_t elements() const { return shape.sequence * shape.channels(); }
    double bytes(double tensors) const {
        return tensors * sizeof(S) * static_cast<double>(elements());
    }
    void forward() const {
        attention_forward<S>(HostQueue(), shape, qkv->data(), out->data(), sums->data(),
                             scratch->data());
    }
    void backward() const {
        attention_backward<S>(HostQueue(), shape, {qkv->data(), out->data(), sums->data()},
                              d_out->data(), d_qkv->data(), scratch->data());
    }
};

/// Two products of head_size multiply-adds per pair; per score the scaling, the maximum, its
/// subtraction, the exponential, the sum and the division.
template <class S>
Workload forward(std::int64_t sequence) {
    const Layer<S> layer(sequence);
    return {
        (multiply_adds(2.0 * head_size) + plain(5.0) + exponential_arithmetic) * pairs(layer.shape),
        layer.bytes(4.0),
        [=] { layer.forward(); },
        {},
        Streams{1, 0, 1}};
}

/// Five products; per score the scaling twice, the exponential of a difference, and the gradient
/// of the softmax.
template <class S>
Workload backward(std::int64_t sequence) {
    const Layer<S> layer(sequence);
    layer.forward();
    return {
        (multiply_adds(5.0 * head_size) + plain(5.0) + exponential_arithmetic) * pairs(layer.shape),
        layer.bytes(8.0),
        [=] { layer.backward(); },
        {},
        Streams{2, 0, 1}};
}

template <class S>
KernelRegistration part(const std::string& name, Workload (*prepare)(std::int64_t)) {
    return KernelRegistration(
        kernel_in<S>(name, "attention", "positions of 12 heads of 64", {128, 1024}, prepare));
}

template <class S>
struct InStorage {
    KernelRegistration parts[2] = {part<S>("attention forward", forward<S>),
                                   part<S>("attention backward", backward<S>)};
};
const InStorage<float> in_fp32;
const InStorage<bf16> in_bf16;

}  // namespace

}  // namespace shardstone::benchmarks
