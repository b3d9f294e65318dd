// SPDX-License-Identifier: BSD-3-Clause
// Attention of ranks that share sequences equals the oracle's of the whole, whenever what they send
// arrives.
#include "reference/model/context/context_attention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/model/context/sequence_orders.hpp"
#include "validation/numerics/kernels/attention_bounds.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/reference/model/context/shared_sequence.hpp"

namespace shardstone::validation {
namespace {

using reference::AttentionKind;
using reference::SequenceSplit;

/// Whose scores are +800 while those of the other half of the keys are -800.
enum class Dominant { none, first_keys, last_keys };

struct Case {
    oracle::AttentionSizes sizes;
    int ranks;
    Dominant dominant = Dominant::none;

    /// (B, T, 3, H, D), which the oracle and the ranks get.
    Values qkv() const {
        const auto& [batch, sequence, heads, head_size] = sizes;
        const Size row = 3 * heads * head_size;
        Values values = random_values(batch * sequence * row, "qkv");
        if (dominant == Dominant::none) return values;
        const double score = 800.0 * std::sqrt(static_cast<double>(head_size));
        for (Size i = 0; i < batch * sequence; ++i) {
            const bool is_first = i % sequence < sequence / 2;
            const double sign = is_first == (dominant == Dominant::first_keys) ? 1.0 : -1.0;
            for (Size h = 0; h < heads; ++h) {
                const auto q = static_cast<std::size_t>(i * row + h * head_size);
                values[q] = 40.0;
                values[q + static_cast<std::size_t>(heads * head_size)] = sign * score / 40.0;
            }
        }
        return values;
    }
};

// Even, uneven, a rank with a single position, pieces of several blocks of queries.
const std::vector<Case> cases{{{1, 8, 1, 4}, 2},
                              {{2, 16, 3, 4}, 3},
                              {{2, 7, 2, 8}, 5},
                              {{1, 250, 1, 8}, 2},
                              {{1, 24, 2, 4}, 4}};

template <class S>
class ContextAttention : public testing::Test {
  protected:
    /// Largest error in units of its bound, of the output and of the gradient.
    static double worst(const Case& one, const AttentionKind& kind, SequenceSplit split,
                        Delivery delivery, Planted bug = Planted::none) {
        const auto& sizes = one.sizes;
        split.ranks = one.ranks;
        const Size count = sizes.batch * sizes.sequence * sizes.heads * sizes.head_size;
        const Values qkv = stored<S>(one.qkv());
        const Values d_out = stored<S>(random_values(count, "d_out"));
        ContextGroup<S> group(
            kind, {sizes.batch, sizes.sequence, sizes.heads, sizes.head_size, split}, delivery);
        AttentionBounds bounds(sizes, qkv, d_out, AttentionRoundings::of<S>());
        add_storage_error<S>(oracle::attention_gradient(sizes, qkv, d_out), bounds.d_qkv);
        // A merge of two parts multiplies each by exp(l - L), which is off by no more than the
        // bound's own rho, since l and L are log-sum-exps over no more keys: M merges, M rho more.
        // Each rank's keys come in two pieces at most.
        const double parts = 1.0 + 2.0 * one.ranks;
        const double forward = largest_share(group.forward(qkv), oracle::attention(sizes, qkv, bug),
                                             bounds.out, parts);
        return std::max(forward, largest_share(group.backward(d_out),
                                               oracle::attention_gradient(sizes, qkv, d_out, bug),
                                               bounds.d_qkv, parts));
    }

  private:
    static double largest_share(const Values& actual, const Values& expected, const Values& bound,
                                double factor) {
        // Exponentials are clamped just above the least normal number (elementary.hpp). In a
        // gradient one is multiplied by a query of up to 40 and by less than 40 of d_P, of up to 16
        // queries.
        constexpr double clamped = 65536.0 * std::numeric_limits<compute_t<S>>::min();
        double most = 0.0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double share = std::abs(actual[i] - expected[i]) / (factor * bound[i] + clamped);
            if (actual[i] != expected[i]) most = share <= most ? most : share;  // NaN is kept
        }
        return most;
    }
};
TYPED_TEST_SUITE(ContextAttention, StorageTypes);

const SequenceSplit zigzag{.positions_of = reference::zigzag_positions};
const SequenceSplit blocks{.positions_of = reference::block_positions};

TYPED_TEST(ContextAttention, EqualsTheOracle) {
    for (const Case& one : cases) {
        for (const auto* kind : {&reference::ring_attention(), &reference::gathered_attention()}) {
            for (const SequenceSplit& split : {zigzag, blocks}) {
                for (const Delivery delivery : {Delivery::at_once, Delivery::as_late_as_can_be}) {
                    const double share = TestFixture::worst(one, *kind, split, delivery);
                    EXPECT_LE(share, 1.0)
                        << one.ranks << " ranks, T = " << one.sizes.sequence << ", ring "
                        << (kind == &reference::ring_attention()) << ", zigzag "
                        << (split.positions_of == zigzag.positions_of);
                }
            }
        }
    }
}

/// exp(800) is more, and exp(-800) less, than any type holds: merges have to scale by the larger.
TYPED_TEST(ContextAttention, ScoresMayBeFarApart) {
    for (const Dominant dominant : {Dominant::first_keys, Dominant::last_keys}) {
        const Case one{{2, 16, 2, 4}, 3, dominant};
        for (const auto* kind : {&reference::ring_attention(), &reference::gathered_attention()}) {
            for (const SequenceSplit& split : {zigzag, blocks}) {
                EXPECT_LE(TestFixture::worst(one, *kind, split, Delivery::at_once), 1.0)
                    << "first keys " << (dominant == Dominant::first_keys) << ", ring "
                    << (kind == &reference::ring_attention()) << ", zigzag "
                    << (split.positions_of == zigzag.positions_of);
            }
        }
    }
}

TYPED_TEST(ContextAttention, AMaskThatIsOffByOneIsSeen) {
    for (const Case& one : cases) {
        EXPECT_GT(TestFixture::worst(one, reference::ring_attention(), zigzag, Delivery::at_once,
                                     Planted::mask_off_by_one),
                  1.0);
    }
}

/// Plain blocks, of which the first two ranks have each other's.
reference::Positions swapped(std::int64_t length, int ranks, int rank) {
    return reference::block_positions(length, ranks, rank == 0 ? 1 : rank == 1 ? 0 : rank);
}

// The order of the ranks is the order's alone: rank 0 may have the second block.
TYPED_TEST(ContextAttention, RanksMayHaveAnyPositions) {
    const Case even{{2, 12, 2, 4}, 3};
    EXPECT_LE(TestFixture::worst(even, reference::ring_attention(), {.positions_of = swapped},
                                 Delivery::as_late_as_can_be),
              1.0);
}

}  // namespace
}  // namespace shardstone::validation
