// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/random.hpp"
#include "reference/model/token.hpp"

namespace shardstone::reference {

/// A random language with a known optimum: the next symbol depends only on the preceding `order`
/// symbols. Every probability is positive, so that the chain forgets its start, and most of the
/// mass is on few successors, as in text.
class MarkovLanguage {
  public:
    /// Transition probabilities are a function of (order, symbols, seed). Throws Error unless
    /// symbols is in 2..256, order at least 1 and symbols^(order + 1) at most 2^22.
    MarkovLanguage(int order, int symbols, std::uint64_t seed);

    int symbols() const noexcept { return symbols_; }
    std::int64_t contexts() const noexcept { return contexts_; }
    /// p(next symbol | context), (symbols). The context is its symbols as digits to the base
    /// `symbols`, the oldest one first.
    std::span<const double> next(std::int64_t context) const;

    /// Long-run probability of every context, (contexts): the fixed point of the chain.
    std::vector<double> stationary() const;

    /// Entropy rate in nats per symbol, -sum_c pi(c) sum_s p(s|c) ln p(s|c) (Cover and Thomas,
    /// "Elements of Information Theory", theorem 4.2.4): the cross-entropy that no model beats.
    double entropy_rate_nats() const;

    /// Continues a text: fills `tokens`, using the stream's numbers from `first` on and starting in
    /// `context`; returns the final context.
    std::int64_t generate(const RandomStream& random, std::int64_t first, std::int64_t context,
                          std::span<Token> tokens) const;

  private:
    std::int64_t successor(std::int64_t context, std::int64_t symbol) const {
        return (context * symbols_ + symbol) % contexts_;
    }

    int symbols_;
    std::int64_t contexts_ = 1;
    std::vector<double> probabilities_;  ///< (contexts, symbols)
};

}  // namespace shardstone::reference
