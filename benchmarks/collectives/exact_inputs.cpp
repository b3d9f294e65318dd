// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/exact_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace shardstone::benchmarks {

namespace {

using collectives::Reduction;

/// Every integer up to 1 / u, u the unit roundoff of round to nearest, is exact.
std::int64_t largest_exact_integer(ElementType type) {
    return dispatch(type, [](auto zero) {
        return static_cast<std::int64_t>(1.0 / element_traits<decltype(zero)>::unit_roundoff);
    });
}

template <class T>
using arithmetic_of = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

std::int64_t combine(Reduction reduction, std::int64_t a, std::int64_t b) {
    if (reduction == Reduction::sum) return a + b;
    return reduction == Reduction::max ? std::max(a, b) : std::min(a, b);
}

}  // namespace

ExactInputs::ExactInputs(ElementType type, Reduction reduction, int size)
    : type_(type), largest_(std::min<std::int64_t>(7, largest_exact_integer(type) / size)) {
    require(largest_ >= 1, [&] {
        return fmt::format("sums of {} over {} ranks cannot be checked exactly: give -c 0 or fp32",
                           to_string(type), size);
    });
    for (std::int64_t p = 0; p < largest_; ++p) {
        std::int64_t result = value(0, p);
        for (int rank = 1; rank < size; ++rank) result = combine(reduction, result, value(rank, p));
        expected_.push_back(result);
    }
}

void ExactInputs::fill(void* buffer, std::int64_t count, int rank, std::int64_t first) const {
    dispatch(type_, [&](auto zero) {
        using T = decltype(zero);
        auto* const data = static_cast<T*>(buffer);
        for (std::int64_t i = 0; i < count; ++i) {
            data[i] = T(static_cast<arithmetic_of<T>>(value(rank, phase(first + i))));
        }
    });
}

std::int64_t ExactInputs::wrong_elements(const void* buffer, std::int64_t count,
                                         std::int64_t first) const {
    return dispatch(type_, [&](auto zero) {
        using T = decltype(zero);
        const auto* const data = static_cast<const T*>(buffer);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto want = expected_[static_cast<std::size_t>(phase(first + i))];
            wrong += static_cast<arithmetic_of<T>>(data[i]) != static_cast<arithmetic_of<T>>(want);
        }
        return wrong;
    });
}

}  // namespace shardstone::benchmarks
