// SPDX-License-Identifier: BSD-3-Clause
// LayerNorm on the GPU, forward and backward for the input, one pass over memory each; the variance
// is a sum of squared differences, as on the host.
#include <cmath>

#include "kernels/base/device/matrix_packs.hpp"
#include "kernels/transformer/held_row_cuda.hpp"
#include "kernels/transformer/layernorm.hpp"

namespace shardstone {

namespace {

using namespace device;

/// A pack of parameters, which lie anywhere: the shares that a rank has of other tensors decide
/// where. What a row is summed by must not depend on that, or ranks that hold the same would
/// compute different bits. `whole`: it can be read by one instruction.
template <class S, int count>
__device__ inline Pack<S, count> load_parameters(const S* from, bool whole) {
    if (whole) return load_pack<S, count>(from);
    Pack<S, count> pack;
#pragma unroll
    for (int k = 0; k < count; ++k) pack.element[k] = from[k];
    return pack;
}

template <class S, class R>
struct Forward {
    Matrix<const R, Cuda> x;
    const S *weight, *bias;
    Matrix<S, Cuda> out;
    float *mean, *rstd;
    float share;  ///< 1 / C: a rounding more than a quotient, within the bounds for the host
    bool whole;   ///< packs of weight and bias

    template <int count, int held>
    __device__ void run(std::int64_t row, float* partial) const {
        const auto columns = static_cast<int>(x.columns);
        const HeldRow<R, count, held> in(x.row(row), columns);
        float sum = 0.0F, squares = 0.0F;
        in.for_each([&](float value) { sum += value; });
        const float middle = over_row(sum, partial) * share;
        in.for_each([&](float value) { squares += (value - middle) * (value - middle); });
        const float variance = over_row(squares, partial) * share;
        const float by = 1.0F / std::sqrt(variance + static_cast<float>(layernorm_epsilon));
        S* to = out.row(row);
        for_packs_of_row<count, held>(columns, [&](int i, int column) {
            const auto pack = in.at(i, column);
            const auto scale = load_parameters<S, count>(weight + column, whole);
            const auto shift = load_parameters<S, count>(bias + column, whole);
            Pack<S, count> result;
#pragma unroll
            for (int k = 0; k < count; ++k) {
                result.element[k] =
                    narrowed<S>(fmaf((widened(pack.element[k]) - middle) * by,
                                     widened(scale.element[k]), widened(shift.element[k])));
            }
            store_pack(result, to + column);
        });
        if (threadIdx.x != 0) return;
        mean[row] = middle;
        rstd[row] = by;
    }
};

template <class S, class R>
struct Backward {
    LayernormSaved<S, R, Cuda> saved;
    Matrix<const R, Cuda> d_out;
    Matrix<R, Cuda> d_x;
    float share;  ///< 1 / C
    bool whole;   ///< packs of the weight

    template <int count, int held>
    __device__ void run(std::int64_t row, float* partial) const {
        const auto columns = static_cast<int>(d_out.columns);
        const HeldRow<R, count, held> x(saved.x.row(row), columns);
        const HeldRow<R, count, held> gradient(d_out.row(row), columns);
        const float mean = saved.mean[row], rstd = saved.rstd[row];
        // f(k, g, n) for the elements k of a pack.
        const auto for_elements = [&](int i, int column, const auto& f) {
            const auto value = x.at(i, column), d = gradient.at(i, column);
            const auto weight = load_parameters<S, count>(saved.weight + column, whole);
#pragma unroll
            for (int k = 0; k < count; ++k) {
                f(k, widened(d.element[k]) * widened(weight.element[k]),
                  (widened(value.element[k]) - mean) * rstd);
            }
        };
        float sum = 0.0F, with_normalised = 0.0F;
        for_packs_of_row<count, held>(columns, [&](int i, int column) {
            for_elements(i, column, [&](int, float g, float n) {
                sum += g;
                with_normalised += g * n;
            });
        });
        const float mean_g = over_row(sum, partial) * share;
        const float mean_gn = over_row(with_normalised, partial) * share;
        R* to = d_x.row(row);
        for_packs_of_row<count, held>(columns, [&](int i, int column) {
            auto past = load_pack<R, count>(to + column);
            for_elements(i, column, [&](int k, float g, float n) {
                past.element[k] =
                    narrowed<R>(widened(past.element[k]) + rstd * (g - mean_g - n * mean_gn));
            });
            store_pack(past, to + column);
        });
    }
};

}  // namespace

template <class S, class R>
void layernorm_forward(CudaQueue queue, Matrix<const std::type_identity_t<R>, Cuda> x,
                       const S* weight, const S* bias, Matrix<S, Cuda> out, compute_t<S>* mean,
                       compute_t<S>* rstd) {
    constexpr int count = pack_size<R>;
    const bool aligned = has_packs<count>(x) && has_packs<count>(out);
    const bool whole =
        are_aligned(count * sizeof(S), weight) && are_aligned(count * sizeof(S), bias);
    const Forward<S, R> f{x,    weight, bias, out, mean, rstd, 1.0F / static_cast<float>(x.columns),
                          whole};
    for_each_held_row<count>(queue.stream(), f, x.rows, x.columns, aligned);
}

template <class S, class R>
void layernorm_backward_input(CudaQueue queue, const LayernormSaved<S, R, Cuda>& saved,
                              Matrix<const std::type_identity_t<R>, Cuda> d_out,
                              Matrix<std::type_identity_t<R>, Cuda> d_x) {
    constexpr int count = pack_size<R>;
    const bool aligned =
        has_packs<count>(saved.x) && has_packs<count>(d_out) && has_packs<count>(d_x);
    const Backward<S, R> f{saved, d_out, d_x, 1.0F / static_cast<float>(d_out.columns),
                           are_aligned(count * sizeof(S), saved.weight)};
    for_each_held_row<count>(queue.stream(), f, d_out.rows, d_out.columns, aligned);
}

#define SHARDSTONE_INSTANTIATE(S, R)                                                            \
    template void layernorm_forward<S, R>(CudaQueue, Matrix<const R, Cuda>, const S*, const S*, \
                                          Matrix<S, Cuda>, float*, float*);                     \
    template void layernorm_backward_input<S, R>(CudaQueue, const LayernormSaved<S, R, Cuda>&,  \
                                                 Matrix<const R, Cuda>, Matrix<R, Cuda>);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
