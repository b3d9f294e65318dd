// SPDX-License-Identifier: BSD-3-Clause
// The table of what was tested, with what it was compared with.
#include "results/schema/held_against.hpp"

namespace shardstone::results {

const TableSchema<HeldAgainstRow> HeldAgainstRow::schema{
    "held_against",
    Role::derived,
    "What was tested, and what it was held against for the verdict.",
    {{"what", "",
      "Messages of one path, work of ranks, traffic, NICs without a test, a limited quantity.",
      &Row::what, 3},
     {"size_bytes", "B", "Size of the messages; not a number of what has none.", &Row::size_bytes,
      3},
     {"tests", "1",
      "Pairs and directions, ranks, or kinds of traffic that were compared; not a number of "
      "limits and of NICs.",
      &Row::tests, 3},
     {"between_nodes", "1",
      "1 of messages of pairs between nodes, and of limits on their time or rate; else 0.",
      &Row::between_nodes, 3},
     {"against", "",
      "median: of all of its kind in this cluster; limit: of the acceptance file; prediction: by "
      "the cluster description; itself: earlier messages of the same pair; nothing.",
      &Row::against, 3},
     {"why", "", "Why it could not be compared, of nothing; which messages, of itself; else empty.",
      &Row::why, 3}}};

}  // namespace shardstone::results
