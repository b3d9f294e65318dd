// SPDX-License-Identifier: BSD-3-Clause
// A random Markov chain that generates tokens, and its exact entropy rate, the loss to be reached.
#include "reference/data/markov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

constexpr std::int64_t most_probabilities = 1 << 22;

// Weights are powers of exponential variates: with power 1 the rows would be uniform on the simplex
// (a flat Dirichlet); the higher the power, the fewer successors share the mass.
constexpr double sparsity_power = 4.0;
// Smallest weight, against a mean of 4! = 24: keeps every transition possible.
constexpr double least_weight = 1e-3;

double change(std::span<const double> a, std::span<const double> b) {
    double total = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) total += std::abs(a[i] - b[i]);
    return total;
}

}  // namespace

MarkovLanguage::MarkovLanguage(int order, int symbols, std::uint64_t seed) : symbols_(symbols) {
    require(symbols >= 2 && symbols <= 256,
            [&] { return fmt::format("--symbols {} is not between 2 and 256", symbols); });
    require(order >= 1 && (order + 1) * std::log2(symbols) <= std::log2(most_probabilities), [&] {
        return fmt::format(
            "--order {} with --symbols {}: order must be at least 1 and "
            "symbols^(order + 1) at most {}",
            order, symbols, most_probabilities);
    });
    for (int i = 0; i < order; ++i) contexts_ *= symbols;
    probabilities_.resize(static_cast<std::size_t>(contexts_ * symbols));
    const RandomStream random(seed, "data/markov/transitions");
    for (std::int64_t context = 0; context < contexts_; ++context) {
        const auto first = static_cast<std::size_t>(context * symbols);
        const std::span row = std::span(probabilities_).subspan(first, next(context).size());
        double total = 0.0;
        for (std::size_t s = 0; s < row.size(); ++s) {
            const double exponential = -std::log1p(-random.uniform(first + s));
            row[s] = least_weight + std::pow(exponential, sparsity_power);
            total += row[s];
        }
        for (double& probability : row) probability /= total;
    }
}

std::span<const double> MarkovLanguage::next(std::int64_t context) const {
    return std::span(probabilities_)
        .subspan(static_cast<std::size_t>(context * symbols_), static_cast<std::size_t>(symbols_));
}

std::vector<double> MarkovLanguage::stationary() const {
    // Power iteration; it converges geometrically because some power of the chain is positive. The
    // entropy rate is linear in the result, so an L1 change of 1e-13 leaves 12 digits of it.
    constexpr double settled = 1e-13;
    constexpr int most_rounds = 100000;
    std::vector<double> now(static_cast<std::size_t>(contexts_),
                            1.0 / static_cast<double>(contexts_));
    for (int round = 0; round < most_rounds; ++round) {
        std::vector<double> then(now.size(), 0.0);
        for (std::int64_t context = 0; context < contexts_; ++context) {
            const auto row = next(context);
            for (std::int64_t s = 0; s < symbols_; ++s) {
                then[static_cast<std::size_t>(successor(context, s))] +=
                    now[static_cast<std::size_t>(context)] * row[static_cast<std::size_t>(s)];
            }
        }
        const bool done = change(now, then) < settled;
        now = std::move(then);
        if (done) return now;
    }
    fail("this random language mixes too slowly for its entropy rate; choose another --seed");
}

double MarkovLanguage::entropy_rate_nats() const {
    const std::vector<double> weight = stationary();
    double rate = 0.0;
    for (std::int64_t context = 0; context < contexts_; ++context) {
        double entropy = 0.0;
        for (const double p : next(context)) entropy -= p * std::log(p);
        rate += weight[static_cast<std::size_t>(context)] * entropy;
    }
    return rate;
}

std::int64_t MarkovLanguage::generate(const RandomStream& random, std::int64_t first,
                                      std::int64_t context, std::span<Token> tokens) const {
    for (Token& token : tokens) {
        const auto row = next(context);
        double left = random.uniform(static_cast<std::uint64_t>(first++));
        std::size_t symbol = 0;
        while (symbol + 1 < row.size() && left >= row[symbol]) left -= row[symbol++];
        token = static_cast<Token>(symbol);
        context = successor(context, token);
    }
    return context;
}

}  // namespace shardstone::reference
