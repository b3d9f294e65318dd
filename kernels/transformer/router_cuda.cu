// SPDX-License-Identifier: BSD-3-Clause
// The router on the GPU: softmax, the choice of the top K, its gradient, and the losses. Sums over
// experts are added in the host's order and products rounded as there: both route identically.
#include <algorithm>
#include <limits>

#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/language.hpp"
#include "kernels/transformer/elementary.hpp"
#include "kernels/transformer/router.hpp"

namespace shardstone {

namespace {

using namespace device;

constexpr int warps = 8;  // of a block, each with a row

__device__ inline int own_lane() {
    return static_cast<int>(threadIdx.x) % warp_size;
}
__device__ inline int own_warp() {
    return static_cast<int>(threadIdx.x) / warp_size;
}
__device__ inline std::int64_t own_row() {
    return static_cast<std::int64_t>(blockIdx.x) * warps + own_warp();
}

/// A warp for each row, which has a number for every expert in the block's shared memory.
Launch warp_per_row(std::int64_t rows, std::int64_t experts) {
    return {dim3(static_cast<unsigned>((rows + warps - 1) / warps)), dim3(warps * warp_size),
            sizeof(float) * warps * static_cast<std::size_t>(experts)};
}

template <std::size_t k = 0>
__device__ inline float exponential_polynomial(float r) {
    using Traits = detail::ExponentialTraits<float>;
    constexpr float coefficient = Traits::coefficients[k];
    if constexpr (k + 1 == std::size(Traits::coefficients)) {
        return coefficient;
    } else {
        return fmaf(exponential_polynomial<k + 1>(r), r, coefficient);
    }
}

/// The bits of decaying_exponential() (elementary.hpp) where the host has fused operations.
__device__ inline float same_exponential(float x) {
    using Traits = detail::ExponentialTraits<float>;
    constexpr float rounding = Traits::round_to_integer, lowest = Traits::lowest;
    constexpr float ln2_high = Traits::ln2_high, ln2_low = Traits::ln2_low;
    x = x < lowest ? lowest : x;
    const float shifted = fmaf(x, 1.44269504088896340736F, rounding);
    const float n = shifted - rounding;
    const float r = fmaf(-n, ln2_low, fmaf(-n, ln2_high, x));
    const unsigned exponent = std::bit_cast<unsigned>(shifted) + Traits::exponent_bias;
    // Times a power of two, which is exact: fused with an addition or not.
    return exponential_polynomial(r) * std::bit_cast<float>(exponent << Traits::mantissa_bits);
}

/// sum_of() (row_reduction.hpp) of f(e), e in [0, n): two of its 64 partial results in each lane.
template <class F>
__device__ inline float same_sum(int n, const F& f) {
    float partial[2] = {};
    for (int first = own_lane(); first < n; first += 2 * warp_size) {
        partial[0] += f(first);
        if (first + warp_size < n) partial[1] += f(first + warp_size);
    }
    return over_warp(partial[0] + partial[1]);
}

/// Orders experts as choices are: by probability, of equal ones the lower index first. Either all
/// probabilities of a row are NaNs or none: then the order is that of the indices.
__device__ inline std::uint64_t rank_of(float probability, int expert) {
    const unsigned size = probability >= 0.0F ? std::bit_cast<unsigned>(probability) : 0U;
    return static_cast<std::uint64_t>(size) << 32 | ~static_cast<unsigned>(expert);
}

__global__ void softmax_and_choices(Matrix<float, Cuda> logits, float* log_sum_exp,
                                    Matrix<std::int32_t, Cuda> choices) {
    const std::int64_t r = own_row();
    if (r >= choices.rows) return;
    const int experts = static_cast<int>(logits.columns), lane = own_lane();
    float* const row = logits.row(r);
    float* const p = dynamic_shared<float>() + own_warp() * experts;  // each lane sees its own

    float highest = -std::numeric_limits<float>::infinity();
    for (int e = lane; e < experts; e += warp_size) {
        p[e] = row[e];
        highest = Larger()(highest, p[e]);
    }
    highest = over_warp(highest, Larger());
    const float sum =
        same_sum(experts, [=](int e) { return p[e] = same_exponential(p[e] - highest); });
    const float share = 1.0F / sum;
    for (int e = lane; e < experts; e += warp_size) row[e] = p[e] = __fmul_rn(p[e], share);
    if (lane == 0) log_sum_exp[r] = highest + logf(sum);

    std::uint64_t last = ~std::uint64_t{0};  // chosen
    for (std::int64_t k = 0; k < choices.columns; ++k) {
        std::uint64_t best = 0;
        for (int e = lane; e < experts; e += warp_size) {
            const std::uint64_t rank = rank_of(p[e], e);
            if (rank < last) best = Larger()(best, rank);
        }
        last = over_warp(best, Larger());
        if (lane == 0) choices.row(r)[k] = static_cast<std::int32_t>(~static_cast<unsigned>(last));
    }
}

struct GradientFactors {
    float balance, z;
};

__global__ void logit_gradients(Matrix<const float, Cuda> probabilities,
                                Matrix<const std::int32_t, Cuda> choices,
                                Matrix<const float, Cuda> d_gates, const float* log_sum_exp,
                                const float* picks, GradientFactors factors,
                                Matrix<float, Cuda> d_logits) {
    const std::int64_t r = own_row();
    if (r >= d_logits.rows) return;
    const int experts = static_cast<int>(d_logits.columns), lane = own_lane();
    const float* const p = probabilities.row(r);
    float* const d = dynamic_shared<float>() + own_warp() * experts;  // of the probabilities

    for (int e = lane; e < experts; e += warp_size) d[e] = __fmul_rn(factors.balance, picks[e]);
    for (std::int64_t k = 0; k < choices.columns; ++k) {
        const int chosen = choices.row(r)[k];
        if (chosen % warp_size == lane) d[chosen] += d_gates.row(r)[k];
    }
    const float mean = same_sum(experts, [=](int e) { return __fmul_rn(p[e], d[e]); });
    const float z_term = __fmul_rn(2.0F * factors.z, log_sum_exp[r]);
    for (int e = lane; e < experts; e += warp_size) {
        d_logits.row(r)[e] = p[e] * ((d[e] - mean) + z_term);
    }
}

// Sums of blocks on their way to the losses: kernels may not allocate, and those of the one queue
// that computes follow each other.
constexpr int most_partial_losses = 256;
struct PartialLosses {
    double balance[most_partial_losses], z[most_partial_losses];
};
__device__ PartialLosses partial_losses;

using WarpSums = double[warp_size];

__global__ void sum_losses_of_rows(Matrix<const float, Cuda> probabilities,
                                   Matrix<const float, Cuda> picks, const float* log_sum_exp) {
    SHARDSTONE_SHARED(WarpSums, partial);
    const std::int64_t rows = probabilities.rows, positions = rows / picks.rows;
    double balance = 0.0, z = 0.0;
#pragma unroll 4
    for (std::int64_t n = own_row(); n < rows; n += static_cast<std::int64_t>(gridDim.x) * warps) {
        const float* const picked = picks.row(n / positions);
        for (int e = own_lane(); e < static_cast<int>(picks.columns); e += warp_size) {
            balance +=
                static_cast<double>(picked[e]) * static_cast<double>(probabilities.row(n)[e]);
        }
        const auto lse = static_cast<double>(log_sum_exp[n]);
        z += own_lane() == 0 ? lse * lse : 0.0;
    }
    balance = over_block(balance, 0.0, partial);
    z = over_block(z, 0.0, partial);
    if (threadIdx.x == 0) {
        partial_losses.balance[blockIdx.x] = balance;
        partial_losses.z[blockIdx.x] = z;
    }
}

__global__ void add_partial_losses(int blocks, double balance_share, double* balance, double* z) {
    SHARDSTONE_SHARED(WarpSums, partial);
    const int i = static_cast<int>(threadIdx.x);
    const double all = over_block(i < blocks ? partial_losses.balance[i] : 0.0, 0.0, partial);
    const double all_z = over_block(i < blocks ? partial_losses.z[i] : 0.0, 0.0, partial);
    if (i == 0) {
        *balance += balance_share * all;
        *z += all_z;
    }
}

}  // namespace

template <class Real>
void route(CudaQueue queue, Matrix<Real, Cuda> logits_to_probabilities, Real* log_sum_exp,
           Matrix<std::int32_t, Cuda> choices) {
    const std::int64_t experts = logits_to_probabilities.columns;
    SHARDSTONE_EXPECTS(experts > 0 && choices.columns <= experts);
    if (choices.rows == 0) return;
    launch(softmax_and_choices, warp_per_row(choices.rows, experts), queue.stream(),
           logits_to_probabilities, log_sum_exp, choices);
}

template <class Real>
void router_backward(CudaQueue queue, Matrix<const Real, Cuda> probabilities,
                     Matrix<const std::int32_t, Cuda> choices, Matrix<const Real, Cuda> d_gates,
                     const Real* log_sum_exp, const Real* picks, Real balance_factor, Real z_factor,
                     Matrix<Real, Cuda> d_logits) {
    if (d_logits.rows == 0) return;
    launch(logit_gradients, warp_per_row(d_logits.rows, d_logits.columns), queue.stream(),
           probabilities, choices, d_gates, log_sum_exp, picks,
           GradientFactors{balance_factor, z_factor}, d_logits);
}

template <class Real>
void router_losses(CudaQueue queue, Matrix<const Real, Cuda> probabilities,
                   Matrix<const Real, Cuda> picks, const Real* log_sum_exp, double balance_share,
                   double* balance, double* z) {
    if (probabilities.rows == 0) return;
    Launch as = warp_per_row(probabilities.rows, 0);
    as.grid.x = std::min(as.grid.x, static_cast<unsigned>(most_partial_losses));
    launch(sum_losses_of_rows, as, queue.stream(), probabilities, picks, log_sum_exp);
    launch(add_partial_losses, Launch{dim3(1), dim3(most_partial_losses)}, queue.stream(),
           static_cast<int>(as.grid.x), balance_share, balance, z);
}

template void route(CudaQueue, Matrix<float, Cuda>, float*, Matrix<std::int32_t, Cuda>);
template void router_backward(CudaQueue, Matrix<const float, Cuda>,
                              Matrix<const std::int32_t, Cuda>, Matrix<const float, Cuda>,
                              const float*, const float*, float, float, Matrix<float, Cuda>);
template void router_losses(CudaQueue, Matrix<const float, Cuda>, Matrix<const float, Cuda>,
                            const float*, double, double*, double*);

}  // namespace shardstone
