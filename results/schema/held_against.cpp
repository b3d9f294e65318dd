// SPDX-License-Identifier: BSD-3-Clause
// The table of what was tested, with what it was compared with.
#include "results/schema/held_against.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shardstone::results {

const TableSchema<HeldAgainstRow> HeldAgainstRow::schema{
    "held_against",
    Role::derived,
    "What was tested, and what it was held against for the verdict.",
    {{"what", "",
      "Messages of one path, work of ranks, traffic, NICs without a test, a limited quantity with "
      "its statistic.",
      &Row::what, 3},
     {"size_bytes", "B", "Size of the messages; not a number of what has none.", &Row::size_bytes,
      3},
     {"tests", "1",
      "Pairs and directions, ranks, or kinds of traffic that were compared; not a number of "
      "limits and of NICs.",
      &Row::tests, 3},
     {"between_nodes", "1",
      "1 of messages of pairs between nodes (of a soak: of some), and of limits on their time or "
      "rate; else 0.",
      &Row::between_nodes, 3},
     {"against", "",
      "median: of all of its kind in this cluster; limit: of the acceptance file; prediction: by "
      "the cluster description; itself: earlier messages of the same pair; nothing.",
      &Row::against, 3},
     {"why", "", "Why it could not be compared, of nothing; which messages, of itself; else empty.",
      &Row::why, 3}}};

const TableSchema<TestTimeRow> TestTimeRow::schema{
    "test_time",
    Role::samples,
    "How long the tests took, those of a soak left out.",
    {{"budget_s", "s", "What was asked for (--budget).", &Row::budget_s, 3},
     {"took_s", "s", "What they took.", &Row::took_s, 3},
     {"parts", "", "Of that, the time of each part.", &Row::parts, 3},
     {"deciding_s", "s",
      "Budget with which the limits that need more samples would be decided, by that time; not a "
      "number if there are none, or no budget decides them.",
      &Row::deciding_s, 3}}};

bool is_of_gpu(const RankSampleRow& turn) {
    return turn.test.starts_with("GPU ");
}

std::string not_tested(std::span<const RankPlaceRow> places, std::span<const RankSampleRow> turns,
                       bool has_messages) {
    if (places.empty() || places.front().gpu.empty()) return never_tested;
    return fmt::format(
        "{}links between memories of hosts (messages go through NCCL from GPU memory), {}",
        has_messages ? "" : "links between GPUs, ",
        std::ranges::any_of(turns, is_of_gpu) ? "GPUs under lasting load"
                                              : "computations and copies of GPUs");
}

}  // namespace shardstone::results
