// SPDX-License-Identifier: BSD-3-Clause
// Made-up records of measuring commands for tests of the report, and the sentences of its findings.
#include "validation/unit/results/report_rows.hpp"

#include <stdexcept>

#include "results/schema/collectives.hpp"
#include "results/schema/machine.hpp"
#include "results/schema/studies.hpp"
#include "results/schema/training.hpp"

namespace shardstone::validation {

using namespace results;

Record written_record(const std::string& kind, const std::string& host, int ranks) {
    Record record =
        new_record(kind, kind + " for a test", {"/usr/bin/shardstone", kind, "--small"});
    record.environment["ranks"] = ranks;
    record.environment["mpi"] = "MPICH Version: 4.0.2";
    record.environment["variables"] = nlohmann::json::object();
    record.environment["machine"] = {{"host", host},
                                     {"cpu", "Processor of " + host},
                                     {"cores", 2},
                                     {"packages", 1},
                                     {"memory_bytes", 8589934592.0}};
    record.verification = {{"the sums are exact", true, "all elements"}};
    return record;
}

Record written_collectives() {
    const auto point = [](const char* algorithm, double size, double time, double low, double high,
                          double algbw, double busbw, double predicted) {
        CollectiveRow row;
        row.operation = "all_gather";
        row.algorithm = algorithm;
        row.in_place = 1.0;
        row.size_bytes = size;
        row.ranks = 3.0;
        row.time_s = time;
        row.time_low_s = low;
        row.time_high_s = high;
        row.algbw_gb_s = algbw;
        row.busbw_gb_s = busbw;
        row.predicted_s = predicted;
        return row;
    };
    Record record = written_record("collectives", "left", 3);
    record.environment["variables"] = {{"UCX_TLS", "posix,self"}, {"HOME", "/root"}};
    record.configuration = {{"type", "fp32"}};
    record.derived = {table_of<CollectiveRow>(
        {point("auto", 4, 12.5e-6, 12e-6, 13.4e-6, 3.2e-4, 2.8e-4, 5e-6),
         point("mpi", 4, 40e-6, 39e-6, 42e-6, 1e-4, 0.9e-4, not_measured),
         point("ring", 4, 11e-6, 10e-6, 14e-6, 3.7e-4, 3.1e-4, not_measured),
         point("auto", 1048576, 0.9e-3, 0.85e-3, 0.97e-3, 1.165, 0.777, 3.6e-3),
         point("mpi", 1048576, 0.6e-3, 0.58e-3, 0.64e-3, 1.75, 1.16, not_measured)})};
    CollectiveSampleRow sample;
    sample.operation = "all_gather";
    sample.algorithm = "auto";
    sample.time_s = 12.5e-6;
    record.samples = {table_of<CollectiveSampleRow>({sample, sample, sample})};
    return record;
}

Record written_training(const WrittenRun& run) {
    Record record = written_record("train", run.host, run.ranks);
    record.configuration = {{"model", "nano"},
                            {"plan", run.plan},
                            {"precision", run.precision},
                            {"optimizer", "adamw"},
                            {"sequence", 32}};
    TrainingRow summary;
    summary.ranks = run.ranks;
    summary.model = "nano";
    summary.split = run.split;
    summary.tokens_per_s = run.tokens_per_s;
    summary.mfu = run.mfu;
    summary.final_loss = 2.125;
    summary.validation_loss = 2.375;
    summary.compute_s = run.compute_s;
    summary.communication_s = 3.0;
    summary.data_s = 0.25;
    summary.optimizer_s = 0.75;
    MemoryRow weights{"weights", 3145728.0, 2097152.0};
    SentBytesRow sent{0.0, 640.0, 512.0};
    std::vector<StepRow> steps(2);
    steps[0].step = 1.0;
    steps[0].loss = 3.5;
    steps[1].step = 2.0;
    steps[1].loss = 2.125;
    for (auto& step : steps) step.tokens_per_s = run.tokens_per_s;
    record.derived = {table_of<TrainingRow>({summary}), table_of<MemoryRow>({weights}),
                      table_of<SentBytesRow>({sent}), table_of(steps)};
    return record;
}

Record written_kernels(double greatest_share) {
    KernelRow slow;
    slow.name = "layernorm forward";
    slow.size = 3000.0;
    slow.time_s = 7e-6;
    slow.gflop_s = 0.625;
    slow.gb_s = 11.25;
    slow.intensity = 0.375;
    slow.bandwidth_gb_s = 13.0;
    slow.roofline_gflop_s = 0.875;
    slow.share = 0.5;
    KernelRow fast = slow;
    fast.name = "matmul";
    fast.size = 512.0;
    fast.gflop_s = 140.0;
    fast.gb_s = 4.5;
    fast.intensity = 32.0;
    fast.roofline_gflop_s = 175.0;
    fast.share = greatest_share;
    Record record = written_record("kernels", "left", 1);
    record.derived = {table_of<KernelRow>({slow, fast})};
    return record;
}

Record written_pipeline() {
    UtilisationRow best{"1f1b", 8.0, 0.8, 0.79, 0.815, 0.85, 0.86, 0.88, 0.125};
    UtilisationRow least{"gpipe", 1.0, 0.4, 0.39, 0.42, 0.45, 0.46, 0.5, 0.25};
    Record record = written_record("pipeline", "left", 2);
    record.derived = {table_of<UtilisationRow>({least, best})};
    return record;
}

Record written_batch_size() {
    BatchRow batch{16.0, 0.004, 2.0, 270.0, 69000.0, 277.0, 70900.0};
    NoiseRow early{32.0, 1.9, 0.17, 1.67, 9.75, 8.625, 10.875};
    NoiseRow late{128.0, 1.5, 0.028, 0.74, 26.36, 21.86, 30.87};
    Record record = written_record("batch-size", "left", 2);
    record.derived = {table_of<BatchRow>({batch}), table_of<NoiseRow>({early, late}),
                      table_of<TradeOffRow>({{34.5, 1940.0, 56.25}})};
    return record;
}

Record written_simulation() {
    Record record = written_record("simulation", "left", 1);
    record.identity["title"] = "all_reduce simulated on fat tree";
    record.derived = {table_of<SimulatedRow>({{"ring", 8.0, 1024.0, 2e-5, 0.05, 0.09, 112.0},
                                              {"ring", 8.0, 1048576.0, 5e-4, 2.1, 3.67, 113.0},
                                              {"tree", 8.0, 1048576.0, 9e-4, 1.165, 2.04, 48.0}})};
    return record;
}

std::vector<std::string> sentences_of(const std::optional<Section>& section) {
    std::vector<std::string> sentences;
    if (!section) return sentences;
    for (const Finding& finding : section->findings) sentences.push_back(finding.sentence);
    return sentences;
}

namespace {

Table::Column& column_of(Record& record, const std::string& table, const std::string& column) {
    for (auto& one : record.derived) {
        if (one.name != table) continue;
        for (auto& found : one.columns) {
            if (found.name == column) return found;
        }
    }
    throw std::runtime_error("no column " + column);
}

}  // namespace

std::vector<double>& numbers_of(Record& record, const std::string& table,
                                const std::string& column) {
    return column_of(record, table, column).numbers;
}

std::vector<std::string>& texts_of(Record& record, const std::string& table,
                                   const std::string& column) {
    return column_of(record, table, column).texts;
}

std::vector<Source> as_sources(const std::vector<Record>& records) {
    std::vector<Source> sources;
    for (const Record& record : records) {
        const char letter = static_cast<char>('a' + static_cast<int>(sources.size()));
        sources.push_back({std::string(1, letter) + ".h5", record, hash_of(record)});
    }
    name_apart(sources);
    return sources;
}

}  // namespace shardstone::validation
