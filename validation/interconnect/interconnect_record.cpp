// SPDX-License-Identifier: BSD-3-Clause
// Tables of a validation of the interconnect, written and read back.
#include "validation/interconnect/interconnect_record.hpp"

#include <fmt/format.h>

#include "results/record/health.hpp"
#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/held_against.hpp"

namespace shardstone::validation {

namespace {

template <class Row>
void add_if_any(const std::vector<Row>& rows, std::vector<results::Table>& tables) {
    if (!rows.empty()) tables.push_back(results::table_of(rows));
}

std::string hexadecimal(std::uint64_t element) {
    return fmt::format("{:#018x}", element);
}

std::vector<results::InterconnectVerdictRow> verdict_rows(const InterconnectFindings& findings) {
    const std::string verdict = to_string(findings.verdict);
    if (findings.verdict == Acceptance::pass) {
        return {{verdict, in_words(findings.held_against, findings.not_tested)}};
    }
    std::vector<results::InterconnectVerdictRow> rows;
    for (const std::string& reason : findings.reasons) rows.push_back({verdict, reason});
    return rows;
}

}  // namespace

std::vector<results::PairSampleRow> rows_of_pass(const benchmarks::LinkPass& pass, int number,
                                                 bool alone) {
    std::vector<results::PairSampleRow> rows;
    for (const auto& sample : pass.samples) {
        results::PairSampleRow row;
        row.sender = sample.sender;
        row.receiver = sample.receiver;
        row.alone = alone ? 1.0 : 0.0;
        row.pass = number;
        row.round = sample.round;
        row.size_bytes = static_cast<double>(sample.size_bytes);
        row.step = static_cast<double>(sample.step);
        row.at_s = sample.at_s;
        row.time_s = sample.time_s;
        rows.push_back(row);
    }
    return rows;
}

std::vector<results::WrongDataRow> wrong_rows_of(std::span<const benchmarks::WrongLinkData> all,
                                                 const benchmarks::LinkPasses& clock) {
    std::vector<results::WrongDataRow> rows;
    for (const auto& wrong : all) {
        rows.push_back({static_cast<double>(wrong.message.sender),
                        static_cast<double>(wrong.message.receiver),
                        static_cast<double>(wrong.message.step),
                        static_cast<double>(wrong.elements), static_cast<double>(wrong.first),
                        static_cast<double>(wrong.bits()), hexadecimal(wrong.expected),
                        hexadecimal(wrong.found), clock.unix_s_of_sample(wrong.at_s)});
    }
    return rows;
}

std::vector<results::CongestionSampleRow> rows_of_loads(
    std::span<const benchmarks::CongestionSample> samples) {
    std::vector<results::CongestionSampleRow> rows;
    for (const auto& sample : samples) {
        rows.push_back({to_string(sample.load), static_cast<double>(sample.sender),
                        static_cast<double>(sample.receiver), static_cast<double>(sample.pass),
                        static_cast<double>(sample.size_bytes), sample.time_s});
    }
    return rows;
}

std::vector<results::ClockSampleRow> rows_of_clocks(
    std::span<const benchmarks::ClockReading> readings, int round) {
    std::vector<results::ClockSampleRow> rows;
    for (const auto& reading : readings) {
        rows.push_back({static_cast<double>(reading.rank), static_cast<double>(round), reading.at_s,
                        reading.ahead_s, reading.error_s});
    }
    return rows;
}

std::vector<results::RankSampleRow> rows_of_turns(
    const std::vector<benchmarks::RankSample>& samples) {
    std::vector<results::RankSampleRow> rows;
    for (const auto& sample : samples) {
        rows.push_back({static_cast<double>(sample.rank), to_string(sample.test),
                        static_cast<double>(sample.turn), sample.at_s, sample.time_s});
    }
    return rows;
}

InterconnectSamples interconnect_samples_in(const results::Record& record) {
    InterconnectSamples samples{results::rows_of<results::RankPlaceRow>(record),
                                results::rows_of<results::PairSampleRow>(record),
                                results::rows_of<results::RankSampleRow>(record),
                                results::rows_of<results::WrongDataRow>(record),
                                {},
                                results::rows_of<results::ConditionsRow>(record),
                                results::rows_of<results::ClockSampleRow>(record),
                                results::rows_of<results::CongestionSampleRow>(record),
                                results::rows_of<results::TrafficSampleRow>(record),
                                results::rows_of<results::SoakWindowRow>(record),
                                results::rows_of<results::SlowMessageRow>(record),
                                results::rows_of<results::StandstillRow>(record),
                                results::rows_of<results::LongWaitRow>(record),
                                results::failed_health(record.environment),
                                results::rows_of<results::GpuReadingRow>(record)};
    const std::string limits = record.configuration.value("accept", "");
    if (!limits.empty()) samples.limits = parse_acceptance(limits, "the record's acceptance file");
    return samples;
}

std::vector<results::Table> sample_tables_of(const InterconnectSamples& samples) {
    std::vector<results::Table> tables;
    add_if_any(samples.places, tables);
    add_if_any(samples.pairs, tables);
    add_if_any(samples.ranks, tables);
    add_if_any(samples.wrong, tables);
    add_if_any(samples.conditions, tables);
    add_if_any(samples.clocks, tables);
    add_if_any(samples.congestion, tables);
    add_if_any(samples.traffic, tables);
    add_if_any(samples.windows, tables);
    add_if_any(samples.slow, tables);
    add_if_any(samples.standstills, tables);
    add_if_any(samples.waits, tables);
    add_if_any(samples.gpu_readings, tables);
    return tables;
}

std::vector<results::Table> all_finding_tables_of(const InterconnectFindings& findings) {
    return {results::table_of(verdict_rows(findings)), results::table_of(findings.held_against),
            results::table_of(findings.suspects),      results::table_of(findings.rank_tests),
            results::table_of(findings.episodes),      results::table_of(findings.traffic),
            results::table_of(findings.bisection),     results::table_of(findings.congestion),
            results::table_of(findings.clocks),        results::table_of(findings.acceptance),
            results::table_of(findings.paths),         results::table_of(findings.pairs),
            results::table_of(findings.gpus)};
}

std::vector<results::Table> finding_tables_of(const InterconnectFindings& findings) {
    auto tables = all_finding_tables_of(findings);
    std::erase_if(tables, [](const results::Table& table) { return table.rows() == 0; });
    return tables;
}

std::int64_t timed_bytes(const InterconnectSamples& samples) {
    const auto in_a_row = [](double size_bytes) {
        const auto size = static_cast<std::int64_t>(size_bytes);
        return benchmarks::messages_of(size) * size;
    };
    std::int64_t bytes = 0;
    for (const auto& row : samples.pairs) bytes += in_a_row(row.size_bytes);
    for (const auto& row : samples.windows) {
        bytes += static_cast<std::int64_t>(row.passes) * in_a_row(row.size_bytes);
    }
    for (const auto& row : samples.congestion) {
        const bool is_victims = row.load.starts_with("victim");  // each of its messages is a sample
        bytes += is_victims ? static_cast<std::int64_t>(row.size_bytes) : in_a_row(row.size_bytes);
    }
    return bytes;
}

std::vector<results::Check> interconnect_checks(const InterconnectSamples& samples,
                                                std::size_t expected_samples,
                                                std::int64_t compared_bytes) {
    const std::size_t messages = samples.pairs.size() + samples.congestion.size();
    double soaked = 0.0;
    for (const auto& row : samples.windows) soaked += row.passes;
    const std::string of_soak =
        soaked > 0.0 ? fmt::format(" and {:.0f} messages of the soak", soaked) : "";
    return {{"every test left its sample", samples.taken() == expected_samples,
             fmt::format("{} of {}", samples.taken(), expected_samples)},
            {"the data of all timed messages were compared", compared_bytes == timed_bytes(samples),
             fmt::format("{} samples{}: {} of {} bytes, {} messages with wrong data", messages,
                         of_soak, compared_bytes, timed_bytes(samples), samples.wrong.size())}};
}

}  // namespace shardstone::validation
