// SPDX-License-Identifier: BSD-3-Clause
// GELU fused with the bias before it, and its gradient, on the GPU.
#include <cmath>

#include "kernels/base/device/matrix_packs.hpp"
#include "kernels/transformer/gelu.hpp"

namespace shardstone {

namespace {

using namespace device;

constexpr float sqrt_2_over_pi = 0.79788456080286535588F;
constexpr float cubic = 0.044715F;

/// 1 / x to 2 u, 2^y to 4 u: what is rounded to a narrow type needs no more.
template <class S>
__device__ float reciprocal(float x) {
    return is_narrow<S> ? __fdividef(1.0F, x) : 1.0F / x;
}
template <class S>
__device__ float power_of_two(float y) {
    return is_narrow<S> ? exp2_approximate(y) : exp2f(y);
}

/// s = (1 + tanh z) / 2 = 1 / (1 + 2^y), y = -2 z log2(e). With the constants of y each rounded
/// once, x^2, the fused sum and the product by x, y is off by 4 u: fewer roundings than the host's
/// 7, so that the host's bound (validation/numerics/kernels/gelu.cpp) holds. 2^y of at most 2^125
/// keeps s a normal number; what is made of a NaN does not matter, since x is a factor of all that
/// follows.
template <class S>
__device__ float gate(float x) {
    constexpr double minus_2_log2_e = -2.0 * 1.44269504088896340736;
    constexpr double linear = minus_2_log2_e * 0.79788456080286535588;
    const float y =
        x * fmaf(static_cast<float>(linear * 0.044715), x * x, static_cast<float>(linear));
    return reciprocal<S>(1.0F + power_of_two<S>(fminf(y, 125.0F)));
}

template <class S>
struct Forward {
    Matrix<S, Cuda> pre;
    const S* bias;
    Matrix<S, Cuda> out;

    template <int count>
    struct Loaded {
        Pack<S, count> pre, bias;
    };

    template <int count>
    __device__ Loaded<count> load(std::int64_t row, std::int64_t column) const {
        return {load_pack<S, count>(pre.row(row) + column), load_pack<S, count>(bias + column)};
    }
    template <int count>
    __device__ void store(std::int64_t row, std::int64_t column,
                          const Loaded<count>& loaded) const {
        Pack<S, count> biased, result;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            biased.element[i] =
                narrowed<S>(widened(loaded.pre.element[i]) + widened(loaded.bias.element[i]));
            const float x = widened(biased.element[i]);
            result.element[i] = narrowed<S>(x * gate<S>(x));
        }
        store_pack(biased, pre.row(row) + column);
        store_pack(result, out.row(row) + column);
    }
};

template <class S>
struct Backward {
    Matrix<const S, Cuda> pre;
    Matrix<S, Cuda> d;

    template <int count>
    struct Loaded {
        Pack<S, count> pre, d;
    };

    template <int count>
    __device__ Loaded<count> load(std::int64_t row, std::int64_t column) const {
        return {load_pack<S, count>(pre.row(row) + column),
                load_pack<S, count>(d.row(row) + column)};
    }
    template <int count>
    __device__ void store(std::int64_t row, std::int64_t column,
                          const Loaded<count>& loaded) const {
        Pack<S, count> result;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const float x = widened(loaded.pre.element[i]);
            const float s = gate<S>(x);
            const float slope = sqrt_2_over_pi * (1.0F + 3.0F * cubic * x * x);
            const float derivative = s + 2.0F * x * s * (1.0F - s) * slope;
            result.element[i] = narrowed<S>(widened(loaded.d.element[i]) * derivative);
        }
        store_pack(result, d.row(row) + column);
    }
};

}  // namespace

template <class S>
void bias_gelu_forward(CudaQueue queue, Matrix<S, Cuda> pre, const S* bias, Matrix<S, Cuda> out) {
    constexpr int count = pack_size<S>;
    for_each_pack<count>(queue.stream(), Forward<S>{pre, bias, out}, pre.rows, pre.columns,
                         has_packs<count>(pre) && has_packs<count>(out) && are_aligned(16, bias));
}

template <class S>
void gelu_backward(CudaQueue queue, Matrix<const S, Cuda> pre, Matrix<S, Cuda> d) {
    constexpr int count = pack_size<S>;
    for_each_pack<count>(queue.stream(), Backward<S>{pre, d}, pre.rows, pre.columns,
                         has_packs<count>(pre) && has_packs<count>(d));
}

#define SHARDSTONE_INSTANTIATE(S)                                                           \
    template void bias_gelu_forward(CudaQueue, Matrix<S, Cuda>, const S*, Matrix<S, Cuda>); \
    template void gelu_backward(CudaQueue, Matrix<const S, Cuda>, Matrix<S, Cuda>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
