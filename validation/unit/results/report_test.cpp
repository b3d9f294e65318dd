// SPDX-License-Identifier: BSD-3-Clause
// What the report says of rows as the commands write them, word by word.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "results/report/finding.hpp"
#include "results/report/page.hpp"
#include "results/report/section.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using results::Record;
using results::Section;
using results::Source;

std::vector<Source> every_kind() {
    return as_sources({written_collectives(), written_training({}), written_kernels(0.8),
                       written_pipeline(), written_batch_size(), written_simulation()});
}

/// Compared one by one, so that a failure shows the sentence.
void expect_findings(const std::optional<Section>& section,
                     const std::vector<std::string>& sentences) {
    EXPECT_EQ(sentences_of(section), sentences);
}

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

TEST(ReportFindings, CollectivesLeadWithAutoAgainstTheLibrarysOwnSetting) {
    const auto sources = as_sources({written_collectives()});
    const std::string turns = "; 3 ranks share 2 cores.";
    const auto section = results::collectives_section(sources);
    expect_findings(
        section,
        {"All-gather on 3 ranks, 4 B: `auto` takes 12.5 us (95 % interval 12.0 us to 13.4 us), a "
         "bus bandwidth of 280 kB/s; MPI's own with UCX_TLS=posix,self takes 40.0 us (95 % "
         "interval 39.0 us to 42.0 us): `auto` is 3.20 times faster" +
             turns,
         "All-gather on 3 ranks, 1 MiB: `auto` takes 900 us (95 % interval 850 us to 970 us), a "
         "bus bandwidth of 777 MB/s; MPI's own with UCX_TLS=posix,self takes 600 us (95 % interval "
         "580 us to 640 us): `auto` is 1.50 times slower" +
             turns,
         "All-gather on 3 ranks: of 2 sizes, `auto` is faster than the library's own at 1, slower "
         "at 1, and indistinguishable at 0; at its worst, 1 MiB, it takes 1.50 times the "
         "library's time" +
             turns,
         "All-gather on 3 ranks: the cost model is off by a factor of 3.25 in the median of 2 "
         "predictions, and of 4.00 at worst."});
    EXPECT_TRUE(
        holds(section->body,
              "<td>4 B</td><td class=\"number\">12.5 us</td><td class=\"number\">12.0 us to "
              "13.4 us</td><td class=\"number\">280 kB/s</td><td class=\"number\">40.0 "
              "us</td>"))
        << section->body;
    ASSERT_EQ(section->tiles.size(), 2U);
    EXPECT_EQ(section->tiles[0].value, "12.5 us");
    EXPECT_EQ(section->tiles[1].value, "777 MB/s");
    // A number at the head of the page is read without the findings.
    EXPECT_EQ(section->tiles[0].label,
              "All-gather on 3 ranks, 4 B, by auto; 3 ranks share 2 cores");
    EXPECT_EQ(section->tiles[1].label,
              "bus bandwidth, All-gather on 3 ranks, 1 MiB, by auto; 3 ranks share 2 cores");
}

TEST(ReportFindings, AnAdvantageInsideTheIntervalsIsSaidToBeUncertain) {
    auto record = written_collectives();
    for (auto& column : record.derived[0].columns) {
        if (column.name == "time_low_s") std::ranges::fill(column.numbers, 0.0);
    }
    const auto section = results::collectives_section(as_sources({record}));
    EXPECT_TRUE(holds(section->findings[0].sentence, "3.20 times faster, within the uncertainty"));
    EXPECT_TRUE(holds(section->findings[2].sentence, "indistinguishable at 2"));
}

