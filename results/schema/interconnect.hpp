// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the record that `shardstone validate interconnect` writes. Nodes are numbered as the
// ranks' nodes are.

/// Table "pair_samples": one timed message of a pair test, in one direction.
struct PairSampleRow {
    using Row = PairSampleRow;
    double sender = not_measured;
    double receiver = not_measured;
    double alone = not_measured;
    double pass = not_measured;
    double round = not_measured;
    double size_bytes = not_measured;
    double step = not_measured;
    double at_s = not_measured;
    double time_s = not_measured;

    static const TableSchema<PairSampleRow> schema;
};

/// Table "rank_samples": one turn of a rank in one of the tests of ranks.
struct RankSampleRow {
    using Row = RankSampleRow;
    double rank = not_measured;
    std::string test;
    double turn = not_measured;
    double at_s = not_measured;
    double time_s = not_measured;

    static const TableSchema<RankSampleRow> schema;
};

/// What a turn's time is of, of a test of ranks: "a TFLOP".
const char* work_in_words(std::string_view test);

/// Table "rank_places": where a rank ran.
struct RankPlaceRow {
    using Row = RankPlaceRow;
    double rank = not_measured;
    double node = not_measured;
    std::string host;
    double leaf = not_measured;
    double sharers = not_measured;
    double rail = 0.0;
    double machine = 0.0;
    double nics = 0.0;
    std::string gpu = {};
    std::string gpu_unread = {};

    static const TableSchema<RankPlaceRow> schema;
};

/// Table "wrong_data": a message that did not arrive as it was sent.
struct WrongDataRow {
    using Row = WrongDataRow;
    double sender = not_measured;
    double receiver = not_measured;
    double step = not_measured;
    double elements = not_measured;
    double first_element = not_measured;
    double bits = not_measured;
    std::string expected;
    std::string found;
    double unix_s = not_measured;

    static const TableSchema<WrongDataRow> schema;
};

/// Table "pairs": one pair in one direction and size.
struct PairRow {
    using Row = PairRow;
    double sender = not_measured;
    double receiver = not_measured;
    std::string path;
    double alone = not_measured;
    double size_bytes = not_measured;
    double samples = not_measured;
    double time_s = not_measured;
    double time_low_s = not_measured;
    double time_high_s = not_measured;
    double rate_gb_s = not_measured;
    double factor = not_measured;

    static const TableSchema<PairRow> schema;
};

/// Table "paths": latency and rate of what messages of one kind cross.
struct PathRow {
    using Row = PathRow;
    std::string path;
    double alone = not_measured;
    double tests = not_measured;
    double alpha_s = not_measured;
    double alpha_low_s = not_measured;
    double alpha_high_s = not_measured;
    double rate_gb_s = not_measured;
    double rate_low_gb_s = not_measured;
    double rate_high_gb_s = not_measured;

    static const TableSchema<PathRow> schema;
};

/// Table "suspects": a part of the network that is slow, or may be.
struct SuspectRow {
    using Row = SuspectRow;
    std::string part;
    std::string culprit;
    double node = not_measured;
    std::string host;
    double size_bytes = not_measured;
    double suspected = not_measured;
    double disturbed = not_measured;
    double slowdown = not_measured;
    double slowdown_low = not_measured;
    double slowdown_high = not_measured;
    double log10_odds = not_measured;
    double probability = not_measured;
    double tests = not_measured;
    std::string rivals;

    static const TableSchema<SuspectRow> schema;
};

/// Table "rank_tests": one rank in one test, beside all others.
struct RankTestRow {
    using Row = RankTestRow;
    double rank = not_measured;
    std::string test;
    double turns = not_measured;
    double time_s = not_measured;
    double factor = not_measured;
    double noise = not_measured;
    double log10_odds = not_measured;
    double suspected = not_measured;
    double disturbed = not_measured;

    static const TableSchema<RankTestRow> schema;
};

/// Table "acceptance": one limit, and what was measured of it where that is worst.
struct AcceptanceRow {
    using Row = AcceptanceRow;
    std::string quantity;
    std::string statistic;
    double size_bytes = not_measured;
    double limit = not_measured;
    std::string unit;
    std::string subject;
    double value = not_measured;
    double low = not_measured;
    double high = not_measured;
    double confidence = not_measured;
    double samples = not_measured;
    double further = not_measured;
    double most = not_measured;
    double subjects = not_measured;
    double subjects_passed = not_measured;
    double subjects_failed = not_measured;
    std::string verdict;
    double disturbed = not_measured;
    std::string source;

    static const TableSchema<AcceptanceRow> schema;
};

/// Table "interconnect_verdict": the verdict, in a row for each of its reasons.
struct InterconnectVerdictRow {
    using Row = InterconnectVerdictRow;
    std::string verdict;
    std::string reasons;

    static const TableSchema<InterconnectVerdictRow> schema;
};

}  // namespace shardstone::results
