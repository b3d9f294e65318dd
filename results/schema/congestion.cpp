// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of messages under loads of the network.
#include "results/schema/congestion.hpp"

namespace shardstone::results {

const TableSchema<CongestionSampleRow> CongestionSampleRow::schema{
    "congestion_samples",
    Role::samples,
    "One acknowledged message between first ranks of two nodes, under a load of the network.",
    {{"load", "",
      "alone; pairs at once (all pairs between two halves of the nodes); victim alone (the first "
      "pair); victim beside an all-to-all (of the ranks of all other nodes).",
      &Row::load, 3},
     {"sender", "1", "Rank that sent it.", &Row::sender, 3},
     {"receiver", "1", "Rank that acknowledged it.", &Row::receiver, 3},
     {"pass", "1", "Pass over all loads, from 0.", &Row::pass, 3},
     {"size_bytes", "B", "Size of the message.", &Row::size_bytes, 3},
     {"time_s", "s",
      "From the start of the send to the arrival of the acknowledgement, which has no data.",
      &Row::time_s, 3}}};

const TableSchema<CongestionRow> CongestionRow::schema{
    "congestion",
    Role::derived,
    "One pair in one direction under a load of the network, beside itself alone.",
    {{"load", "", "pairs at once, or victim beside an all-to-all.", &Row::load, 3},
     {"sender", "1", "Rank that sent.", &Row::sender, 3},
     {"receiver", "1", "Rank that received.", &Row::receiver, 3},
     {"size_bytes", "B", "Size of the message.", &Row::size_bytes, 3},
     {"samples", "1", "Number of samples under the load.", &Row::samples, 3},
     {"alone_s", "s", "Median time alone.", &Row::alone_s, 3},
     {"time_s", "s", "Median time under the load.", &Row::time_s, 3},
     {"slowdown", "1",
      "Median over passes of the median time under the load over that alone in the same pass.",
      &Row::slowdown, 3},
     {"slowdown_low", "1", "Its 95 % interval over passes, lower end.", &Row::slowdown_low, 3},
     {"slowdown_high", "1", "Upper end.", &Row::slowdown_high, 3},
     {"longest_alone_s", "s", "Longest of its samples alone.", &Row::longest_alone_s, 3},
     {"longest_s", "s", "Longest under the load.", &Row::longest_s, 3},
     {"passes", "1", "Passes that slowdown and its interval are over.", &Row::passes, 3}}};

const TableSchema<BisectionRow> BisectionRow::schema{
    "bisection",
    Role::derived,
    "What the nodes of one half send to those of the other, all at once.",
    {{"direction", "", "first to second half of the nodes, or second to first.", &Row::direction,
      3},
     {"pairs", "1", "Pairs of nodes that send at once.", &Row::pairs, 3},
     {"size_bytes", "B", "Size of their messages.", &Row::size_bytes, 3},
     {"passes", "1", "Number of passes.", &Row::passes, 3},
     {"rate_gb_s", "GB/s", "Sum of the pairs' rates: median over passes.", &Row::rate_gb_s, 3},
     {"rate_low_gb_s", "GB/s", "Its 95 % interval, lower end.", &Row::rate_low_gb_s, 3},
     {"rate_high_gb_s", "GB/s", "Upper end.", &Row::rate_high_gb_s, 3},
     {"alone_gb_s", "GB/s", "Sum of the rates that the pairs have alone: median over passes.",
      &Row::alone_gb_s, 3}}};

}  // namespace shardstone::results
