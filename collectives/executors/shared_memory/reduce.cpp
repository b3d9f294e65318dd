// SPDX-License-Identifier: BSD-3-Clause
// Loops that reduce the vectors of all ranks in a cached piece at a time and write every result.
#include "collectives/executors/shared_memory/reduce.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "collectives/reduction/narrow_combine.hpp"

namespace shardstone::collectives {

namespace {

// Elements that are combined at a time. The partial results stay in the first-level cache, and a
// finished piece is written to all results while it is there.
constexpr std::int64_t piece_elements = 1024;

// In these loops a result may be the very array that a source is (never one that is shifted against
// it): every element is read before it is written, so they vectorise.

/// a (+) b: the whole work for two sources of a type that is its own arithmetic type, the last step
/// for more.
template <class T, class Operation>
void combine(const T* a, const T* b, T* result, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) result[i] = Operation::combine(a[i], b[i]);
}

/// The same into two results at once.
template <class T, class Operation>
void combine_into_both(const T* a, const T* b, T* result, T* copy, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        const T combined = Operation::combine(a[i], b[i]);
        result[i] = combined;
        copy[i] = combined;
    }
}

/// One piece of three or more narrow sources, or of two.
template <class T, class Operation, class Source>
void reduce_in_partial(const Source& source, std::size_t sources, T* result, std::int64_t count) {
    using Wide = arithmetic_of<T>;
    alignas(64) std::array<Wide, piece_elements> partial;
    alignas(64) std::array<Wide, piece_elements> next;
    widen(source(0), partial.data(), count);
    for (std::size_t s = 1; s < sources; ++s) {
        widen(source(s), next.data(), count);
        combine<Wide, Operation>(partial.data(), next.data(), partial.data(), count);
    }
    narrow(partial.data(), result, count);
}

/// The same for a type that needs no widening.
template <class T, class Operation, class Source>
void reduce_directly(const Source& source, std::size_t sources, T* result, std::int64_t count) {
    alignas(64) std::array<T, piece_elements> partial;
    const T* left = source(0);
    for (std::size_t s = 1; s < sources; ++s) {
        T* const to = s + 1 < sources ? partial.data() : result;
        combine<T, Operation>(left, source(s), to, count);
        left = partial.data();
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
    } else if constexpr (std::is_arithmetic_v<T>) {
        reduce_directly<T, Operation>(source, sources.size(), result, count);
    } else {
        if constexpr (has_fused<T, Operation>) {
            if (sources.size() == 2) {
                return combine_fused<T, Operation>(source(0), source(1), result, count);
            }
        }
        reduce_in_partial<T, Operation>(source, sources.size(), result, count);
    }
}

/// Two vectors that become their sum. Where the second result is no source, as in a slot that
/// others have just read, this would be slower than a copy: its lines come one by one.
bool replace_each_other(std::span<const std::byte* const> sources,
                        std::span<std::byte* const> results) {
    return sources.size() == 2 && results.size() == 2 &&
           (results[1] == sources[0] || results[1] == sources[1]);
}

template <class T, class Operation>
void reduce_pair(std::span<const std::byte* const> sources, std::span<std::byte* const> results,
                 std::int64_t count) {
    const auto source = [&](std::size_t i) { return reinterpret_cast<const T*>(sources[i]); };
    const auto result = [&](std::size_t i) { return reinterpret_cast<T*>(results[i]); };
    combine_into_both<T, Operation>(source(0), source(1), result(0), result(1), count);
}

template <class T, class Operation>
void reduce_across(std::span<const std::byte* const> sources, std::span<std::byte* const> results,
                   std::int64_t count) {
    if constexpr (std::is_arithmetic_v<T>) {
        if (replace_each_other(sources, results)) {
            return reduce_pair<T, Operation>(sources, results, count);
        }
    }
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
