// SPDX-License-Identifier: BSD-3-Clause
// Order-independent sums of FP64 terms, split onto two fixed-point grids: no addition rounds.
#include "kernels/base/exact_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"

namespace shardstone {

namespace {

constexpr double largest_high_sum = 0x1p27;  // 2^53 steps of 2^-26

[[noreturn]] void refuse(double term, double limit) {
    fail(
        fmt::format("a loss or gradient of {:g} is not a number up to {:g}: the training diverges; "
                    "lower --lr or set --clip",
                    term, limit));
}

}  // namespace

double exact_term_limit(std::int64_t terms) {
    require(terms <= most_exact_terms, [&] {
        return fmt::format(
            "a reproducible sum takes at most {} contributions, not {}: use a "
            "larger --micro-batch or a smaller --global-batch",
            most_exact_terms, terms);
    });
    constexpr double largest_term = 0x1p25;
    return std::min(largest_term, largest_high_sum / static_cast<double>(terms));
}

void add_exactly(double term, double limit, ExactPair& sum) {
    if (!(std::abs(term) <= limit)) refuse(term, limit);
    detail::add_split(term, sum);
}

template <class Real>
void add_exactly(std::span<const Real> terms, double limit, std::span<ExactPair> sums) {
    SHARDSTONE_EXPECTS(terms.size() == sums.size());
    int outside = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const double term = terms[i];
        outside |= static_cast<int>(!(std::abs(term) <= limit));
        detail::add_split(term, sums[i]);
    }
    if (outside == 0) return;
    refuse(*std::ranges::find_if(terms, [&](Real t) { return !(std::abs(t) <= limit); }), limit);
}

template <class Real>
void round_sums(std::span<const ExactPair> sums, std::span<Real> values) {
    SHARDSTONE_EXPECTS(values.size() == sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) values[i] = static_cast<Real>(sums[i].value());
}

#define SHARDSTONE_INSTANTIATE(Real)                                                \
    template void add_exactly(std::span<const Real>, double, std::span<ExactPair>); \
    template void round_sums(std::span<const ExactPair>, std::span<Real>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