TEST(ReportFindings, TheLibrarysBestSettingIsTakenFromAnotherRecordOfTheMachineOnly) {
    auto quicker = written_collectives();
    quicker.environment["variables"] = nlohmann::json::object();
    for (auto& column : quicker.derived[0].columns) {
        if (column.name == "time_s") column.numbers[1] = 20e-6;
    }
    auto sources = as_sources({written_collectives(), quicker});
    EXPECT_TRUE(holds(results::collectives_section(sources)->findings[0].sentence,
                      "MPI's own with its default settings takes 20.0 us"));
    // A disturbed point is no better than a quiet one, however quick.
    numbers_of(quicker, "collectives", "disturbed")[1] = 1.0;
    numbers_of(sources[0].record, "collectives", "disturbed")[1] = 0.0;
    EXPECT_TRUE(holds(results::collectives_section(as_sources({sources[0].record, quicker}))
                          ->findings[0]
                          .sentence,
                      "MPI's own with UCX_TLS=posix,self takes 40.0 us"));
    sources[1].record.environment["machine"]["host"] = "right";
    EXPECT_TRUE(holds(results::collectives_section(sources)->findings[0].sentence,
                      "MPI's own with UCX_TLS=posix,self takes 40.0 us"));
}

TEST(ReportFindings, ARecordWithoutAutoHasNoHeadlineOfTheBestFoundAfterwards) {
    auto record = written_collectives();
    std::ranges::replace(record.derived[0].columns[1].texts, "auto", "tree");
    const auto section = results::collectives_section(as_sources({record}));
    EXPECT_TRUE(holds(section->findings[0].sentence,
                      "has several algorithms and no `auto`, so there is none to compare"));
    EXPECT_TRUE(section->tiles.empty());
    EXPECT_TRUE(holds(section->body, "<td>ring</td><td class=\"number\">11.0 us</td>"));
}

TEST(ReportFindings, TheOnlyOneOfOursLeadsWithoutAuto) {
    auto record = written_collectives();
    auto& table = record.derived[0];
    const auto names = table.columns[1].texts;
    for (auto& column : table.columns) {
        for (std::size_t row = names.size(); row-- > 0;) {
            if (names[row] != "ring") continue;
            const auto at = static_cast<std::ptrdiff_t>(row);
            if (!column.numbers.empty()) column.numbers.erase(column.numbers.begin() + at);
            if (!column.texts.empty()) column.texts.erase(column.texts.begin() + at);
        }
    }
    std::ranges::replace(table.columns[1].texts, "auto", "tree");
    const auto section = results::collectives_section(as_sources({record}));
    EXPECT_TRUE(holds(section->findings[0].sentence, "`tree` takes 12.5 us"))
        << section->findings[0].sentence;
    EXPECT_TRUE(holds(section->tiles.at(0).label, "by tree"));
}

TEST(ReportSystems, EfficiencyIsOfOneSystemAndAgainstItsFewestRanks) {
    const auto section = results::training_section(as_sources(
        {written_training({}),
         written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 1500.0}),
         written_training({.precision = "bf16", .tokens_per_s = 1200.0}),
         written_training({.plan = "dp=2,tp=2", .ranks = 4, .tokens_per_s = 1600.0}),
         written_training({.host = "right", .plan = "dp=2", .ranks = 2, .tokens_per_s = 9000.0})}));
    std::vector<std::string> kept;
    for (const auto& finding : sentences_of(section)) {
        if (holds(finding, "keeps")) kept.push_back(finding);
    }
    EXPECT_EQ(kept, std::vector<std::string>{
                        "From 1 rank to 2 ranks, training 'nano, fp32' keeps 75.0 % of "
                        "its throughput per core in use."});
    EXPECT_TRUE(holds(section->body, "<td>nano, fp32, dp=2,tp=2</td><td class=\"number\">4</td>"));
    EXPECT_TRUE(holds(section->body, "<td>nano, bf16, dp=1</td>"));
    // A throughput trace for each of the four systems, an ideal for the one with a curve.
    EXPECT_EQ(section->figures[0].traces.size(), 5U);
    EXPECT_EQ(section->figures[1].traces.size(), 2U);
}

