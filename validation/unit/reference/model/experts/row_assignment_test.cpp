// SPDX-License-Identifier: BSD-3-Clause
// Which row each choice of an expert gets: by hand, and against what the oracle lets through.
#include "reference/model/experts/row_assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "validation/oracle/experts.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

using reference::ExpertPart;
using Indices = std::vector<std::int32_t>;

/// Three experts, two for each of three positions of two sequences.
ExpertPart small_part(std::int64_t slots) {
    return {.experts = 3,
            .top_k = 2,
            .own = {0, 3},
            .sequences = 2,
            .length = 3,
            .positions = 3,
            .slots = slots};
}
const Indices small_choices{0, 1, 0, 2, 0, 1, 2, 0, 2, 1, 0, 2};

struct Assigned {
    Indices rows;
    double dropped = 0;
};

Assigned assign(const ExpertPart& part, const Indices& choices) {
    Indices from = choices, rows(choices.size(), -7);
    double dropped = 100.0;  // is added to
    reference::assign_rows(HostQueue(), part, matrix(from.data(), part.rows(), part.top_k),
                           matrix(rows.data(), part.rows(), part.top_k), &dropped);
    return {rows, dropped - 100.0};
}

// Of every expert's four rows, which begin at 0, 4 and 8, a sequence has two.
TEST(RowAssignment, WithACapacityTheFirstOfEachSequenceHaveRows) {
    const Assigned assigned = assign(small_part(2), small_choices);
    EXPECT_EQ(assigned.rows, (Indices{0, 4, 1, 8, -1, 5, 10, 2, 11, 6, 3, -1}));
    EXPECT_EQ(assigned.dropped, 2);
}

TEST(RowAssignment, WithoutACapacityRowsFollowEachOtherByExpert) {
    const Assigned assigned = assign(small_part(0), small_choices);
    EXPECT_EQ(assigned.rows, (Indices{0, 5, 1, 8, 2, 6, 9, 3, 10, 7, 4, 11}));
    EXPECT_EQ(assigned.dropped, 0);
}

TEST(RowAssignment, CountsThePicksOfEachSequence) {
    Indices choices = small_choices;
    std::vector<double> picks(6, -7.0);
    reference::count_picks<double>(HostQueue(), small_part(2), matrix(choices.data(), 6, 2),
                                   matrix(picks.data(), 2, 3));
    EXPECT_EQ(picks, (std::vector<double>{3, 2, 1, 2, 1, 3}));
}

/// Random choices of K of E, and which of them a capacity lets through, by the oracle.
struct Chosen {
    Chosen(Size experts, Size top_k, double capacity)
        : sizes{3, 20, {experts, top_k, capacity, 0.0, 0.0}},
          routing(oracle::route(sizes, random_values(sizes.rows() * experts, "logits"))),
          choices(routing.chosen.begin(), routing.chosen.end()),
          part{.experts = experts,
               .top_k = top_k,
               .own = {0, experts},
               .sequences = sizes.batch,
               .length = sizes.sequence,
               .positions = sizes.sequence,
               .slots = sizes.experts.slots(sizes.sequence)} {}

    oracle::RouterSizes sizes;
    oracle::Routing routing;
    Indices choices;
    ExpertPart part;
};

/// The expert that a row of the sent ones belongs to.
std::int64_t owner_of(const Chosen& of, std::int32_t row) {
    if (of.part.has_capacity()) return row / of.part.rows_of_expert();
    std::int64_t end = 0;
    for (std::int32_t expert = 0; expert < of.part.experts; ++expert) {
        end += std::ranges::count(of.choices, expert);
        if (row < end) return expert;
    }
    return -1;
}

TEST(RowAssignment, GivesRowsToWhatTheOracleLetsThrough) {
    for (const Size top_k : {1, 2, 5}) {
        for (const double capacity : {0.0, 0.5, 1.0, 3.0}) {
            const Chosen of(5, top_k, capacity);
            const Assigned assigned = assign(of.part, of.choices);
            EXPECT_EQ(assigned.dropped, std::ranges::count(of.routing.accepted, false));
            Indices taken;
            for (std::size_t i = 0; i < assigned.rows.size(); ++i) {
                const std::int32_t row = assigned.rows[i];
                EXPECT_EQ(row >= 0, of.routing.accepted[i]) << top_k << " of 5, choice " << i;
                if (row < 0) continue;
                EXPECT_LT(row, of.part.sent_rows());
                EXPECT_EQ(owner_of(of, row), of.choices[i]);
                taken.push_back(row);
            }
            std::ranges::sort(taken);
            EXPECT_TRUE(std::ranges::adjacent_find(taken) == taken.end()) << "a row is given twice";
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
