// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/executors/shared_memory_reduce.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "collectives/executors/reduction_operations.hpp"

namespace shardstone::collectives {

namespace {

// Elements that are combined at a time. The partial results stay in the first-level cache, and a
// finished piece is written to all results while it is there.
constexpr std::int64_t piece_elements = 1024;

// In all three loops a result may be the very array that a source is (never one that is shifted
// against it): every element is read before it is written, so they vectorise.

/// a (+) b, narrowed into `result`: the whole work for two sources, the last step for more.
template <class T, class A, class Operation>
void combine(const A* a, const T* b, T* result, std::int64_t count) {
    using Wide = arithmetic_of<T>;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        result[i] = T(Operation::combine(static_cast<Wide>(a[i]), static_cast<Wide>(b[i])));
    }
}

template <class T, class Operation>
void begin_partial(const T* a, const T* b, arithmetic_of<T>* partial, std::int64_t count) {
    using Wide = arithmetic_of<T>;
    for (std::int64_t i = 0; i < count; ++i) {
        partial[i] = Operation::combine(static_cast<Wide>(a[i]), static_cast<Wide>(b[i]));
    }
}

template <class T, class Operation>
void add_to_partial(const T* a, arithmetic_of<T>* partial, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        partial[i] = Operation::combine(partial[i], static_cast<arithmetic_of<T>>(a[i]));
    }
}

/// One piece of all sources into one result.
template <class T, class Operation>
void reduce_piece(std::span<const std::byte* const> sources, std::int64_t first, T* result,
                  std::int64_t count) {
    const auto source = [&](std::size_t s) {
        return reinterpret_cast<const T*>(sources[s]) + first;
    };
    if (sources.size() == 1) {
        std::memmove(result, source(0), static_cast<std::size_t>(count) * sizeof(T));
        return;
    }
    if (sources.size() == 2) {
        combine<T, T, Operation>(source(0), source(1), result, count);
        return;
    }
    alignas(64) std::array<arithmetic_of<T>, piece_elements> partial;
    begin_partial<T, Operation>(source(0), source(1), partial.data(), count);
    for (std::size_t s = 2; s + 1 < sources.size(); ++s) {
        add_to_partial<T, Operation>(source(s), partial.data(), count);
    }
    combine<T, arithmetic_of<T>, Operation>(partial.data(), source(sources.size() - 1), result,
                                            count);
}

template <class T, class Operation>
void reduce_across(std::span<const std::byte* const> sources, std::span<std::byte* const> results,
                   std::int64_t count) {
    for (std::int64_t first = 0; first < count; first += piece_elements) {
        const std::int64_t elements = std::min(piece_elements, count - first);
        T* const result = reinterpret_cast<T*>(results.front()) + first;
        reduce_piece<T, Operation>(sources, first, result, elements);
        for (std::byte* const copy : results.subspan(1)) {
            std::memcpy(reinterpret_cast<T*>(copy) + first, result,
                        static_cast<std::size_t>(elements) * sizeof(T));
        }
    }
}

}  // namespace

ReduceAcrossFunction reduce_across_function(ElementType type, Reduction reduction) {
    return dispatch_reduction(type, reduction,
                              [](auto zero, auto operation) -> ReduceAcrossFunction {
                                  return reduce_across<decltype(zero), decltype(operation)>;
                              });
}

}  // namespace shardstone::collectives
