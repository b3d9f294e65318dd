// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of tests of pairs and ranks, and of what they make suspect.
#include "results/schema/interconnect.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace shardstone::results {

const TableSchema<PairSampleRow> PairSampleRow::schema{
    "pair_samples",
    Role::samples,
    "One acknowledged message of a test of two ranks, in one direction.",
    {{"sender", "1", "Rank that sent it.", &Row::sender, 3},
     {"receiver", "1", "Rank that acknowledged it.", &Row::receiver, 3},
     {"alone", "1", "1 if no other pair was tested at the time, else 0.", &Row::alone, 3},
     {"pass", "1", "Pass over all pairs, from 0.", &Row::pass, 3},
     {"round", "1", "Pairs of the same round were tested at the same time.", &Row::round, 3},
     {"size_bytes", "B", "Size of the message.", &Row::size_bytes, 3},
     {"step", "1", "Step of the (first) message, which its contents depend on.", &Row::step, 3},
     {"at_s", "s", "When it was sent, since the tests began, by the sender's clock.", &Row::at_s,
      3},
     {"time_s", "s",
      "From the start of the send to the arrival of the acknowledgement, which has no data; up to "
      "4 KiB the "
      "shortest of eight in a row.",
      &Row::time_s, 3}}};

const TableSchema<RankSampleRow> RankSampleRow::schema{
    "rank_samples",
    Role::samples,
    "One turn of a rank in a test of ranks.",
    {{"rank", "1", "Rank.", &Row::rank, 3},
     {"test", "",
      "arithmetic (multiply-adds in registers, a GFLOP), memory (a copy of 32 MiB) or wake-up; of "
      "the rank's GPU GPU product (in BF16, a TFLOP), GPU memory (a copy of 128 MiB) or GPU "
      "transfer (32 MiB from pinned memory of the host and back). In older records compute in "
      "place of arithmetic: pieces of a length of the record's own.",
      &Row::test, 3},
     {"turn", "1", "Turn, from 0.", &Row::turn, 3},
     {"at_s", "s", "When it began, since the tests began, by the rank's clock.", &Row::at_s, 3},
     {"time_s", "s",
      "Mean time of its pieces of work, which are the same on all ranks, of a GPU's on its own "
      "clock; of wake-ups the mean excess over a sleep of 1 ms.",
      &Row::time_s, 3}}};

const char* work_in_words(std::string_view test) {
    constexpr std::array works{std::pair("arithmetic", "a GFLOP"),
                               std::pair("memory", "a copy of 32 MiB"),
                               std::pair("wake-up", "the delay of a wake-up"),
                               std::pair("GPU product", "a TFLOP in BF16"),
                               std::pair("GPU memory", "a copy of 128 MiB"),
                               std::pair("GPU transfer", "32 MiB from and to the host")};
    const auto work = std::ranges::find(works, test, [](const auto& one) { return one.first; });
    return work == works.end() ? "the same work" : work->second;
}

const TableSchema<RankPlaceRow> RankPlaceRow::schema{
    "rank_places",
    Role::samples,
    "Where a rank ran.",
    {{"rank", "1", "Rank.", &Row::rank, 3},
     {"node", "1", "Its node.", &Row::node, 3},
     {"host", "", "Host name of the node.", &Row::host, 3},
     {"leaf", "1",
      "Leaf switch of the node, numbered in the order of ranks, if Slurm or SHARDSTONE_LEAF names "
      "it "
      "on all nodes; else -1.",
      &Row::leaf, 3},
     {"sharers", "1",
      "Ranks that share a core with it, itself among them. Where more than one do, short "
      "messages and those inside nodes take as long as ranks wait for a core, and are not judged.",
      &Row::sharers, 3},
     {"rail", "1", "NIC of its node that it uses, by --rails.", &Row::rail, 3},
     {"machine", "1",
      "Lowest rank that the same kernel runs: several nodes may be emulated on one machine.",
      &Row::machine, 3},
     {"nics", "1",
      "Ports of network adapters of its node that are up, at the rate of the fastest; 0 if none "
      "reports a rate.",
      &Row::nics, 3},
     {"gpu", "",
      "GPU whose memory its messages are in (--device cuda), with its address on PCIe; else empty.",
      &Row::gpu, 3},
     {"gpu_unread", "",
      "Why that told nothing of its clock in the tests of ranks; empty where it did.",
      &Row::gpu_unread, 3}}};

