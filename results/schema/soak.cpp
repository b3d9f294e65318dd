// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of a soak of the interconnect, and of the conditions of its validation.
#include "results/schema/soak.hpp"

#include "results/schema/disturbance.hpp"

namespace shardstone::results {

const TableSchema<ConditionsRow> ConditionsRow::schema{
    "conditions", Role::samples,
    "What else one machine did during one part of the tests of pairs and ranks.",
    with_disturbance<Row>(
        {{"part", "",
          "passes over pairs, loads of the network, traffic, tests of ranks, or a window of a "
          "soak.",
          &Row::part, 3},
         {"machine", "1", "The machine, as in table rank_places.", &Row::machine, 3}},
        3)};

const TableSchema<SoakWindowRow> SoakWindowRow::schema{
    "soak_windows",
    Role::samples,
    "All messages of one pair, direction and size in some successive passes of a soak.",
    {{"window", "1", "Window, from 0.", &Row::window, 3},
     {"sender", "1", "Rank that sent them.", &Row::sender, 3},
     {"receiver", "1", "Rank that acknowledged them.", &Row::receiver, 3},
     {"size_bytes", "B", "Size of a message.", &Row::size_bytes, 3},
     {"first_pass", "1", "Its first pass over all pairs, from 0.", &Row::first_pass, 3},
     {"passes", "1", "Number of passes, with one message each.", &Row::passes, 3},
     {"begin_unix_s", "s", "When the window began, since 1970 by rank 0's clock.",
      &Row::begin_unix_s, 3},
     {"end_unix_s", "s", "When it ended.", &Row::end_unix_s, 3},
     {"mean_s", "s", "Mean time, from the start of a send to the arrival of its acknowledgement.",
      &Row::mean_s, 3},
     {"shortest_s", "s", "Shortest of these times.", &Row::shortest_s, 3},
     {"longest_s", "s", "Longest.", &Row::longest_s, 3},
     {"slow", "1", "Messages that belong to table slow_messages.", &Row::slow, 3}}};

const TableSchema<SlowMessageRow> SlowMessageRow::schema{
    "slow_messages",
    Role::samples,
    "A message of a soak that took over 1.2 times the median of the passes before the soak, or a "
    "second more than it.",
    {{"sender", "1", "Rank that sent it.", &Row::sender, 3},
     {"receiver", "1", "Rank that acknowledged it.", &Row::receiver, 3},
     {"round", "1", "Pairs of the same round and pass were tested at the same time.", &Row::round,
      3},
     {"size_bytes", "B", "Size of the message.", &Row::size_bytes, 3},
     {"pass", "1", "Pass of the soak over all pairs, from 0.", &Row::pass, 3},
     {"unix_s", "s", "When it was sent, since 1970 by rank 0's clock.", &Row::unix_s, 3},
     {"time_s", "s", "From the start of the send to the arrival of the acknowledgement.",
      &Row::time_s, 3}}};

const TableSchema<LongWaitRow> LongWaitRow::schema{
    "long_waits",
    Role::samples,
    "A time of a second or more in which a rank waited for a message, during a soak.",
    {{"rank", "1", "Rank that waited.", &Row::rank, 3},
     {"awaited", "1", "Rank whose message it waited for; -1 if it waited for room to send.",
      &Row::awaited, 3},
     {"stage", "1",
      "What it was at: ranks that do the same have the same number, which ascends. Who awaits a "
      "rank that is at that or a later stage waits for the network.",
      &Row::stage, 3},
     {"step", "1", "Step of a collective call in the stage; ascends likewise.", &Row::step, 3},
     {"round", "1", "Its round of pairs, as in slow_messages; -1 if it was between two passes.",
      &Row::round, 3},
     {"size_bytes", "B",
      "Size of the messages of the pair under test; 0 where ranks met for a round or a pass.",
      &Row::size_bytes, 3},
     {"pass", "1", "Pass of the soak that ended after it.", &Row::pass, 3},
     {"begin_unix_s", "s", "When it had waited for 0.1 s at most, since 1970 by rank 0's clock.",
      &Row::begin_unix_s, 3},
     {"end_unix_s", "s", "When it had what it waited for.", &Row::end_unix_s, 3},
     {"no_core_s", "s", "Of this time, that in which it was ready to run, but on no core.",
      &Row::no_core_s, 3}}};

const TableSchema<StandstillRow> StandstillRow::schema{
    "standstills",
    Role::samples,
    "A time of a second or more in which a rank neither ran nor waited for a core, during a soak.",
    {{"rank", "1", "The rank.", &Row::rank, 3},
     {"pass", "1", "Pass of the soak that ended after it.", &Row::pass, 3},
     {"begin_unix_s", "s", "When it last ran, since 1970 by rank 0's clock.", &Row::begin_unix_s,
      3},
     {"end_unix_s", "s", "When it ran again.", &Row::end_unix_s, 3},
     {"still_s", "s", "Time in which it neither ran nor waited for a core.", &Row::still_s, 3},
     {"stolen_s", "s", "Time that the hypervisor took from its machine's cores meanwhile.",
      &Row::stolen_s, 3}}};

const TableSchema<EpisodeRow> EpisodeRow::schema{
    "episodes",
    Role::derived,
    "A time of a soak in which a link or rank was slow, wrong or silent.",
    {{"fault", "", "slow, wrong or silent.", &Row::fault, 3},
     {"subject", "", "What was: n2 (node 1 of the run), outgoing; rank 3 on n4; a pair.",
      &Row::subject, 3},
     {"node", "1", "Its node, if it belongs to one.", &Row::node, 3},
     {"host", "", "Host name of the node.", &Row::host, 3},
     {"direction", "", "outgoing or incoming, if only one is meant.", &Row::direction, 3},
     {"begin", "", "When the first such message was sent, or the rank last ran (UTC).", &Row::begin,
      3},
     {"end", "", "When the last of them was acknowledged, or the rank ran again.", &Row::end, 3},
     {"begin_unix_s", "s", "The first of them, since 1970 by rank 0's clock.", &Row::begin_unix_s,
      3},
     {"end_unix_s", "s", "The second.", &Row::end_unix_s, 3},
     {"size_bytes", "B", "Size of the messages that show it.", &Row::size_bytes, 3},
     {"passes", "1", "Passes over all pairs meanwhile.", &Row::passes, 3},
     {"messages", "1", "Messages that were slow or wrong.", &Row::messages, 3},
     {"slowdown", "1", "Median over them of the time over the usual of their pair.", &Row::slowdown,
      3},
     {"no_core_s", "s",
      "Of a silent link, how long its two ranks together were ready to run, but on no core.",
      &Row::no_core_s, 3},
     {"log10_odds", "1",
      "Decimal logarithm of the odds against chance, of slow ones; data are never wrong by chance.",
      &Row::log10_odds, 3},
     {"suspected", "1",
      "1 if the cluster fails for it; 0 if most of the cluster, or its machine, stood still or was "
      "slow at that time, if what others took of the cores may be why, or if it was slow for less "
      "than a second, and in all such episodes for less than 1 % of the soak or than most of the "
      "cluster was.",
      &Row::suspected, 3},
     {"disturbed", "1", "1 if others took over 5 % of the cores of its machine meanwhile, else 0.",
      &Row::disturbed, 3}}};

}  // namespace shardstone::results
