// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "kernels/base/error.hpp"
#include "results/report/page.hpp"
#include "results/report/plotly.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/made_up_records.hpp"

namespace shardstone::validation {
namespace {

using results::Record;
using results::Section;
using results::Source;

std::vector<Source> sources_of(const std::vector<Record>& records) {
    std::vector<Source> sources;
    for (const Record& record : records) {
        sources.push_back({"made-up.h5", record, results::hash_of(record)});
    }
    return sources;
}

std::vector<Source> all_sources() {
    return sources_of({made_up_probe(), made_up_kernels(), made_up_collectives(),
                       made_up_training(1), made_up_training(2), made_up_training(8)});
}

std::vector<std::string> ids_of(const std::vector<Section>& sections) {
    std::vector<std::string> ids;
    for (const Section& section : sections) ids.push_back(section.id);
    return ids;
}

/// The message of the Error that reading these files ends with.
std::string refusal(const std::vector<std::filesystem::path>& paths) {
    try {
        results::read_sources(paths);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

bool has_finding(const Section& section, const std::string& words) {
    return std::ranges::any_of(section.findings, [&](const std::string& finding) {
        return finding.find(words) != std::string::npos;
    });
}

TEST(Report, SectionsAppearAsRecordsSupplyThem) {
    const std::vector<std::string> always{"machine", "verification", "provenance"};
    EXPECT_EQ(ids_of(results::make_sections(sources_of({example_record()}))), always);
    EXPECT_EQ(ids_of(results::make_sections(all_sources())),
              (std::vector<std::string>{"all-reduce", "training", "loss", "time", "memory",
                                        "kernels", "machine", "verification", "provenance"}));
}

TEST(Report, RefusesByNameWhatIsNotVerified) {
    const TemporaryFolder folder;
    Record record = made_up_probe();
    results::write_json(record, folder / "good.json");
    record.verification[0].passed = false;
    results::write_json(record, folder / "failed.json");
    record.verification.clear();
    results::write_hdf5(record, folder / "unchecked.h5");
    EXPECT_EQ(refusal({folder / "good.json"}), "");
    EXPECT_NE(refusal({folder / "good.json", folder / "failed.json"}).find("failed.json"),
              std::string::npos);
    EXPECT_NE(refusal({folder / "failed.json"}).find("triad result is exact"), std::string::npos);
    EXPECT_NE(refusal({folder / "unchecked.h5"}).find("unchecked.h5"), std::string::npos);
}

TEST(Report, RefusesARunGivenTwiceAlsoAsItsTwin) {
    const TemporaryFolder folder;
    const Record record = made_up_probe();
    results::write_json(record, folder / "run.json");
    results::write_hdf5(record, folder / "run.h5");
    const std::string message = refusal({folder / "run.json", folder / "run.h5"});
    EXPECT_NE(message.find("run.h5"), std::string::npos);
    EXPECT_NE(message.find("run.json"), std::string::npos);
}

TEST(Report, NamesTheFileThatLacksAColumn) {
    Record record = made_up_collectives();
    auto& columns = record.derived[0].columns;
    std::erase_if(columns, [](const auto& column) { return column.name == "predicted_s"; });
    try {
        results::make_sections(sources_of({record}));
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("made-up.h5"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("predicted_s"), std::string::npos);
    }
}

TEST(Report, EfficiencyIsCountedAgainstTheCores) {
    // Made-up throughput: 9000 * min(ranks, 2) * (1 - 0.012 ranks) on 2 cores, so per core in use
    // 8 ranks keep 0.904 / 0.988.
    const auto section = results::training_section(all_sources());
    ASSERT_TRUE(section);
    EXPECT_TRUE(has_finding(*section, "keeps 91.5 %")) << section->findings.back();
    EXPECT_TRUE(has_finding(*section, "2 cores, which the ranks share"));
    EXPECT_NE(section->lead.find("more ranks than the machine has cores"), std::string::npos);
    const auto alone = results::training_section(sources_of({made_up_training(1)}));
    EXPECT_EQ(alone->lead.find("more ranks"), std::string::npos);
}

TEST(Report, EqualLossesAreSaidToBeEqualAndOthersAreNot) {
    auto equal = sources_of({made_up_training(1), made_up_training(2)});
    EXPECT_TRUE(has_finding(*results::loss_section(equal), "equal bit by bit"));
    auto& losses = equal[1].record.samples[0].columns[1].numbers;
    losses[7] = std::nextafter(losses[7], 0.0);
    EXPECT_FALSE(has_finding(*results::loss_section(equal), "equal bit by bit"));
}

TEST(Report, AnAdvantageInsideTheIntervalsIsSaidToBeUncertain) {
    auto sources = sources_of({made_up_collectives()});
    EXPECT_FALSE(has_finding(*results::all_reduce_section(sources), "within the uncertainty"));
    for (auto& column : sources[0].record.derived[0].columns) {
        if (column.name == "time_low_s") std::ranges::fill(column.numbers, 0.0);
        if (column.name == "time_high_s") std::ranges::fill(column.numbers, 1.0);
    }
    EXPECT_TRUE(has_finding(*results::all_reduce_section(sources), "within the uncertainty"));
}

TEST(Report, NcclIsARivalLikeMpi) {
    auto sources = sources_of({made_up_collectives()});
    EXPECT_TRUE(has_finding(*results::all_reduce_section(sources), "library's own, mpi, takes"));
    // The ring, which has the highest bandwidth, is now a library's; at 4 B it is quicker than MPI.
    std::ranges::replace(sources[0].record.derived[0].columns[0].texts, "ring", "nccl");
    const auto section = results::all_reduce_section(sources);
    EXPECT_TRUE(has_finding(*section, "library's own, nccl, takes"));
    EXPECT_TRUE(has_finding(*section, "library's own, nccl, reaches"));
    EXPECT_FALSE(has_finding(*section, "by nccl at"));
}

TEST(Report, NoTextOfARecordIsTakenForMarkup) {
    const std::string evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";
    Record record = made_up_collectives();
    record.identity["title"] = evil;
    record.environment["machine"]["host"] = evil;
    record.verification[0].detail = evil;
    for (auto& text : record.derived[0].columns[0].texts) text += evil;
    const auto sources = sources_of({record});
    const std::string page = results::make_page(results::page_head(sources),
                                                results::make_sections(sources), "/* plotly */");
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_EQ(page.find("<img"), std::string::npos);
}

TEST(Report, ThePageRefersToNothingOutside) {
    const auto sources = all_sources();
    const std::string page = results::make_page(results::page_head(sources),
                                                results::make_sections(sources), "/* plotly */");
    EXPECT_EQ(page.find("http:"), std::string::npos);
    EXPECT_EQ(page.find("https:"), std::string::npos);
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(Plotly, AnotherFileIsRefused) {
    const TemporaryFolder folder;
    std::ofstream(folder / "other.js") << "console.log(1)";
    EXPECT_THROW(results::load_plotly(folder / "other.js"), Error);
    EXPECT_THROW(results::load_plotly(folder / "absent.js"), Error);
    std::ofstream(folder / "unsafe.js") << "/* plotly.js v2 */ '</script>'";
    EXPECT_THROW(results::load_plotly(folder / "unsafe.js"), Error);
}

}  // namespace
}  // namespace shardstone::validation
