// SPDX-License-Identifier: BSD-3-Clause
// A second memory space for tests: memory that the program may touch in kernels of its queue only.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/optimizer/exact_gradients.hpp"
#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "kernels/optimizer/stochastic_store.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"
#include "kernels/transformer/attention.hpp"
#include "kernels/transformer/cross_entropy.hpp"
#include "kernels/transformer/embedding.hpp"
#include "kernels/transformer/expert_rows.hpp"
#include "kernels/transformer/fp8_rows.hpp"
#include "kernels/transformer/gelu.hpp"
#include "kernels/transformer/layernorm.hpp"
#include "kernels/transformer/linear.hpp"
#include "kernels/transformer/narrow_rows.hpp"
#include "kernels/transformer/partial_attention.hpp"
#include "kernels/transformer/residual.hpp"
#include "kernels/transformer/router.hpp"
#include "reference/model/experts/row_assignment.hpp"
#include "reference/model/loss_totals.hpp"

namespace shardstone {

/// As a device's: kernels of this queue, and nobody else, can touch the memory.
class FencedQueue {};

/// The way in, for as long as a kernel runs.
class OpenFence {
  public:
    OpenFence();
    ~OpenFence();
    OpenFence(const OpenFence&) = delete;
    OpenFence& operator=(const OpenFence&) = delete;
};

/// Whole pages that cannot be read or written but under an OpenFence: the program ends by a
/// segmentation fault where it tries.
struct Fenced {
    using Queue = FencedQueue;

    template <class T>
    using Span = Cuda::Span<T>;  // nor does the host read what is in one

    static void* allocate_zeroed(std::int64_t size_bytes);
    static void release(void* memory, std::int64_t size_bytes) noexcept;
    static std::int64_t in_use_bytes() noexcept;
};

// As much as the host needs.
#define SHARDSTONE_SCRATCH(S)                                                 \
    template <>                                                               \
    inline std::int64_t AttentionShape::scratch_elements<S, Fenced>() const { \
        return scratch_elements<S, Host>();                                   \
    }
SHARDSTONE_SCRATCH(float)
SHARDSTONE_SCRATCH(double)
SHARDSTONE_SCRATCH(bf16)
SHARDSTONE_SCRATCH(fp16)
#undef SHARDSTONE_SCRATCH

namespace fenced {

inline std::map<void*, std::size_t>& areas() {
    static std::map<void*, std::size_t> all;
    return all;
}

inline int open_fences = 0;

inline void protect(int protection) {
    for (const auto& [memory, size] : areas()) {
        if (mprotect(memory, size, protection) != 0) throw std::runtime_error("mprotect");
    }
}

}  // namespace fenced

inline OpenFence::OpenFence() {
    if (fenced::open_fences++ == 0) fenced::protect(PROT_READ | PROT_WRITE);
}

inline OpenFence::~OpenFence() {
    if (--fenced::open_fences == 0) fenced::protect(PROT_NONE);
}

inline void* Fenced::allocate_zeroed(std::int64_t size_bytes) {
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(size_bytes, 1));
    void* const memory = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    fenced::areas()[memory] = size;
    return memory;
}

inline void Fenced::release(void* memory, std::int64_t) noexcept {
    munmap(memory, fenced::areas()[memory]);
    fenced::areas().erase(memory);
}

inline std::int64_t Fenced::in_use_bytes() noexcept {
    std::int64_t total = 0;
    for (const auto& [memory, size] : fenced::areas()) total += static_cast<std::int64_t>(size);
    return total;
}

namespace fenced {

template <class T>
constexpr bool lives_here = false;
template <class T>
constexpr bool lives_here<Matrix<T, Fenced>> = true;
template <class T>
constexpr bool lives_here<Fenced::Span<T>> = true;
template <class S, class R>
constexpr bool lives_here<LayernormSaved<S, R, Fenced>> = true;
template <class Real>
constexpr bool lives_here<ParameterRange<Real, Fenced>> = true;

/// What a kernel of the host takes for it.
template <class T>
requires(!lives_here<std::remove_cvref_t<T>>) T && on_host(T&& plain) {
    return std::forward<T>(plain);
}
template <class T>
Matrix<T> on_host(const Matrix<T, Fenced>& m) {
    return {m.data, m.rows, m.columns, m.leading};
}
template <class T>
std::span<T> on_host(const Fenced::Span<T>& s) {
    return {s.data(), s.size()};
}
template <class S, class R>
LayernormSaved<S, R> on_host(const LayernormSaved<S, R, Fenced>& saved) {
    return {on_host(saved.x), saved.weight, saved.mean, saved.rstd};
}
template <class Real>
ParameterRange<Real> on_host(const ParameterRange<Real, Fenced>& range) {
    return {on_host(range.weights), on_host(range.gradients), on_host(range.first_moments),
            on_host(range.second_moments)};
}

}  // namespace fenced

