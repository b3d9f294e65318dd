// SPDX-License-Identifier: BSD-3-Clause
// Host loops for sum, max and min of two vectors and for the division that makes an average.
#include "collectives/reduction/reduction.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "collectives/reduction/narrow_combine.hpp"

namespace shardstone::collectives {

namespace {

constexpr std::array<std::string_view, 4> names{"sum", "max", "min", "avg"};

/// Narrow elements are widened so many at a time, which stay in the first-level cache.
constexpr std::int64_t piece_elements = 512;
template <class T>
using Piece = std::array<arithmetic_of<T>, piece_elements>;

template <class T, class Operation>
void combine(T* __restrict mine, const T* __restrict theirs, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) mine[i] = Operation::combine(mine[i], theirs[i]);
}

/// Row by row through the first-level cache.
template <class T, class Operation>
void combine_narrow(T* mine, const T* theirs, std::int64_t count) {
    alignas(64) Piece<T> wide_a;
    alignas(64) Piece<T> wide_b;
    for (std::int64_t first = 0; first < count; first += piece_elements) {
        const std::int64_t elements = std::min(piece_elements, count - first);
        widen(mine + first, wide_a.data(), elements);
        widen(theirs + first, wide_b.data(), elements);
        combine<float, Operation>(wide_a.data(), wide_b.data(), elements);
        narrow(wide_a.data(), mine + first, elements);
    }
}

template <class T, class Operation>
void reduce(void* mine, const void* theirs, std::int64_t count) {
    auto* const a = static_cast<T*>(mine);
    const auto* const b = static_cast<const T*>(theirs);
    if constexpr (std::is_arithmetic_v<T>) {
        combine<T, Operation>(a, b, count);
    } else if constexpr (has_fused<T, Operation>) {
        combine_fused<T, Operation>(a, b, a, count);
    } else {
        combine_narrow<T, Operation>(a, b, count);
    }
}

template <class T>
void divide(T* elements, std::int64_t count, int ranks) {
    const auto divisor = static_cast<T>(ranks);
    for (std::int64_t i = 0; i < count; ++i) elements[i] /= divisor;
}

template <class T>
void scale(void* buffer, std::int64_t count, int ranks) {
    auto* const data = static_cast<T*>(buffer);
    if constexpr (std::is_arithmetic_v<T>) {
        divide(data, count, ranks);
    } else {
        alignas(64) Piece<T> wide;
        for (std::int64_t first = 0; first < count; first += piece_elements) {
            const std::int64_t elements = std::min(piece_elements, count - first);
            widen(data + first, wide.data(), elements);
            divide(wide.data(), elements, ranks);
            narrow(wide.data(), data + first, elements);
        }
    }
}

}  // namespace

std::string_view to_string(Reduction reduction) {
    return names[static_cast<std::size_t>(reduction)];
}

Reduction parse_reduction(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return static_cast<Reduction>(i);
    }
    fail("unknown reduction '" + std::string(name) + "': use sum, max, min or avg");
}

ReduceFunction reduce_function(ElementType type, Reduction reduction) {
    return dispatch_reduction(type, reduction, [](auto zero, auto operation) -> ReduceFunction {
        return reduce<decltype(zero), decltype(operation)>;
    });
}

ScaleFunction scale_function(ElementType type) {
    return dispatch(type, [](auto zero) -> ScaleFunction { return scale<decltype(zero)>; });
}

}  // namespace shardstone::collectives
