// SPDX-License-Identifier: BSD-3-Clause
// Hostile journals of ended runs, what goes on from them, and the failure logs beside them.
#include <sstream>

#include "benchmarks/collectives/sweep/resume.hpp"
#include "benchmarks/training/batch_record.hpp"
#include "results/format/json_format.hpp"
#include "results/journal/lines.hpp"
#include "results/journal/reason.hpp"
#include "results/journal/recover.hpp"
#include "results/journal/resume.hpp"
#include "results/schema/collectives.hpp"
#include "results/schema/studies.hpp"
#include "validation/fuzz/json_mutator.hpp"
#include "validation/fuzz/small_records.hpp"
#include "validation/fuzz/trial.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::results;
using nlohmann::json;

/// The lines of a journal, each as a document.
using Lines = std::vector<json>;

std::string sealed(const Lines& lines) {
    std::string bytes, hash;
    for (const json& line : lines) {
        // As the writer has it: a journal is known by how its first line begins.
        std::string text = text_of(line);
        if (bytes.empty() && line.is_object() && line.contains("format")) {
            json rest = line;
            rest.erase("format");
            text = "{\"format\":" + text_of(line.at("format")) + "," + text_of(rest).substr(1);
        }
        hash = line_hash(hash, text);
        bytes += hash + " " + text + "\n";
    }
    return bytes;
}

Record begun() {
    Record record = small_records().front();
    record.kind = "collectives";
    record.environment["machines"] = json::array({record.environment.at("machine")});
    record.derived = {};
    record.samples = {};
    return record;
}

Record part() {
    Record part;
    CollectiveRow row;
    row.operation = "all_reduce";
    row.algorithm = "ring";
    row.size_bytes = 4096;
    BatchRow batch;
    batch.batch = 8;
    batch.factor = 1;
    batch.peak_rate = 1e-3;
    part.derived = {table_of(std::vector{row}), table_of(std::vector{batch})};
    part.verification = {{"sum is exact", true, "2 ranks"}};
    return part;
}

Lines good_lines() {
    return {json::parse(head_text(begun())), json::parse(part_text(Record{}, "0 of 2 points")),
            json::parse(part_text(part(), "1 of 2 points")),
            json::parse(part_text(part(), "2 of 2 points"))};
}

/// A journal that is accepted becomes a record that is read back, and a run goes on from it or is
/// told in our words why not.
void keep_promises(const Unfinished& run, Counts& resumed) {
    const std::string text = to_json_text(run.record);
    ASSERT_EQ(hash_of(record_from_bytes(text, "again.json")), hash_of(run.record));
    try_input(
        [&] {
            Record fresh = begun();
            continue_record(fresh, run.record, "fuzz.journal", {"list"});
            continued_in_words(fresh);
            benchmarks::finished_points(benchmarks::finished_points_text(fresh));
            benchmarks::batch_points(benchmarks::batch_points_text(fresh));
        },
        resumed);
}

TEST(JournalFuzz, ForgedLinesAreReadOrRefused) {
    const Lines good = good_lines();
    JsonMutator mutator(21);
    Counts counts, resumed;
    for_each_input([&] {
        Lines lines = good;
        mutator.spoil(lines[mutator.below(lines.size())]);
        if (mutator.below(8) == 0) std::swap(lines[mutator.below(4)], lines[mutator.below(4)]);
        const std::string bytes = sealed(lines);
        try_input([&] { keep_promises(journal_from_bytes(bytes, "fuzz.journal"), resumed); },
                  counts);
    });
    expect_both("journals, forged", counts, 20);
    expect_both("resumed", resumed, 50);
}

/// A line that was changed, moved or taken out shows; one that was cut at the end is left out.
TEST(JournalFuzz, ChangedLinesAreRefused) {
    const std::string good = sealed(good_lines());
    Mutator mutator({good}, nasty_words(), 22);
    Counts counts, resumed;
    for_each_input([&] {
        std::string bytes = mutator.next();
        if (mutator.below(8) == 0) bytes = good.substr(0, mutator.below(good.size() + 1));
        try_input(
            [&] {
                const Unfinished run = journal_from_bytes(bytes, "fuzz.journal");
                const std::size_t whole = bytes.rfind('\n') + 1;
                ASSERT_EQ(bytes.substr(0, whole), good.substr(0, whole));
                ASSERT_EQ(run.torn, whole < bytes.size());
                keep_promises(run, resumed);
            },
            counts);
    });
    expect_both("journals, changed", counts, 50);
}

/// Others may write into a failure log: what it says can be put into a record whatever it is.
TEST(JournalFuzz, WhateverAFailureLogSaysFitsARecord) {
    const std::string line =
        R"({"time": "2026-11-22T10:20:31.123Z", "host": "n1", "rank": 3, "pid": 7, )"
        R"("phase": "step 12", "code": 2, "reason": "disk full \u00e4"})";
    Mutator mutator({line + "\n", line + "\n" + line + "\n", std::string(3000, '[') + "\n"},
                    nasty_words(), 23);
    JsonMutator documents(24);
    int said = 0, nobody = 0;
    for_each_input([&] {
        std::string text = mutator.next();
        if (mutator.below(2) == 0) {
            json document = json::parse(line);
            documents.spoil(document);
            text = text_of(document) + "\n";
        }
        std::istringstream log(text);
        Record record = begun();
        const std::string why = reason_in(log, record);
        (why.starts_with("rank ") ? said : nobody) += 1;
        record.verification.push_back({"the run was complete", false, why});
        ASSERT_EQ(hash_of(record_from_bytes(to_json_text(record), "again.json")), hash_of(record));
    });
    std::printf("failure logs: %d say why, %d do not\n", said, nobody);
    EXPECT_GT(said, fuzz_inputs() / 20);
    EXPECT_GT(nobody, fuzz_inputs() / 20);
}

}  // namespace
}  // namespace shardstone::validation
