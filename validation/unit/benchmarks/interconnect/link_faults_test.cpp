// SPDX-License-Identifier: BSD-3-Clause
// What happens to messages of pair tests on their way is seen in all of them, and not timed.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "benchmarks/interconnect/link_pass.hpp"
#include "benchmarks/interconnect/victim.hpp"
#include "validation/unit/declared_nodes.hpp"
#include "validation/unit/watched_sends.hpp"

namespace shardstone::validation {
namespace {

using benchmarks::LinkPass;
using benchmarks::LinkPasses;

/// Sizes that no other message has: several in a row, and one alone.
constexpr std::int64_t short_bytes = 1032, long_bytes = 66'056;

bool is_data(const LeavingMessage& message) {
    return message.data.size() == short_bytes || message.data.size() == long_bytes;
}

/// A pass in which `fault` sees what rank 0 sends to rank 1, in order from 0.
LinkPass pass_with(LinkPasses& passes, const std::function<void(int, LeavingMessage&)>& fault) {
    int messages = 0;
    const WatchedSends watched([&](LeavingMessage& message) {
        if (world().rank() == 0 && is_data(message)) fault(messages++, message);
    });
    return passes.run();
}

std::int64_t first_step_of_rank_0(const LinkPass& pass) {
    for (const auto& sample : pass.samples) {
        if (sample.sender == 0) return sample.step;
    }
    return -1;
}

TEST(LinkFaults, AFlippedBitInAnyMessageOfARowIsLocated) {
    for (const std::int64_t size_bytes : {short_bytes, long_bytes}) {
        LinkPasses passes(world(), collectives::DataMemory::host, {{{0, 1}}}, {size_bytes});
        const auto last = static_cast<std::size_t>(size_bytes) / sizeof(std::uint64_t) - 1;
        for (int flipped = 0; flipped < benchmarks::messages_of(size_bytes); ++flipped) {
            for (const std::size_t element : {std::size_t{0}, last}) {
                SCOPED_TRACE(testing::Message() << "message " << flipped << ", element " << element
                                                << " of " << last + 1);
                const auto found = pass_with(passes, [&](int number, LeavingMessage& message) {
                    if (number == flipped) message.altered()[element] ^= 1U << 5U;
                });
                if (!world().is_root()) continue;
                ASSERT_EQ(found.wrong.size(), 1u);
                EXPECT_EQ(found.wrong[0].message.step, first_step_of_rank_0(found) + flipped);
                EXPECT_EQ(found.wrong[0].elements, 1);
                EXPECT_EQ(found.wrong[0].first, static_cast<std::int64_t>(element));
            }
        }
    }
}

TEST(LinkFaults, AMessageThatComesInPlaceOfTheNextIsSeen) {
    LinkPasses passes(world(), collectives::DataMemory::host, {{{0, 1}}}, {short_bytes});
    std::vector<std::byte> before;
    const auto found = pass_with(passes, [&](int number, LeavingMessage& message) {
        if (number == 4) message.in_place = before;
        if (number == 3) before.assign(message.data.begin(), message.data.end());
    });
    if (!world().is_root()) return;
    ASSERT_EQ(found.wrong.size(), 1u);
    EXPECT_EQ(found.wrong[0].message.step, first_step_of_rank_0(found) + 4);
    EXPECT_EQ(found.wrong[0].elements, short_bytes / 8);
}

/// A message of before can then not pass for the one that is awaited.
class Contents {
  public:
    void note(const LeavingMessage& message) {
        if (!is_data(message)) return;
        ++messages_;
        std::uint64_t first = 0;
        std::memcpy(&first, message.data.data(), sizeof(first));
        firsts_.insert(first);
    }
    /// Messages whose contents no other has.
    void expect_all_different(std::size_t messages) const {
        EXPECT_EQ(messages_, messages);
        EXPECT_EQ(firsts_.size(), messages);
    }

  private:
    std::size_t messages_ = 0;
    std::set<std::uint64_t> firsts_;
};

TEST(LinkFaults, NoTwoMessagesOfPassesAreAlike) {
    LinkPasses passes(world(), collectives::DataMemory::host, {{{0, 1}}, {{0, 1}}},
                      {short_bytes, long_bytes});
    Contents contents;
    {
        const WatchedSends watched([&](LeavingMessage& message) { contents.note(message); });
        for (int pass = 0; pass < 3; ++pass) passes.run();
    }
    contents.expect_all_different(3 * 2 * 9);
}

TEST(LinkFaults, NoTwoMessagesOfAVictimAreAlike) {
    const DeclaredNodes nodes(1);
    benchmarks::Victim victim(world(), collectives::DataMemory::host, {0, 1},
                              {short_bytes, long_bytes});
    std::vector<benchmarks::VictimSample> samples;
    std::vector<benchmarks::WrongLinkData> wrong;
    Contents contents;
    {
        const WatchedSends watched([&](LeavingMessage& message) { contents.note(message); });
        for (int run = 0; run < 3; ++run) victim.run(false, samples, wrong);
    }
    contents.expect_all_different(3 * 9);
    EXPECT_EQ(samples.size(), 3u * 9u);
    EXPECT_TRUE(wrong.empty());
}

TEST(LinkFaults, AReceiverThatIsLateIsNotTimed) {
    constexpr std::chrono::milliseconds late{700};
    LinkPasses passes(world(), collectives::DataMemory::host, {{{0, 1}}}, {long_bytes});
    const WatchedSends watched([&](LeavingMessage& message) {
        if (world().rank() == 1 && message.data.size() == 1) std::this_thread::sleep_for(late);
    });
    for (const auto& sample : passes.run().samples) {
        EXPECT_LT(sample.time_s, std::chrono::duration<double>(late).count())
            << "from rank " << sample.sender;
    }
}

// Six of the eight are as fast as ever.
TEST(LinkFaults, AMessageOfARowThatWasHeldUpIsNotTheSample) {
    constexpr std::chrono::milliseconds held_up{700};
    LinkPasses passes(world(), collectives::DataMemory::host, {{{0, 1}}}, {short_bytes});
    const auto found = pass_with(passes, [&](int number, LeavingMessage&) {
        if (number == 0 || number == 7) std::this_thread::sleep_for(held_up);
    });
    if (!world().is_root()) return;
    ASSERT_EQ(found.samples.size(), 2u);
    for (const auto& sample : found.samples) {
        EXPECT_LT(sample.time_s, std::chrono::duration<double>(held_up).count())
            << "from rank " << sample.sender;
    }
}

}  // namespace
}  // namespace shardstone::validation
