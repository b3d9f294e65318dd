// SPDX-License-Identifier: BSD-3-Clause
// The GPU's forward attention of a tile of queries: what its two kernels share (by the matrix unit,
// attention_forward_mma_cuda.hpp; without, attention_forward_plain_cuda.hpp).
#pragma once

#include "kernels/transformer/attention_cuda.hpp"

namespace shardstone::device {

/// `merges`: outputs are FP32 and those of other keys already, to be merged by log-sum-exp.
template <class S, bool merges>
struct ForwardTask {
    using Out = std::conditional_t<merges, float, S>;

    AttentionInputs<S> in;
    float scale_log2;
    std::int64_t to_values;  ///< from each key, in elements, for the matrix unit
    PieceRows<Out> out;
    PieceNumbers<float> log_sum_exp;
    AttentionBlocks blocks;
};

/// How many keys the queries before `end` see.
template <class S>
__device__ inline int visible_keys(const AttentionInputs<S>& in, int end) {
    return in.causal ? min(end, in.keys) : in.keys;
}

/// The softmax of a row of scores as they come, some keys at a time (Milakov and Gimelshein 2018):
/// exponentials are of 2, less an offset, the largest scaled score so far.
struct OnlineSoftmax {
    float offset = minus_infinity;
    float sum = 0.0F;  ///< of the exponentials, or of one thread's part of them

    /// Given the largest of the next scores: what previous exponentials have to be multiplied by.
    __device__ __forceinline__ float raise(float largest_score, float scale_log2) {
        const float before = offset;
        offset = fmaxf(offset, largest_score * scale_log2);
        const float factor = exp2_approximate(before - offset);
        sum *= factor;
        return factor;
    }
    __device__ __forceinline__ float add(float score, float scale_log2) {
        const float exponential = exp2_approximate(fmaf(score, scale_log2, -offset));
        sum += exponential;
        return exponential;
    }
    /// Once `sum` is complete.
    __device__ float log_sum_exp() const { return fmaf(offset, natural_log_of_2, logf(sum)); }
};

/// What the output of a row is made of: `take` times the sums over these keys and, merging, `keep`
/// times the previous output; and its new log-sum-exp.
struct RowResult {
    float take, keep, log_sum_exp;
};
template <bool merges>
__device__ inline RowResult result_of(const OnlineSoftmax& row, const float* log_sum_before) {
    const float part = row.log_sum_exp(), share = 1.0F / row.sum;
    if constexpr (!merges) {
        return {share, 0.0F, part};
    } else {
        const float before = *log_sum_before;
        const float highest = fmaxf(before, part);
        const float total = highest + logf(expf(before - highest) + expf(part - highest));
        return {share * expf(part - total), expf(before - total), total};
    }
}

}  // namespace shardstone::device