const TableSchema<WrongDataRow> WrongDataRow::schema{
    "wrong_data",
    Role::samples,
    "A message that did not arrive as it was sent.",
    {{"sender", "1", "Rank that sent it.", &Row::sender, 3},
     {"receiver", "1", "Rank that received it.", &Row::receiver, 3},
     {"step", "1", "Its step, as in table pair_samples.", &Row::step, 3},
     {"elements", "1", "Elements of 8 bytes that are wrong.", &Row::elements, 3},
     {"first_element", "1", "Position of the first of them.", &Row::first_element, 3},
     {"bits", "1", "Bits of it that are wrong.", &Row::bits, 3},
     {"expected", "", "Its contents as sent, hexadecimal.", &Row::expected, 3},
     {"found", "", "Its contents as received.", &Row::found, 3},
     {"unix_s", "s", "When it was compared, since 1970 by rank 0's clock.", &Row::unix_s, 3}}};

const TableSchema<PairRow> PairRow::schema{
    "pairs",
    Role::derived,
    "One pair of ranks in one direction, with one size of message.",
    {{"sender", "1", "Rank that sent.", &Row::sender, 3},
     {"receiver", "1", "Rank that received.", &Row::receiver, 3},
     {"path", "", "What messages cross; pairs are compared with others of their path.", &Row::path,
      3},
     {"alone", "1", "1 if no other pair was tested at the time, else 0.", &Row::alone, 3},
     {"size_bytes", "B", "Size of the message.", &Row::size_bytes, 3},
     {"samples", "1", "Number of samples.", &Row::samples, 3},
     {"time_s", "s",
      "Median one-way time: of the smallest size half the time to the acknowledgement; of others "
      "that time less half of the smallest size's in the same pass.",
      &Row::time_s, 3},
     {"time_low_s", "s", "Its 95 % interval, lower end.", &Row::time_low_s, 3},
     {"time_high_s", "s", "Upper end.", &Row::time_high_s, 3},
     {"rate_gb_s", "GB/s", "Size over the median time.", &Row::rate_gb_s, 3},
     {"factor", "1", "Median time over the median of all pairs of its path, size and manner.",
      &Row::factor, 3}}};

const TableSchema<PathRow> PathRow::schema{
    "paths",
    Role::derived,
    "Time of a message, alpha + size / rate, on all paths of one kind.",
    {{"path", "", "inside node, between nodes; where leaves are known: same leaf, across leaves.",
      &Row::path, 3},
     {"alone", "1", "1 for pairs tested one at a time, 0 for as many as possible at once.",
      &Row::alone, 3},
     {"tests", "1", "Pairs and directions.", &Row::tests, 3},
     {"alpha_s", "s", "Latency: median over the pairs.", &Row::alpha_s, 3},
     {"alpha_low_s", "s", "Its 95 % interval, lower end.", &Row::alpha_low_s, 3},
     {"alpha_high_s", "s", "Upper end.", &Row::alpha_high_s, 3},
     {"rate_gb_s", "GB/s",
      "Rate without latency: median over the pairs; none if larger messages took no longer.",
      &Row::rate_gb_s, 3},
     {"rate_low_gb_s", "GB/s", "Its 95 % interval, lower end.", &Row::rate_low_gb_s, 3},
     {"rate_high_gb_s", "GB/s", "Upper end; none if some rates are above any bound.",
      &Row::rate_high_gb_s, 3}}};

const TableSchema<SuspectRow> SuspectRow::schema{
    "suspects",
    Role::derived,
    "A part of the network that is slow, or may be, by the tests of pairs.",
    {{"part", "", "The part: NIC 0 of n2 (node 1 of the run), outgoing.", &Row::part, 3},
     {"culprit", "", "Its kind: node, NIC, cable, port, pair, with the direction.", &Row::culprit,
      3},
     {"node", "1", "Its node, if it belongs to one.", &Row::node, 3},
     {"host", "", "Host name of the node.", &Row::host, 3},
     {"size_bytes", "B", "Size of the messages that show it.", &Row::size_bytes, 3},
     {"suspected", "1",
      "1 if the odds make it a suspect, 0 if it is only the likeliest of what is undecided, or if "
      "what others took of the cores may be why.",
      &Row::suspected, 3},
     {"disturbed", "1", "1 if others took over 5 % of the cores of its machine meanwhile, else 0.",
      &Row::disturbed, 3},
     {"slowdown", "1", "Time of the tests that cross it over the usual.", &Row::slowdown, 3},
     {"slowdown_low", "1", "Its 95 % interval, lower end.", &Row::slowdown_low, 3},
     {"slowdown_high", "1", "Upper end.", &Row::slowdown_high, 3},
     {"log10_odds", "1", "Decimal logarithm of the odds that it is at fault against no fault.",
      &Row::log10_odds, 3},
     {"probability", "1", "That it is this part, if one part is at fault.", &Row::probability, 3},
     {"tests", "1", "Tests that cross it and no other suspect.", &Row::tests, 3},
     {"rivals", "", "Other parts that would explain the same, with their probabilities.",
      &Row::rivals, 3}}};

