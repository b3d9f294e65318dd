// SPDX-License-Identifier: BSD-3-Clause
// Datagrams that anybody may send to the watchdogs' port: a notice of this job, or nothing.
#include <cmath>
#include <cstring>

#include "collectives/watchdog/notice.hpp"
#include "validation/fuzz/trial.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr std::uint64_t token = 0x0123456789abcdefULL;
constexpr int ranks = 8;

std::vector<std::string> good_datagrams() {
    std::vector<std::string> datagrams;
    for (const auto kind :
         {Notice::Kind::beat, Notice::Kind::left, Notice::Kind::alarm, Notice::Kind::waiters}) {
        datagrams.push_back(
            to_datagram({kind, ranks - 1, 2.5, "rank 7 waits for rank 3\n"}, token));
    }
    datagrams.push_back(to_datagram({Notice::Kind::beat, 0, INFINITY, ""}, token));
    datagrams.push_back(to_datagram({Notice::Kind::alarm, 0, 0, std::string(1 << 16, 'x')}, token));
    return datagrams;
}

TEST(NoticeFuzz, StrangersDatagramsAreNoNotices) {
    Mutator mutator(good_datagrams(), nasty_words(), 51);
    Counts counts;
    for_each_input([&] {
        std::string bytes = mutator.next();
        // Most mutations hit the long text: some of the 24 bytes before it, too.
        if (mutator.below(2) == 0 && bytes.size() >= 24) {
            bytes[8 + mutator.below(16)] = static_cast<char>(mutator.below(256));
        }
        const std::optional<Notice> notice = from_datagram(bytes, token, ranks);
        (notice ? counts.accepted : counts.refused) += 1;
        if (!notice) return;
        ASSERT_EQ(std::memcmp(bytes.data(), &token, sizeof token), 0);
        ASSERT_TRUE(notice->rank >= 0 && notice->rank < ranks) << notice->rank;
        ASSERT_GE(notice->seconds, 0.0);
        ASSERT_LE(notice->kind, Notice::Kind::waiters);
        const auto again = from_datagram(to_datagram(*notice, token), token, ranks);
        ASSERT_TRUE(again.has_value());
        ASSERT_EQ(again->text, notice->text);
        ASSERT_EQ(again->rank, notice->rank);
        ASSERT_EQ(again->kind, notice->kind);
    });
    expect_both("notices", counts, 20);
}

TEST(NoticeFuzz, WithoutTheTokenNothingIsANotice) {
    Mutator mutator(good_datagrams(), nasty_words(), 52);
    for_each_input([&] {
        const std::string bytes = mutator.next();
        ASSERT_FALSE(from_datagram(bytes, token ^ (std::uint64_t{1} << mutator.below(64)), ranks) &&
                     from_datagram(bytes, token, ranks));
    });
}

}  // namespace
}  // namespace shardstone::validation
