// SPDX-License-Identifier: BSD-3-Clause
// A machine that gave more at one time than at another, as the report tells it.
#include <gtest/gtest.h>

#include "results/report/machine_peaks.hpp"
#include "results/report/section.hpp"
#include "results/schema/machine.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using results::MachineRow;
using results::Record;

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

/// What `shardstone probe` writes of a core.
Record written_probe(double fp32_gflop_s) {
    Record record = written_record("probe", "left", 1);
    record.derived = {results::table_of<MachineRow>(
        {{"peak arithmetic rate of a core, fp32", "GFLOP/s", fp32_gflop_s, 40.0, fp32_gflop_s},
         {"memory rate of a core", "GB/s", 10.0, 9.0, 10.0}})};
    return record;
}

Record training_at(int ranks, double peak_gflop_s) {
    Record record = written_training({.plan = "dp=" + std::to_string(ranks),
                                      .ranks = ranks,
                                      .tokens_per_s = 800.0 * ranks + 200.0});
    numbers_of(record, "summary", "core_peak_flop_per_s")[0] = peak_gflop_s * 1e9;
    for (auto& column : record.derived[0].columns) {
        if (column.name == "peak_arithmetic") column.texts[0] = "FP32 multiply-adds";
    }
    return record;
}

TEST(ReportPeaks, AMachineThatChangedIsSaidToHaveChanged) {
    const auto sources = as_sources({training_at(1, 50.0), written_probe(64.0)});
    const auto section = results::machine_section(sources);
    const std::string sentence =
        "The machine was not the same in all records: the peak arithmetic rate of a core, fp32 "
        "ranges from 50.0 GFLOP/s (a.h5) to 64.0 GFLOP/s (b.h5), a factor of 1.28. Ratios between "
        "such records are marked, efficiencies omitted.";
    EXPECT_EQ(sentences_of(section), std::vector<std::string>{sentence});
    EXPECT_TRUE(holds(section->body, sentence)) << "the machine's own section says it, too";
    EXPECT_TRUE(holds(section->body,
                      "<td>peak arithmetic rate of a core, fp32</td><td class=\"number\">50.0 "
                      "GFLOP/s</td><td>a.h5</td><td class=\"number\">64.0 GFLOP/s</td><td>b.h5</td>"
                      "<td class=\"number\">1.28</td><td class=\"number\">2</td>"))
        << section->body;
    EXPECT_TRUE(holds(section->body, "<td>memory rate of a core</td>"));
}

/// Of a machine that has both, the peak of one says nothing of the other.
TEST(ReportPeaks, GpusAreNoCores) {
    auto on_gpu = training_at(1, 50e3), slower = training_at(2, 40e3);
    for (Record* record : {&on_gpu, &slower}) record->configuration["device"] = "cuda";
    EXPECT_TRUE(
        results::machine_section(as_sources({on_gpu, written_probe(64.0)}))->findings.empty());
    EXPECT_EQ(sentences_of(results::machine_section(as_sources({on_gpu, slower}))),
              std::vector<std::string>{
                  "The machine was not the same in all records: the peak arithmetic rate of a GPU, "
                  "fp32 ranges from 40.0 TFLOP/s (b.h5) to 50.0 TFLOP/s (a.h5), a factor of 1.25. "
                  "Ratios between such records are marked, efficiencies omitted."});
    EXPECT_EQ(results::training_section(as_sources({on_gpu, slower}))->findings.at(1).sentence,
              "From 1 rank to 2 ranks, the efficiency of training 'nano, fp32, cuda' is omitted: "
              "measured peaks of a GPU differ by a factor of 1.25.");
}

TEST(ReportPeaks, PacedDevicesAreNoMachinesOfTheirOwn) {
    auto slow = training_at(1, 50.0), quick = training_at(2, 64.0);
    for (Record* record : {&slow, &quick}) record->configuration["pace_gflop_per_s"] = 1.0;
    const auto section = results::machine_section(as_sources({slow, quick}));
    EXPECT_TRUE(!section || section->findings.empty());
}

TEST(ReportPeaks, OneThatRepeatsIsNotAndAnotherMachineDoesNotCount) {
    EXPECT_TRUE(results::machine_section(as_sources({training_at(1, 60.0), written_probe(64.0)}))
                    ->findings.empty());
    auto elsewhere = written_probe(64.0);
    elsewhere.environment["machine"]["host"] = "right";
    EXPECT_TRUE(
        results::machine_section(as_sources({training_at(1, 50.0), elsewhere}))->findings.empty());
}

TEST(ReportPeaks, EfficienciesBetweenSuchRecordsAreNotGivenAndItIsSaidWhy) {
    const auto section =
        results::training_section(as_sources({training_at(1, 64.0), training_at(2, 50.0)}));
    EXPECT_EQ(section->findings.at(1).sentence,
              "From 1 rank to 2 ranks, the efficiency of training 'nano, fp32' is omitted: "
              "measured peaks of a core differ by a factor of 1.28.");
    EXPECT_TRUE(holds(section->body,
                      "<td>omitted: measured peaks of a core differ by a factor of 1.28</td>"));
    EXPECT_TRUE(
        holds(results::training_section(as_sources({training_at(1, 64.0), training_at(2, 60.0)}))
                  ->findings.at(1)
                  .sentence,
              "keeps 90.0 %"));
}

TEST(ReportPeaks, RatiosToAnotherRecordNameItAndTheChange) {
    auto quicker = written_collectives();
    numbers_of(quicker, "collectives", "time_s")[1] = 20e-6;  // MPI's own at 4 B, was 40 us
    std::vector<Record> records{written_collectives(), quicker};
    const auto first_finding = [&] {
        return results::collectives_section(as_sources(records))->findings.at(0).sentence;
    };
    EXPECT_TRUE(holds(first_finding(), "`auto` is 1.60 times faster (measured by b.h5);"))
        << first_finding();
    records.push_back(written_probe(50.0));
    records.push_back(written_probe(64.0));
    EXPECT_TRUE(holds(first_finding(),
                      "`auto` is 1.60 times faster (measured by b.h5; the peak arithmetic rate of "
                      "a core, fp32 of this machine differs by a factor of 1.28 between records)"))
        << first_finding();
}

}  // namespace
}  // namespace shardstone::validation
