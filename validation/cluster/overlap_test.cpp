// SPDX-License-Identifier: BSD-3-Clause
// Overlap leaves losses and weights as they were; its figures and checks are right round by round.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "benchmarks/training/overlap_record.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/trainer/synthetic_language.hpp"

namespace shardstone::validation {
namespace {

using namespace benchmarks;

OverlapSetup small_setup(int zero) {
    OverlapSetup setup;
    setup.options.model = reference::gpt_preset("nano");
    setup.options.plan = reference::parse_plan(fmt::format("dp={},zero={}", world().size(), zero));
    setup.options.batch = {2 * world().size(), 1, 16};
    setup.options.communication.bucket_bytes = 20000;
    setup.rounds = 2;
    setup.most_warmup_rounds = 1;
    return setup;
}

std::int64_t failures(const OverlapTiming& timing, std::optional<double> limit) {
    return std::ranges::count(checks_of(world(), timing, limit), false, &results::Check::passed);
}

TEST(Overlap, ChangesNothingThatIsTrained) {
    const auto text = text_in(reference::MarkovLanguage(1, 16, 1), 5000, 0);
    for (const int zero : {0, 1, 2, 3}) {
        const auto timing = time_overlap(world(), small_setup(zero), text);
        EXPECT_EQ(failures(timing, {}), 0) << "ZeRO " << zero;
        EXPECT_EQ(timing.apart.exposed_s.size(), 2U);
        EXPECT_GT(timing.sent_bytes, 0);
        EXPECT_GT(*std::ranges::min_element(timing.apart.exposed_s), 0.0);
    }
}

OverlapTiming by_hand() {
    OverlapTiming timing;
    timing.apart = {{9, 9, 9}, {4, 4, 10}, {5, 5, 5}, {}, {}};
    timing.overlapped = {{6, 6, 6}, {1, 2, 5}, {5, 5, 5}, {}, {}};
    return timing;
}

TEST(Overlap, FiguresAreRoundByRound) {
    const auto ratio = by_hand().exposed_ratio();
    EXPECT_EQ(ratio.rounds, (std::vector{0.25, 0.5, 0.5}));
    EXPECT_EQ(ratio.median, 0.5);
    EXPECT_FALSE(ratio.interval);  // of three rounds
    // In the last round only 5 s of the 10 s could hide behind the computation.
    EXPECT_EQ(by_hand().hidden_share().rounds, (std::vector{0.75, 0.5, 1.0}));
}

// A quiet machine cannot hide more than there is: then the figure is an error of ours.
TEST(Overlap, MoreThanAllOfItIsAFailedCheckWhereTheMachineWasQuiet) {
    OverlapTiming timing = by_hand();
    timing.apart.compute_s = {2, 2, 2};  // 3, 2 and 5 s were hidden
    EXPECT_EQ(failures(timing, {}), 1);
    timing.watched.surroundings.others_share = 0.5;
    EXPECT_EQ(failures(timing, {}), 0);
}

TEST(Overlap, ChecksSeeWhatIsWrong) {
    EXPECT_EQ(failures(by_hand(), 0.5), 0);
    EXPECT_EQ(failures(by_hand(), 0.4), 1);
    for (auto spoil : {+[](OverlapTiming& t) { t.same->losses = false; },
                       +[](OverlapTiming& t) { t.same->weights = false; },
                       +[](OverlapTiming& t) { t.sent_bytes += world().is_root() ? 1 : 0; }}) {
        OverlapTiming timing = by_hand();
        spoil(timing);
        EXPECT_EQ(failures(timing, 0.5), 1);
    }
}

// Zeros would be equal on both sides, whatever overlap does.
TEST(Overlap, OfPacedTrainingsNothingThatIsTrainedIsChecked) {
    const auto text = text_in(reference::MarkovLanguage(1, 16, 1), 5000, 0);
    OverlapSetup setup = small_setup(3);
    setup.options.pace = reference::Pace{1e12, 1e12};
    OverlapTiming timing = time_overlap(world(), setup, text);
    EXPECT_FALSE(timing.same);
    EXPECT_GT(timing.sent_bytes, 0);
    for (const auto& check : checks_of(world(), timing, {})) {
        EXPECT_EQ(check.name.find("bitwise"), std::string::npos) << check.name;
        EXPECT_TRUE(check.passed || check.name.find("hidden") != std::string::npos) << check.name;
    }
    timing.sent_bytes += 1;
    EXPECT_GE(failures(timing, {}), 1);
}

/// Six rounds, the fewest that have an interval: from the least to the most.
TEST(Overlap, TheLimitHoldsForTheWholeInterval) {
    OverlapTiming timing;
    timing.apart = {{29, 29, 29, 29, 29, 29}, {20, 20, 20, 20, 20, 20}, {9, 9, 9, 9, 9, 9}, {}, {}};
    timing.overlapped = {{15, 16, 17, 17, 18, 21}, {6, 7, 8, 8, 9, 12}, {9, 9, 9, 9, 9, 9}, {}, {}};
    EXPECT_EQ(timing.exposed_ratio().median, 0.4);
    EXPECT_EQ(timing.exposed_ratio().upper(), 0.6);
    EXPECT_EQ(failures(timing, 0.5), 1);
    EXPECT_EQ(failures(timing, 0.6), 0);
}

}  // namespace
}  // namespace shardstone::validation
