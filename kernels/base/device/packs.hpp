// SPDX-License-Identifier: BSD-3-Clause
// Elementwise work on several arrays of one length, in packs of 16 B where their addresses allow
// it.
#pragma once

#include <type_traits>

#include "kernels/base/device/elements.hpp"
#include "kernels/base/device/grid.hpp"

namespace shardstone::device {

/// Elements [0, count) as packs, whose addresses are multiples of their size in every array, and
/// the elements before and behind them, one by one. Arrays that start at different places between
/// multiples of 16 B have no packs.
template <class T>
struct Packs {
    static constexpr int width = pack_size<T>;

    std::int64_t head = 0, packs = 0, singles = 0;

    template <class... Others>
    static Packs of(std::int64_t count, const T* first, const Others*... others) {
        static_assert((... && (sizeof(Others) == sizeof(T))));
        constexpr std::size_t bytes = sizeof(T) * width;
        const auto past = [](const void* array) {
            return reinterpret_cast<std::uintptr_t>(array) % bytes;
        };
        const bool alike = (... && (past(others) == past(first)));
        const auto head = static_cast<std::int64_t>((bytes - past(first)) % bytes / sizeof(T));
        if (!alike || count < head + width) return {0, 0, count};
        const std::int64_t packs = (count - head) / width;
        return {head, packs, count - packs * width};
    }

    std::int64_t pieces() const { return packs + singles; }
    __device__ std::int64_t place_of_pack(std::int64_t pack) const { return head + pack * width; }
    __device__ std::int64_t place_of_single(std::int64_t single) const {
        return single < head ? single : single + packs * width;
    }
};

namespace detail {

template <int count, class Rule, class... T>
__device__ inline void update_at(std::int64_t at, const Rule& rule, T*... arrays) {
    [&](Pack<std::remove_const_t<T>, count>... packs) {
#pragma unroll
        for (int i = 0; i < count; ++i) rule(packs.element[i]...);
        const auto store = [at](const auto& pack, auto* array) {
            if constexpr (!std::is_const_v<std::remove_pointer_t<decltype(array)>>) {
                store_pack(pack, array + at);
            }
        };
        (store(packs, arrays), ...);
    }(load_pack<std::remove_const_t<T>, count>(arrays + at)...);
}

template <class T, class Rule, class... Others>
__global__ void update(Packs<std::remove_const_t<T>> packs, Rule rule, T* first,
                       Others*... others) {
    for_each_of_grid(packs.packs + packs.singles, [=](std::int64_t i) {
        if (i < packs.packs) {
            update_at<packs.width>(packs.place_of_pack(i), rule, first, others...);
        } else {
            update_at<1>(packs.place_of_single(i - packs.packs), rule, first, others...);
        }
    });
}

}  // namespace detail

/// Enqueues rule(first[i], others[i]...) for each i in [0, count): it changes elements of arrays
/// that are not const. They do not overlap.
template <class Rule, class T, class... Others>
void update_elements(cudaStream_t stream, std::int64_t count, const Rule& rule, T* first,
                     Others*... others) {
    if (count == 0) return;
    const auto packs = Packs<std::remove_const_t<T>>::of(count, first, others...);
    launch(detail::update<T, Rule, Others...>, elementwise(packs.pieces()), stream, packs, rule,
           first, others...);
}

}  // namespace shardstone::device