TEST(ReportSystems, AMachineIsListedOnceWithTheRangeOfItsMemory) {
    auto sources = every_kind();
    sources[0].record.environment["machine"]["memory_bytes"] = 4294967296.0;
    auto section = results::machine_section(sources);
    EXPECT_TRUE(holds(section->body, "4 GiB to 8 GiB"));
    const auto headings = [&] {
        std::size_t count = 0;
        for (std::size_t i = 0; (i = section->body.find("<h3>", i)) != std::string::npos; ++i) {
            ++count;
        }
        return count;
    };
    EXPECT_EQ(headings(), 1U);
    sources[0].record.environment["machine"]["cpu"] = "another";
    section = results::machine_section(sources);
    EXPECT_EQ(headings(), 2U);
}

TEST(ReportFindings, TrainingSaysRateSpreadAndShare) {
    const auto sources =
        as_sources({written_training({.plan = "dp=4", .ranks = 4, .tokens_per_s = 12345.0})});
    expect_findings(results::training_section(sources),
                    {"Training 'nano, fp32' reaches up to 12 345 tokens/s, with dp=4 on 4 ranks (2 "
                     "steps that count: 12 345 to 12 345; too few for an interval); MFU 25.0 % of "
                     "the measured peak; 4 "
                     "ranks share 2 cores."});
    expect_findings(
        results::loss_section(sources),
        {"Training 'nano, fp32, dp=4' goes from a loss of 3.500 to 2.125 nats per token in 2 "
         "steps, 2.375 on text it was not trained on."});
    expect_findings(
        results::memory_section(sources),
        {"Measured memory is within a factor of 1.500 of the formula in every class of "
         "the training run.",
         "Of 1 rank in training, 0 sent exactly the bytes scheduled by their step programs."});
}

TEST(ReportImpossible, MoreComputeThanTheCoresCanGiveIsMarkedAndNotDrawn) {
    const auto busy = as_sources({written_training({.plan = "dp=4", .ranks = 4})});  // 60 % of 4
    const auto marked = results::time_split_section(busy);
    EXPECT_TRUE(marked->figures.empty());
    EXPECT_TRUE(marked->findings.empty());
    EXPECT_TRUE(
        holds(marked->body, "<td class=\"wrong\">error: exceeds the time of the cores</td>"));
    const auto fits = as_sources({written_training({.plan = "dp=2", .ranks = 2})});
    expect_findings(results::time_split_section(fits),
                    {"The training time of 'nano, fp32, dp=2' is 60.0 % compute, 30.0 % exposed "
                     "communication, 2.50 % data and 7.50 % optimizer."});
}

TEST(ReportImpossible, SharesAboveAllOfItAreErrors) {
    const auto kernels = results::roofline_section(as_sources({written_kernels(1.3125)}));
    EXPECT_EQ(kernels->findings[0].sentence,
              "1 of 2 kernel measurements lie above their bound, which is impossible: they are "
              "measurement errors, marked in the table and counted nowhere.");
    EXPECT_EQ(kernels->findings[1].sentence,
              "The fastest kernel on one core, layernorm forward, runs at 625 MFLOP/s, 50.0 % of "
              "its bound; "
              "half of the other 1 reach between 50.0 % and 50.0 % of theirs.");
    EXPECT_TRUE(
        holds(kernels->body, "<td class=\"wrong\">error: 131.2 % of what is possible</td>"));
    const auto run = results::training_section(as_sources({written_training({.mfu = 1.3125})}));
    EXPECT_TRUE(holds(run->findings[0].sentence, "MFU error: 131.2 % of what is possible"));
    const auto pair = results::training_section(
        as_sources({written_training({}),
                    written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 2250.0})}));
    EXPECT_TRUE(holds(pair->findings[1].sentence, "keeps error: 112.5 % of what is possible"));
}

