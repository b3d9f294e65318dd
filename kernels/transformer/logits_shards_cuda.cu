// SPDX-License-Identifier: BSD-3-Clause
// Cross-entropy in three parts on the GPU, for logits whose vocabulary is split over tensor ranks.
#include "kernels/base/device/grid.hpp"
#include "kernels/transformer/cross_entropy.hpp"
#include "kernels/transformer/logit_rows_cuda.hpp"

namespace shardstone {

namespace {

using namespace device;

template <class S>
__global__ void __launch_bounds__(logit_threads, 2)
    maxima(const S* logits, std::int64_t columns, std::int64_t leading, float* maximum) {
    SHARDSTONE_SHARED(WarpResults, warps);
    const LogitRow<const S> row(logits + blockIdx.x * leading, columns);
    const float highest = row_maximum(row, warps, [](int, const auto&) {});
    if (threadIdx.x == 0) maximum[blockIdx.x] = highest;
}

template <class S>
__global__ void __launch_bounds__(logit_threads, 2)
    sums_of_exponentials(const S* logits, std::int64_t columns, std::int64_t leading,
                         const std::int32_t* targets, std::int64_t first_token,
                         const float* maximum, float* sums, float* target_logits) {
    SHARDSTONE_SHARED(WarpResults, warps);
    const S* first = logits + blockIdx.x * leading;
    const LogitRow<const S> row(first, columns);
    const float highest = maximum[blockIdx.x];
    ExponentialSums<pack_size<S>> of_row;
    row.for_each_pack([&](int, const auto& pack) { of_row.add(pack, highest); });
    const float sum =
        in_order_of_columns(of_row.of_place, row.first(), dynamic_shared<float>(), warps);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        const std::int64_t column = detail::own_column(targets[blockIdx.x], first_token, columns);
        target_logits[blockIdx.x] = column >= 0 ? widened(first[column]) : 0.0F;
    }
}

/// The result may be one of the arguments.
__global__ void add_logarithms(const float* maximum, const float* sums, float* log_sum_exp,
                               std::int64_t rows) {
    for_each_of_grid(rows, [=](std::int64_t r) { log_sum_exp[r] = maximum[r] + logf(sums[r]); });
}

struct OwnLogitOfTarget {
    const float* target_logits;
    __device__ float operator()(std::int64_t row, std::int32_t) const { return target_logits[row]; }
};

}  // namespace

template <class S>
void logits_maximum(CudaQueue queue, Matrix<const S, Cuda> logits, compute_t<S>* maximum) {
    if (logits.rows == 0) return;
    launch(maxima<S>, block_per_row(logits.rows), queue.stream(), logits.data, logits.columns,
           logits.leading, maximum);
}

template <class S>
void logits_sums(CudaQueue queue, Matrix<const S, Cuda> logits,
                 Cuda::Span<const std::int32_t> targets, std::int64_t first_token,
                 const compute_t<S>* maximum, compute_t<S>* sums, compute_t<S>* target_logits) {
    if (logits.rows == 0) return;
    launch(sums_of_exponentials<S>, block_per_row(logits.rows, column_sums_bytes<S>),
           queue.stream(), logits.data, logits.columns, logits.leading, targets.data(), first_token,
           maximum, sums, target_logits);
}

template <class Real>
void cross_entropy_of_sums(CudaQueue queue, Cuda::Span<const std::int32_t> targets,
                           const Real* maximum, const Real* sums, const Real* target_logits,
                           Real* log_sum_exp, double* loss) {
    const auto rows = static_cast<std::int64_t>(targets.size());
    if (rows == 0) return;
    launch(add_logarithms, elementwise(rows), queue.stream(), maximum, sums, log_sum_exp, rows);
    launch(add_loss<OwnLogitOfTarget>, {dim3(1), dim3(loss_threads)}, queue.stream(),
           targets.data(), rows, log_sum_exp, OwnLogitOfTarget{target_logits}, loss);
}

#define SHARDSTONE_INSTANTIATE(S)                                                               \
    template void logits_maximum(CudaQueue, Matrix<const S, Cuda>, compute_t<S>*);              \
    template void logits_sums(CudaQueue, Matrix<const S, Cuda>, Cuda::Span<const std::int32_t>, \
                              std::int64_t, const compute_t<S>*, compute_t<S>*, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

template void cross_entropy_of_sums(CudaQueue, Cuda::Span<const std::int32_t>, const float*,
                                    const float*, const float*, float*, double*);

}  // namespace shardstone
