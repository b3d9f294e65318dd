// SPDX-License-Identifier: BSD-3-Clause
// Gradients into exact sums, block by block, and back.
#include "kernels/optimizer/exact_gradients.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

namespace {

/// Clears the terms that are beyond the limit or not a number; how many those are.
template <class Real>
std::int64_t clear_beyond(double limit, std::span<Real> terms) {
    std::int64_t count = 0;
    for (Real& term : terms) {
        if (std::abs(static_cast<double>(term)) <= limit) continue;
        term = Real(0);
        ++count;
    }
    return count;
}

}  // namespace

template <class Real>
void move_to_exact_sums(HostQueue, std::span<Real> gradients, double limit,
                        std::span<ExactPair> sums, std::int64_t& lost) {
    lost += clear_beyond(limit, gradients);
    add_exactly(std::span<const Real>(gradients), limit, sums);
    std::ranges::fill(gradients, Real(0));
}

void add_exact_sums(HostQueue queue, std::span<const ExactPair> others, std::span<ExactPair> sums) {
    SHARDSTONE_EXPECTS(others.size() == sums.size());
    const ExactPair* const from = others.data();
    ExactPair* const to = sums.data();
    for_each_block(queue, std::ssize(sums), [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            to[i].high += from[i].high;
            to[i].low += from[i].low;
        }
    });
}

template <class Real>
void round_exact_sums(HostQueue, std::span<const ExactPair> sums, std::span<Real> gradients) {
    round_sums(sums, gradients);
}

template void move_to_exact_sums(HostQueue, std::span<float>, double, std::span<ExactPair>,
                                 std::int64_t&);
template void move_to_exact_sums(HostQueue, std::span<double>, double, std::span<ExactPair>,
                                 std::int64_t&);
template void round_exact_sums(HostQueue, std::span<const ExactPair>, std::span<float>);
template void round_exact_sums(HostQueue, std::span<const ExactPair>, std::span<double>);

}  // namespace shardstone
