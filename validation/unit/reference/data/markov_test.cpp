// SPDX-License-Identifier: BSD-3-Clause
// The entropy rate of a random Markov language equals brute force, and its text has that entropy.
#include "reference/data/markov.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"
#include "reference/data/dataset.hpp"
#include "reference/data/synthetic.hpp"
#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

using reference::MarkovLanguage;
using Matrix = std::vector<std::vector<double>>;

/// The chain over contexts as a dense matrix, written down from its definition alone.
Matrix transition_matrix(const MarkovLanguage& language) {
    const auto n = static_cast<std::size_t>(language.contexts());
    const auto symbols = static_cast<std::size_t>(language.symbols());
    Matrix matrix(n, std::vector<double>(n, 0.0));
    for (std::size_t context = 0; context < n; ++context) {
        for (std::size_t s = 0; s < symbols; ++s) {
            matrix[context][(context * symbols + s) % n] +=
                language.next(static_cast<std::int64_t>(context))[s];
        }
    }
    return matrix;
}

/// Solves pi (P - 1) = 0, sum pi = 1 by Gaussian elimination with pivoting.
std::vector<double> solve_stationary(const Matrix& p) {
    const std::size_t n = p.size();
    Matrix a(n, std::vector<double>(n + 1, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) a[i][j] = p[j][i] - (i == j ? 1.0 : 0.0);
    }
    a[n - 1].assign(n + 1, 1.0);
    for (std::size_t column = 0; column < n; ++column) {
        std::size_t pivot = column;
        for (std::size_t i = column; i < n; ++i) {
            if (std::abs(a[i][column]) > std::abs(a[pivot][column])) pivot = i;
        }
        std::swap(a[column], a[pivot]);
        for (std::size_t i = 0; i < n; ++i) {
            if (i == column) continue;
            const double factor = a[i][column] / a[column][column];
            for (std::size_t j = column; j <= n; ++j) a[i][j] -= factor * a[column][j];
        }
    }
    std::vector<double> pi(n);
    for (std::size_t i = 0; i < n; ++i) pi[i] = a[i][n] / a[i][i];
    return pi;
}

TEST(Markov, EntropyRateEqualsBruteForce) {
    for (const auto& [order, symbols] : {std::pair{1, 2}, {1, 16}, {2, 5}, {3, 4}}) {
        const MarkovLanguage language(order, symbols, 7);
        const auto pi = solve_stationary(transition_matrix(language));
        double rate = 0.0;
        for (std::size_t context = 0; context < pi.size(); ++context) {
            for (const double p : language.next(static_cast<std::int64_t>(context))) {
                rate -= pi[context] * p * std::log(p);
            }
        }
        // 64 unknowns at most: elimination and power iteration each keep 1e-13 times some tens.
        EXPECT_NEAR(language.entropy_rate_nats(), rate, 1e-11) << order << " " << symbols;
        EXPECT_GT(rate, 0.0);
        EXPECT_LT(rate, std::log(symbols));
    }
}

TEST(Markov, TextHasTheEntropyOfTheLanguage) {
    const MarkovLanguage language(2, 8, 3);
    std::vector<reference::Token> text(400000);
    language.generate(RandomStream(3, "text"), 0, 0, text);
    double total = 0.0;
    double squares = 0.0;
    std::int64_t context = 0;
    for (const reference::Token token : text) {
        const double nats = -std::log(language.next(context)[token]);
        total += nats;
        squares += nats * nats;
        context = (context * 8 + token) % language.contexts();
    }
    const auto n = static_cast<double>(text.size());
    const double mean = total / n;
    // Five standard errors; terms are correlated over a few symbols, hence the factor 4 in the
    // variance, an integrated autocorrelation time that this chain is far below.
    EXPECT_NEAR(mean, language.entropy_rate_nats(),
                5.0 * std::sqrt(4.0 * (squares / n - mean * mean) / n));
}

/// The held-out part is the end of the text: whatever the fraction, both parts make up one text.
TEST(Markov, TheTailOfTheTextIsHeldOut) {
    const ScratchFolder scratch;
    const auto text_of = [&](double fraction) {
        reference::SyntheticOptions options{.tokens = 5003, .validation_fraction = fraction};
        const auto folder = scratch.path() / std::to_string(fraction);
        prepare_synthetic(options, folder);
        return reference::Dataset::open(folder);
    };
    const auto all = text_of(0.0);
    ASSERT_TRUE(all.validation().empty());
    const auto parts = text_of(0.3);
    const auto whole = all.train().front().all(), held_out = parts.validation().front().all();
    auto joined = parts.train().front().all();
    EXPECT_EQ(held_out.size(), 1500U);  // the whole of 1500.9
    joined.insert(joined.end(), held_out.begin(), held_out.end());
    EXPECT_EQ(joined, whole);
}

TEST(Markov, SizesOutOfRangeAreRefused) {
    EXPECT_THROW(MarkovLanguage(0, 16, 1), Error);
    EXPECT_THROW(MarkovLanguage(1, 1, 1), Error);
    EXPECT_THROW(MarkovLanguage(1, 257, 1), Error);
    EXPECT_THROW(MarkovLanguage(8, 16, 1), Error);
}

}  // namespace
}  // namespace shardstone::validation
