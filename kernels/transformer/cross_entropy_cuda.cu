// SPDX-License-Identifier: BSD-3-Clause
// Cross-entropy loss and its gradient on the GPU.
#include "kernels/transformer/cross_entropy.hpp"
#include "kernels/transformer/logit_rows_cuda.hpp"

namespace shardstone {

namespace {

using namespace device;

/// One block per row. A row that fits is kept in shared memory, so that logits are read once; of a
/// longer one the second reading finds in the L2 cache what the first one left there.
template <class S, bool is_kept>
__global__ void __launch_bounds__(logit_threads, 2)
    log_sums_exp(const S* logits, std::int64_t columns, std::int64_t leading, float* log_sum_exp) {
    constexpr int width = pack_size<S>;
    SHARDSTONE_SHARED(WarpResults, warps);
    const LogitRow<const S> row(logits + blockIdx.x * leading, columns);
    auto* kept = dynamic_shared<Pack<S, width>>();
    const float highest = row_maximum(row, warps, [&](int p, const auto& pack) {
        if constexpr (is_kept) store_pack(pack, kept[p].element);
    });
    ExponentialSums<width> sums;
    if constexpr (is_kept) {
        // Each thread reads what it wrote itself.
        for (int p = static_cast<int>(threadIdx.x); p < row.packs(); p += logit_threads) {
            sums.add(load_pack<S>(kept[p].element), highest);
        }
        __syncthreads();  // before the sums overwrite the row
    } else {
        row.for_each_pack([&](int, const auto& pack) { sums.add(pack, highest); });
    }
    const float sum =
        in_order_of_columns(sums.of_place, row.first(), dynamic_shared<float>(), warps);
    if (threadIdx.x == 0) log_sum_exp[blockIdx.x] = highest + logf(sum);
}

template <class S>
struct LogitOfTarget {
    const S* logits;
    std::int64_t leading;
    __device__ float operator()(std::int64_t row, std::int32_t target) const {
        return widened(logits[row * leading + target]);
    }
};

template <class S>
__global__ void __launch_bounds__(logit_threads, 2)
    loss_gradient(S* logits, std::int64_t columns, std::int64_t leading,
                  const std::int32_t* targets, const float* log_sum_exp, float scale,
                  std::int64_t first_token) {
    constexpr int width = pack_size<S>;
    const LogitRow<S> row(logits + blockIdx.x * leading, columns);
    const std::int32_t target = targets[blockIdx.x];
    if (target < 0) {
        Pack<S, width> zeros;
#pragma unroll
        for (int j = 0; j < width; ++j) zeros.element[j] = narrowed<S>(0.0F);
        for (int p = static_cast<int>(threadIdx.x); p < row.packs(); p += logit_threads) {
            row.store(p, zeros);
        }
        return;
    }
    const float log_sum = log_sum_exp[blockIdx.x];
    const std::int64_t column = detail::own_column(target, first_token, columns);
    const std::int64_t target_at = column >= 0 ? row.first() + column : -1;
    row.for_each_pack([&](int p, Pack<S, width> pack) {
        const auto place = static_cast<int>(target_at - static_cast<std::int64_t>(p) * width);
#pragma unroll
        for (int j = 0; j < width; ++j) {
            const float probability = fast_exponential(widened(pack.element[j]) - log_sum);
            const float one_hot = place == j ? scale : 0.0F;
            pack.element[j] = narrowed<S>(scale * probability - one_hot);  // rounded to S once
        }
        row.store(p, pack);
    });
}

}  // namespace

template <class S>
void cross_entropy_forward(CudaQueue queue, Matrix<const S, Cuda> logits,
                           Cuda::Span<const std::int32_t> targets, compute_t<S>* log_sum_exp,
                           double* loss) {
    if (logits.rows == 0) return;
    constexpr std::int64_t width = pack_size<S>;
    constexpr std::size_t most_kept =
        226 * 1024;  // what a block can have, less its static variables
    const auto kept = static_cast<std::size_t>((logits.columns + 2 * width - 2) / width * 16);
    const bool is_kept = kept <= most_kept;
    const std::size_t shared =
        is_kept ? std::max(kept, column_sums_bytes<S>) : column_sums_bytes<S>;
    launch(is_kept ? log_sums_exp<S, true> : log_sums_exp<S, false>,
           block_per_row(logits.rows, shared), queue.stream(), logits.data, logits.columns,
           logits.leading, log_sum_exp);
    launch(add_loss<LogitOfTarget<S>>, {dim3(1), dim3(loss_threads)}, queue.stream(),
           targets.data(), logits.rows, log_sum_exp, LogitOfTarget<S>{logits.data, logits.leading},
           loss);
}

template <class S>
void cross_entropy_backward(CudaQueue queue, Matrix<S, Cuda> logits,
                            Cuda::Span<const std::int32_t> targets, const compute_t<S>* log_sum_exp,
                            compute_t<S> scale, std::int64_t first_token) {
    if (logits.rows == 0) return;
    launch(loss_gradient<S>, block_per_row(logits.rows), queue.stream(), logits.data,
           logits.columns, logits.leading, targets.data(), log_sum_exp, scale, first_token);
}

#define SHARDSTONE_INSTANTIATE(S)                                                                \
    template void cross_entropy_forward(CudaQueue, Matrix<const S, Cuda>,                        \
                                        Cuda::Span<const std::int32_t>, compute_t<S>*, double*); \
    template void cross_entropy_backward(CudaQueue, Matrix<S, Cuda>,                             \
                                         Cuda::Span<const std::int32_t>, const compute_t<S>*,    \
                                         compute_t<S>, std::int64_t);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