TEST(ReportFindings, KernelsPipelinesBatchSizesAndSimulations) {
    const auto sources = every_kind();
    expect_findings(
        results::roofline_section(sources),
        {"The fastest kernel on one core, matmul, runs at 140 GFLOP/s, 80.0 % of its bound; half "
         "of all 2 kernel measurements reach between 57.5 % and 72.5 % of theirs."});
    expect_findings(
        results::pipeline_section(sources),
        {"The pipeline computes for at most 80.0 % of its time (95 % interval 79.0 % "
         "to 81.5 %), with 1f1b and 8 micro-batches; measurement and formula are at most "
         "a factor of 1.25 apart."});
    expect_findings(
        results::batch_size_section(sources),
        {"Batch size: at the target loss the gradient noise scale is 26.4 sequences "
         "(95 % interval 21.9 "
         "to 30.9); by the fitted curve, steps and tokens are twice their least at a batch of 56.2 "
         "sequences."});
    expect_findings(results::simulation_section(sources),
                    {"PREDICTED, not measured: all_reduce simulated on fat tree on 8 ranks, 1 MiB: "
                     "ring is fastest with 500 us, a bus bandwidth of 3.67 GB/s."});
}

TEST(ReportFindings, TheQuickestRunOfASystemIsNamedWhereverItStands) {
    const auto section = results::training_section(
        as_sources({written_training({}),
                    written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 1500.0}),
                    written_training({.plan = "dp=4", .ranks = 4, .tokens_per_s = 1200.0})}));
    const std::string& sentence = section->findings.at(0).sentence;
    EXPECT_TRUE(holds(sentence, "reaches up to 1 500 tokens/s, with dp=2 on 2 ranks")) << sentence;
}

TEST(ReportFindings, MemoryBelowItsFormulaIsAsFarOffAsAbove) {
    Record record = written_training({});
    numbers_of(record, "memory", "measured_bytes") = {524288.0};
    EXPECT_EQ(results::memory_section(as_sources({record}))->findings.at(0).sentence,
              "Measured memory is within a factor of 4.000 of the formula in every class of the "
              "training run.");
    numbers_of(record, "memory", "measured_bytes") = {2098006.0};  // of 2 MiB
    EXPECT_TRUE(holds(results::memory_section(as_sources({record}))->findings.at(0).sentence,
                      "within a factor of 1.001 of the formula"));
}

// The middle half, and what stands for an interval, are of the steps that the rate counts.
TEST(ReportFindings, StepsOfTheWarmUpAreInNoRange) {
    Record record = written_training({.tokens_per_s = 900.0});
    numbers_of(record, "summary", "uncounted_steps") = {1.0};
    numbers_of(record, "steps", "tokens_per_s") = {100.0, 900.0};
    const auto section = results::training_section(as_sources({record}));
    EXPECT_TRUE(holds(section->findings[0].sentence, "(1 step that counts: 900 to 900; too few"))
        << section->findings[0].sentence;
    EXPECT_TRUE(holds(section->body, ">900 to 900</td>")) << section->body;
    // Claims of more than there is, or of less than none, are no reason to fall.
    for (const double claimed : {1e9, -1e9}) {
        numbers_of(record, "summary", "uncounted_steps") = {claimed};
        EXPECT_TRUE(results::training_section(as_sources({record}))) << claimed;
    }
}

// Two folders' kernels.h5 were one record of two, and two machines called vm one.
TEST(ReportSystems, WhatSharesANameIsToldApart) {
    auto sources = as_sources({written_training({.host = "vm", .tokens_per_s = 700.0}),
                               written_training({.host = "vm", .tokens_per_s = 900.0})});
    sources[0].path = "/work/monday/kernels.h5";
    sources[1].path = "/work/tuesday/kernels.h5";
    sources[1].record.environment["machine"]["cpu"] = "AMD EPYC";
    results::name_apart(sources);
    EXPECT_EQ(sources[0].file(), "monday/kernels.h5");
    EXPECT_EQ(sources[1].file(), "tuesday/kernels.h5");
    const auto section = results::training_section(sources);
    EXPECT_EQ(results::finding_text(section->findings.back())
                  .substr(results::finding_text(section->findings.back()).find('[')),
              "[vm: AMD EPYC, 2 cores: tuesday/kernels.h5]");
    const std::string page = results::make_page(results::page_head(sources), {*section});
    EXPECT_TRUE(holds(page, "dp=1, vm: Processor of vm, 2 cores</span>"));
    EXPECT_TRUE(holds(page, "How well do these machines train?"));
}

}  // namespace
}  // namespace shardstone::validation