const TableSchema<RankTestRow> RankTestRow::schema{
    "rank_tests",
    Role::derived,
    "One rank in one test of ranks, beside all others.",
    {{"rank", "1", "Rank.", &Row::rank, 3},
     {"test", "", "As in rank_samples.", &Row::test, 3},
     {"turns", "1", "Number of its turns.", &Row::turns, 3},
     {"time_s", "s", "Lower quartile of its turns.", &Row::time_s, 3},
     {"factor", "1", "That over the median of all ranks.", &Row::factor, 3},
     {"noise", "1", "Standard deviation of the factor's logarithm on healthy ranks.", &Row::noise,
      3},
     {"log10_odds", "1", "Decimal logarithm of the odds that it is slow against as fast as others.",
      &Row::log10_odds, 3},
     {"suspected", "1",
      "1 if the odds make it a suspect, unless what others took of the cores may be why; else 0.",
      &Row::suspected, 3},
     {"disturbed", "1", "1 if others took over 5 % of the cores of its machine meanwhile, else 0.",
      &Row::disturbed, 3}}};

const TableSchema<AcceptanceRow> AcceptanceRow::schema{
    "acceptance",
    Role::derived,
    "A limit of the acceptance file, and what was measured of it where that is worst.",
    {{"quantity", "", "What is limited.", &Row::quantity, 3},
     {"statistic", "",
      "median, mean or a percentile: of times what so many per cent are within, of rates what so "
      "many reach; of samples of latency that up to 4 KiB are each the shortest "
      "of "
      "eight messages. Of clocks \"surest reading\": low and high are bounds, and no machine is "
      "too busy for them.",
      &Row::statistic, 3},
     {"size_bytes", "B", "Size of the messages; not a number of what has none.", &Row::size_bytes,
      3},
     {"limit", "1", "The limit, in its unit.", &Row::limit, 3},
     {"unit", "", "Unit of limit, value and interval.", &Row::unit, 3},
     {"subject", "", "The pair or rank that is worst.", &Row::subject, 3},
     {"value", "1", "Its statistic.", &Row::value, 3},
     {"low", "1", "Interval for it, lower end.", &Row::low, 3},
     {"high", "1", "Upper end.", &Row::high, 3},
     {"confidence", "1", "Of the interval: all of a run are right together with 95 %; 1 of bounds.",
      &Row::confidence, 3},
     {"samples", "1", "Number of samples.", &Row::samples, 3},
     {"further", "1",
      "Samples still needed, if it is inconclusive: that many decide in nine runs of ten; 2^20 if "
      "no number does.",
      &Row::further, 3},
     {"most", "1",
      "Samples of it that a run takes at most, however large its budget; 0 if nothing was "
      "measured.",
      &Row::most, 3},
     {"subjects", "1", "Pairs, each in one direction, or ranks that it limits.", &Row::subjects, 3},
     {"subjects_passed", "1", "Those that surely keep it.", &Row::subjects_passed, 3},
     {"subjects_failed", "1", "Those that surely break it; the others are undecided.",
      &Row::subjects_failed, 3},
     {"verdict", "", "pass, fail or inconclusive: of the worst of them.", &Row::verdict, 3},
     {"disturbed", "1", "1 if others took over 5 % of the cores of its machine meanwhile, else 0.",
      &Row::disturbed, 3},
     {"source", "", "Where the limit comes from, if the file says so.", &Row::source, 3}}};

const TableSchema<InterconnectVerdictRow> InterconnectVerdictRow::schema{
    "interconnect_verdict",
    Role::derived,
    "The verdict on a cluster's network and ranks, once for each of its reasons.",
    {{"verdict", "", "pass, fail or inconclusive; the same in all rows.", &Row::verdict, 3},
     {"reasons", "",
      "One thing that decided it, or keeps it from being decided; of a pass what it was held "
      "against. Older records have all of them in one row.",
      &Row::reasons, 3}}};

}  // namespace shardstone::results
