// SPDX-License-Identifier: BSD-3-Clause
// A memory space without arithmetic: its kernels return at once and leave its memory as it is, all
// zeros. A training in it has the real programs, buffers and messages, and whoever runs it decides
// how long computations take (reference/trainer/paced_device.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/tensor/host.hpp"

namespace shardstone {

/// The queue of kernels that do nothing.
class PacedQueue {};

/// The host's memory, counted with it, in the hands of a PacedQueue.
struct Paced {
    using Queue = PacedQueue;
    template <class T>
    using Span = std::span<T>;

    static void* allocate_zeroed(std::int64_t size_bytes) {
        return Host::allocate_zeroed(size_bytes);
    }
    static void release(void* memory, std::int64_t size_bytes) noexcept {
        Host::release(memory, size_bytes);
    }
    static std::int64_t in_use_bytes() noexcept { return Host::in_use_bytes(); }
};

/// As the host's: what arrived in messages is all that can differ from zero.
template <class T>
std::vector<T> read_array(PacedQueue, const T* from, std::int64_t count) {
    return {from, from + count};
}

// Stands for the host's kernels of that name, whatever they take.
#define SHARDSTONE_PACED(name)        \
    template <class... T, class... A> \
    void name(PacedQueue, const A&...) {}

SHARDSTONE_PACED(layernorm_forward)
SHARDSTONE_PACED(layernorm_backward_input)
SHARDSTONE_PACED(layernorm_backward_parameters)
SHARDSTONE_PACED(linear_forward)
SHARDSTONE_PACED(linear_backward_input)
SHARDSTONE_PACED(linear_backward_parameters)
SHARDSTONE_PACED(bias_backward)
SHARDSTONE_PACED(bias_gelu_forward)
SHARDSTONE_PACED(gelu_backward)
SHARDSTONE_PACED(bias_residual_forward)
SHARDSTONE_PACED(token_embedding_forward)
SHARDSTONE_PACED(token_embedding_backward)
SHARDSTONE_PACED(position_embedding_forward)
SHARDSTONE_PACED(position_embedding_backward)
SHARDSTONE_PACED(cross_entropy_forward)
SHARDSTONE_PACED(cross_entropy_backward)
SHARDSTONE_PACED(logits_maximum)
SHARDSTONE_PACED(logits_sums)
SHARDSTONE_PACED(cross_entropy_of_sums)
SHARDSTONE_PACED(narrow_rows)
SHARDSTONE_PACED(widen_rows)
SHARDSTONE_PACED(attention_forward)
SHARDSTONE_PACED(attention_backward)
SHARDSTONE_PACED(partial_attention_forward)
SHARDSTONE_PACED(attention_output_dots)
SHARDSTONE_PACED(partial_attention_backward)
SHARDSTONE_PACED(router_logits)
SHARDSTONE_PACED(route)
SHARDSTONE_PACED(router_losses)
SHARDSTONE_PACED(router_backward)
SHARDSTONE_PACED(router_backward_input)
SHARDSTONE_PACED(router_backward_weight)
SHARDSTONE_PACED(count_choices)
SHARDSTONE_PACED(count_picks)
SHARDSTONE_PACED(assign_rows)
SHARDSTONE_PACED(dispatch_rows)
SHARDSTONE_PACED(combine_rows)
SHARDSTONE_PACED(dispatch_gradient)
SHARDSTONE_PACED(gate_gradients)
SHARDSTONE_PACED(sum_rows)
SHARDSTONE_PACED(add_losses)
SHARDSTONE_PACED(round_to_fp8)
SHARDSTONE_PACED(largest_magnitude)
SHARDSTONE_PACED(copy_rows)
SHARDSTONE_PACED(copy_array)
SHARDSTONE_PACED(clear_array)
SHARDSTONE_PACED(fill_array)
SHARDSTONE_PACED(add_array)
SHARDSTONE_PACED(scale_array)
SHARDSTONE_PACED(write_array)
SHARDSTONE_PACED(move_to_exact_sums)
SHARDSTONE_PACED(add_exact_sums)
SHARDSTONE_PACED(round_exact_sums)
SHARDSTONE_PACED(add_squares)
SHARDSTONE_PACED(find_not_finite)
SHARDSTONE_PACED(find_factors)
SHARDSTONE_PACED(prepare_update)
SHARDSTONE_PACED(trust_ratios)
SHARDSTONE_PACED(update_range)
SHARDSTONE_PACED(store_stochastically)

#undef SHARDSTONE_PACED

}  // namespace shardstone
