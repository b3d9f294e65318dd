// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of every operation on real ranks, in place and not, with even and uneven shares
// and any root: exact results, inputs left alone, and bytes sent as the schedule says.
#include "collectives/executors/collective.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "collectives/operation/algorithm.hpp"
#include "collectives/pricing/choice.hpp"
#include "validation/unit/collectives/executors/known_vectors.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

/// One collective twice in a row, in place or not.
void expect_exact(const Algorithm& algorithm, const CollectiveSpec& spec, bool in_place) {
    SCOPED_TRACE(described(algorithm.operation->name, algorithm.name, spec, in_place));
    KnownVectors vectors(*algorithm.operation, spec, in_place);
    Collective collective(world(), algorithm, spec);
    const std::int64_t scheduled =
        scheduled_bytes(algorithm, world().topology(), world().rank(), spec);
    for (int round = 1; round <= 2; ++round) {
        vectors.refill();
        collective.start(vectors.input(), vectors.output());
        collective.wait();
        EXPECT_EQ(vectors.wrong_elements(), 0);
        EXPECT_TRUE(vectors.input_is_kept());
        if (algorithm.name != automatic) {  // which sends what its choice does
            EXPECT_EQ(collective.bytes_sent(), round * scheduled);
        }
    }
}

template <class Visit>
void for_all_algorithms(Visit&& visit) {
    for (const auto& operation : operations()) {
        for (const auto& name : algorithms_for(operation)) visit(find_algorithm(operation, name));
    }
}

CollectiveSpec even(std::int64_t count, ElementType type = ElementType::fp32, int root = 0) {
    return {{count, type, Reduction::sum}, root, {}};
}

TEST(Collective, IsExactInPlaceAndNot) {
    const std::int64_t size = world().size();
    for_all_algorithms([&](const Algorithm& algorithm) {
        for (const std::int64_t share : {0, 1, 17, 1003}) {
            for (const bool in_place : {false, true}) {
                expect_exact(algorithm, even(share * size), in_place);
            }
        }
    });
}

TEST(Collective, TakesLengthsThatDoNotDivide) {
    for_all_algorithms([&](const Algorithm& algorithm) {
        if (algorithm.equal_shares_only) return;
        for (const std::int64_t count : {1, 2, 5, 10007}) {
            for (const bool in_place : {false, true}) {
                expect_exact(algorithm, even(count, ElementType::bf16), in_place);
            }
        }
    });
}

TEST(Collective, TakesAnyRoot) {
    for_all_algorithms([&](const Algorithm& algorithm) {
        if (!algorithm.operation->rooted) return;
        for (int root = 1; root < world().size(); ++root) {
            const std::int64_t count = 100 * world().size();
            for (const bool in_place : {false, true}) {
                expect_exact(algorithm, even(count, ElementType::fp64, root), in_place);
            }
        }
    });
}

CollectiveSpec uneven(Sharing sharing) {
    const int size = world().size();
    CollectiveSpec spec = even(0);
    const int shares = sharing == Sharing::by_rank ? size : size * size;
    for (int i = 0; i < shares; ++i) spec.shares.push_back(37 * i % 11 * 3);
    spec.vector.count = std::accumulate(spec.shares.begin(), spec.shares.end(), std::int64_t{0});
    return spec;
}

TEST(Collective, TakesUnevenShares) {
    for_all_algorithms([&](const Algorithm& algorithm) {
        const Sharing sharing = algorithm.operation->sharing;
        const bool has_shares = sharing == Sharing::by_rank || sharing == Sharing::by_pair;
        if (!has_shares || algorithm.equal_shares_only) return;
        for (const bool in_place : {false, true}) {
            expect_exact(algorithm, uneven(sharing), in_place);
        }
    });
}

TEST(Collective, ALargeVectorTravelsInSegments) {
    const std::int64_t size = world().size();
    for_all_algorithms([&](const Algorithm& algorithm) {
        expect_exact(algorithm, even(300007 / size * size), /*in_place=*/true);
    });
}

TEST(Collective, RefusesWhatDoesNotFit) {
    const auto message_of = [](const char* operation, const char* name,
                               const CollectiveSpec& spec) -> std::string {
        try {
            Collective(world(), operation, name, spec);
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_NE(message_of("all_refuse", "ring", even(1)).find("unknown operation 'all_refuse'"),
              std::string::npos);
    EXPECT_NE(message_of("all_gather", "wring", even(1)).find("use "), std::string::npos);
    EXPECT_NE(message_of("broadcast", "binomial_tree", even(1, ElementType::fp32, 99)).find("99"),
              std::string::npos);
    CollectiveSpec short_shares = even(10);
    short_shares.shares.assign(static_cast<std::size_t>(world().size()), 1);
    short_shares.shares.front() = 1000;
    EXPECT_NE(message_of("all_gather", "ring", short_shares).find("shares"), std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