// The kernels of the second space are those of the first, behind the fence.
#define SHARDSTONE_FENCED(name)                                        \
    template <class... T, class... A>                                  \
    auto name(FencedQueue, A&&... arguments) {                         \
        const OpenFence fence;                                         \
        return name<T...>(HostQueue(), fenced::on_host(arguments)...); \
    }
#define SHARDSTONE_FENCED_PLAIN(name)                            \
    template <class... A>                                        \
    auto name(FencedQueue, A&&... arguments) {                   \
        const OpenFence fence;                                   \
        return name(HostQueue(), fenced::on_host(arguments)...); \
    }

SHARDSTONE_FENCED(layernorm_forward)
SHARDSTONE_FENCED(layernorm_backward_input)
SHARDSTONE_FENCED(layernorm_backward_parameters)
SHARDSTONE_FENCED(linear_forward)
SHARDSTONE_FENCED(linear_backward_input)
SHARDSTONE_FENCED(linear_backward_parameters)
SHARDSTONE_FENCED(bias_backward)
SHARDSTONE_FENCED(bias_gelu_forward)
SHARDSTONE_FENCED(gelu_backward)
SHARDSTONE_FENCED(bias_residual_forward)
SHARDSTONE_FENCED(token_embedding_forward)
SHARDSTONE_FENCED(token_embedding_backward)
SHARDSTONE_FENCED(position_embedding_forward)
SHARDSTONE_FENCED(position_embedding_backward)
SHARDSTONE_FENCED(cross_entropy_forward)
SHARDSTONE_FENCED(cross_entropy_backward)
SHARDSTONE_FENCED(logits_maximum)
SHARDSTONE_FENCED(logits_sums)
SHARDSTONE_FENCED(cross_entropy_of_sums)
SHARDSTONE_FENCED(narrow_rows)
SHARDSTONE_FENCED(widen_rows)
SHARDSTONE_FENCED(attention_forward)
SHARDSTONE_FENCED(attention_backward)
SHARDSTONE_FENCED(partial_attention_forward)
SHARDSTONE_FENCED(attention_output_dots)
SHARDSTONE_FENCED(partial_attention_backward)
SHARDSTONE_FENCED(router_logits)
SHARDSTONE_FENCED(route)
SHARDSTONE_FENCED(router_losses)
SHARDSTONE_FENCED(router_backward)
SHARDSTONE_FENCED(router_backward_input)
SHARDSTONE_FENCED(router_backward_weight)
SHARDSTONE_FENCED(dispatch_rows)
SHARDSTONE_FENCED(combine_rows)
SHARDSTONE_FENCED(dispatch_gradient)
SHARDSTONE_FENCED(gate_gradients)
SHARDSTONE_FENCED(sum_rows)
SHARDSTONE_FENCED(round_to_fp8)
SHARDSTONE_FENCED_PLAIN(largest_magnitude)
SHARDSTONE_FENCED(copy_rows)
SHARDSTONE_FENCED(copy_array)
SHARDSTONE_FENCED(read_array)
SHARDSTONE_FENCED_PLAIN(clear_array)
SHARDSTONE_FENCED_PLAIN(fill_array)
SHARDSTONE_FENCED_PLAIN(add_array)
SHARDSTONE_FENCED_PLAIN(scale_array)
SHARDSTONE_FENCED(write_array)
SHARDSTONE_FENCED_PLAIN(move_to_exact_sums)
SHARDSTONE_FENCED_PLAIN(add_exact_sums)
SHARDSTONE_FENCED_PLAIN(round_exact_sums)
SHARDSTONE_FENCED(add_squares)
SHARDSTONE_FENCED_PLAIN(find_not_finite)
SHARDSTONE_FENCED_PLAIN(find_factors)
SHARDSTONE_FENCED_PLAIN(prepare_update)
SHARDSTONE_FENCED_PLAIN(trust_ratios)
SHARDSTONE_FENCED_PLAIN(update_range)
SHARDSTONE_FENCED_PLAIN(store_stochastically)

namespace reference {
SHARDSTONE_FENCED(count_choices)
SHARDSTONE_FENCED(count_picks)
SHARDSTONE_FENCED_PLAIN(assign_rows)
SHARDSTONE_FENCED_PLAIN(add_losses)
}  // namespace reference

#undef SHARDSTONE_FENCED
#undef SHARDSTONE_FENCED_PLAIN

}  // namespace shardstone
