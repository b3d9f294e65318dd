// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Further tables of the record that `shardstone validate interconnect` writes: of its conditions,
// and of a soak (--for). Times of day are those of rank 0's clock, in seconds since 1970 (UTC).

/// Its part in table "conditions" is a window of a soak: "soak, window 3".
inline constexpr const char* soak_window_words = "soak, window ";

/// Table "conditions": what else the machine did during one part of the tests.
struct ConditionsRow {
    using Row = ConditionsRow;
    std::string part;
    double machine = 0.0;
    double disturbed = not_measured;
    double others_share = not_measured;
    double waiting_share = not_measured;
    double stolen_share = not_measured;
    double tries = not_measured;

    static const TableSchema<ConditionsRow> schema;
};

/// Table "soak_windows": all messages of one pair, direction and size in some successive passes.
struct SoakWindowRow {
    using Row = SoakWindowRow;
    double window = not_measured;
    double sender = not_measured;
    double receiver = not_measured;
    double size_bytes = not_measured;
    double first_pass = not_measured;
    double passes = not_measured;
    double begin_unix_s = not_measured;
    double end_unix_s = not_measured;
    double mean_s = not_measured;
    double shortest_s = not_measured;
    double longest_s = not_measured;
    double slow = not_measured;

    static const TableSchema<SoakWindowRow> schema;
};

/// Table "slow_messages": one message of a soak that took much longer than is usual for its pair.
struct SlowMessageRow {
    using Row = SlowMessageRow;
    double sender = not_measured;
    double receiver = not_measured;
    double round = not_measured;
    double size_bytes = not_measured;
    double pass = not_measured;
    double unix_s = not_measured;
    double time_s = not_measured;

    static const TableSchema<SlowMessageRow> schema;
};

/// Table "long_waits": a time in which a rank waited for a message, during a soak.
struct LongWaitRow {
    using Row = LongWaitRow;
    double rank = not_measured;
    double awaited = not_measured;
    double stage = not_measured;
    double step = not_measured;
    double round = not_measured;
    double size_bytes = not_measured;
    double pass = not_measured;
    double begin_unix_s = not_measured;
    double end_unix_s = not_measured;
    double no_core_s = not_measured;

    static const TableSchema<LongWaitRow> schema;
};

/// Table "standstills": a time in which a rank did not run, during a soak.
struct StandstillRow {
    using Row = StandstillRow;
    double rank = not_measured;
    double pass = not_measured;
    double begin_unix_s = not_measured;
    double end_unix_s = not_measured;
    double still_s = not_measured;
    double stolen_s = not_measured;

    static const TableSchema<StandstillRow> schema;
};

/// Table "episodes": a time of a soak in which a link or rank was slow, wrong or silent.
struct EpisodeRow {
    using Row = EpisodeRow;
    std::string fault;
    std::string subject;
    double node = not_measured;
    std::string host;
    std::string direction;
    std::string begin;
    std::string end;
    double begin_unix_s = not_measured;
    double end_unix_s = not_measured;
    double size_bytes = not_measured;
    double passes = not_measured;
    double messages = not_measured;
    double slowdown = not_measured;
    double no_core_s = not_measured;
    double log10_odds = not_measured;
    double suspected = not_measured;
    double disturbed = not_measured;

    static const TableSchema<EpisodeRow> schema;
};

}  // namespace shardstone::results
