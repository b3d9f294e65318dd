// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of the clocks of nodes.
#include "results/schema/node_clocks.hpp"

namespace shardstone::results {

const TableSchema<ClockSampleRow> ClockSampleRow::schema{
    "clock_samples",
    Role::samples,
    "One reading of the clock of the day of a node, by messages to its first rank.",
    {{"rank", "1", "Rank whose clock was read.", &Row::rank, 3},
     {"round", "1", "0: before the other tests; 1: after them.", &Row::round, 3},
     {"at_unix_s", "s", "When, since 1970 by rank 0's clock.", &Row::at_unix_s, 3},
     {"ahead_s", "s", "How far it is ahead of rank 0's clock.", &Row::ahead_s, 3},
     {"error_s", "s",
      "By which that may be wrong either way: half of the exchange of messages that read it.",
      &Row::error_s, 3}}};

const TableSchema<ClockRow> ClockRow::schema{
    "clocks",
    Role::derived,
    "The clock of the day of a node, beside rank 0's.",
    {{"rank", "1", "First rank of the node.", &Row::rank, 3},
     {"host", "", "Host name of the node.", &Row::host, 3},
     {"readings", "1", "Number of readings.", &Row::readings, 3},
     {"offset_s", "s",
      "Most that it was off at either round, either way: the larger |ahead_s| + error_s of the "
      "rounds' surest readings. A bound, not an estimate.",
      &Row::offset_s, 3},
     {"ahead_s", "s", "How far it is ahead, by the surest reading of the last round.",
      &Row::ahead_s, 3},
     {"error_s", "s", "By which that may be wrong either way.", &Row::error_s, 3},
     {"drift", "1",
      "Seconds that it gains on rank 0's in a second, from the surest reading before the other "
      "tests to the surest one after them.",
      &Row::drift, 3},
     {"drift_error", "1", "By which that may be wrong either way.", &Row::drift_error, 3}}};

}  // namespace shardstone::results
