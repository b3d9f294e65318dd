// SPDX-License-Identifier: BSD-3-Clause
// That the page holds everything it was given, and what it is as a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"
#include "results/report/page.hpp"
#include "results/report/page_seal.hpp"
#include "results/report/section.hpp"
#include "validation/unit/results/closed_folder.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using results::Given;
using results::Record;
using results::Section;
using results::Source;

std::vector<Source> every_kind() {
    return as_sources({written_collectives(), written_training({}), written_kernels(0.8),
                       written_pipeline(), written_batch_size(), written_simulation()});
}

std::string page_of(const Given& given) {
    const auto sections = results::make_sections(given);
    return results::make_page(results::page_head(given.sources), sections);
}

std::vector<std::string> ids_of(const std::vector<Section>& sections) {
    std::vector<std::string> ids;
    for (const Section& section : sections) ids.push_back(section.id);
    return ids;
}

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

TEST(ReportIsComplete, EveryTableOfEveryRecordIsShown) {
    const Given given{every_kind(), {}};
    EXPECT_EQ(ids_of(results::make_sections(given)),
              (std::vector<std::string>{"collectives", "simulation", "training", "loss", "time",
                                        "memory", "pipeline", "batch-size", "kernels", "machine",
                                        "verification", "provenance"}));
}

TEST(ReportIsComplete, ATableThatNoSectionReadsIsNamed) {
    auto record = written_pipeline();
    record.derived.push_back({"novelty", {{"value", {1.0}, {}}}});
    const auto sections = results::make_sections({as_sources({record}), {{"b.h5", "it failed"}}});
    ASSERT_EQ(sections.back().id, "not-shown");
    EXPECT_TRUE(
        holds(sections.back().body, "<td>b.h5</td><td>the whole file</td><td>it failed</td>"));
    EXPECT_TRUE(holds(sections.back().body, "<td>a.h5</td><td>table &#39;novelty&#39;</td>"));
    EXPECT_FALSE(holds(sections.back().body, "utilisation"));
}

TEST(ReportIsComplete, WhatIsNotVerifiedOrGivenTwiceIsNamedWithWhy) {
    const TemporaryFolder folder;
    Record record = written_pipeline();
    results::write_json(record, folder / "good.json");
    results::write_hdf5(record, folder / "twin.h5");
    record.verification[0].passed = false;
    results::write_json(record, folder / "failed.json");
    record.verification.clear();
    results::write_hdf5(record, folder / "unchecked.h5");
    const auto given = results::read_sources({folder / "good.json", folder / "twin.h5",
                                              folder / "failed.json", folder / "unchecked.h5"});
    EXPECT_EQ(given.sources.size(), 1U);
    ASSERT_EQ(given.refused.size(), 3U);
    EXPECT_TRUE(holds(given.refused[0].why, "good.json"));
    EXPECT_TRUE(holds(given.refused[1].file, "failed.json"));
    EXPECT_TRUE(
        holds(given.refused[1].why, "the check 'the sums are exact' failed (all elements)"));
    EXPECT_TRUE(holds(given.refused[2].why, "holds no verification"));
    EXPECT_THROW(results::read_sources({folder / "unchecked.h5"}), Error);
}

// What was in a folder when it was listed; what is named on a command line is another thing.
TEST(ReportIsComplete, WhatIsGoneOrClosedIsNamedWithWhy) {
    const TemporaryFolder folder;
    results::write_json(written_pipeline(), folder / "good.json");
    std::filesystem::create_symlink("loop.json", folder / "loop.json");
    std::filesystem::create_directory(folder / "closed");
    const ClosedFolder closed(folder / "closed");
    const auto given = results::read_sources(
        {folder / "gone.json", folder / "good.json", folder / "loop.json", folder / "closed"});
    EXPECT_EQ(given.sources.size(), 1U);
    ASSERT_EQ(given.refused.size(), 3U);
    EXPECT_TRUE(holds(given.refused[0].why, "gone.json': No such file or directory"));
    EXPECT_TRUE(holds(given.refused[1].why, "Too many levels of symbolic links"));
    EXPECT_EQ(given.refused[2].why, "it is a folder that cannot be read: Permission denied");
}

TEST(ReportIsComplete, NamesTheFileThatLacksAColumn) {
    Record record = written_collectives();
    std::erase_if(record.derived[0].columns, [](const auto& c) { return c.name == "predicted_s"; });
    try {
        results::make_sections({as_sources({record}), {}});
        FAIL();
    } catch (const Error& error) {
        EXPECT_TRUE(holds(error.what(), "a.h5"));
        EXPECT_TRUE(holds(error.what(), "predicted_s"));
    }
}

TEST(ReportPage, EqualLossesAreSaidToBeEqualAndOthersAreNot) {
    auto pair = as_sources({written_training({}), written_training({.plan = "dp=2", .ranks = 2})});
    const auto said_to_be_equal = [&] {
        return holds(results::loss_section(pair)->findings.back().sentence, "equal bit by bit");
    };
    EXPECT_TRUE(said_to_be_equal());
    auto& losses = pair[1].record.derived.back().columns[1].numbers;
    ASSERT_EQ(losses.size(), 2U);
    for (std::size_t at = 0; at < losses.size(); ++at) {
        const double before = std::exchange(losses[at], std::nextafter(losses[at], 0.0));
        EXPECT_FALSE(said_to_be_equal()) << "loss " << at << " differs";
        losses[at] = before;
    }
}

TEST(ReportPage, EveryFigureAndTableNamesItsFileAndCommand) {
    Given given{every_kind(), {}};
    given.sources.front().record.environment["variables"] = {{"OMP_PLACES", "{0:4}"}};
    const auto page = page_of(given);
    EXPECT_TRUE(holds(page,
                      "<div>a.h5: <code>OMP_PLACES=&#39;{0:4}&#39; mpiexec -n 3 shardstone "
                      "collectives --small</code>"));
    std::size_t figures = 0, origins = 0;
    for (std::size_t i = 0; (i = page.find("<figure", i)) != std::string::npos; ++i) {
        ++figures;
        const std::string figure = page.substr(i, page.find("</figure>", i) - i);
        origins += holds(figure, "class=\"origin\"") ? 1 : 0;
    }
    EXPECT_EQ(figures, origins);
    EXPECT_GE(figures, 10U);
}

TEST(ReportPage, NoTextOfARecordIsTakenForMarkup) {
    const std::string evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";
    Record record = written_collectives();
    record.identity["title"] = evil;
    record.identity["command_line"] = {evil, evil};
    record.environment["machine"]["host"] = evil;
    record.environment["variables"]["UCX_TLS"] = evil;
    record.verification[0].detail = evil;
    for (auto& text : record.derived[0].columns[1].texts) text += evil;
    const std::string page = page_of({as_sources({record}), {{evil, evil}}});
    EXPECT_FALSE(holds(page, "<script>alert"));
    EXPECT_FALSE(holds(page, "<img"));
}

TEST(ReportPage, IsSmallAndRefersToNothingOutside) {
    const std::string page = page_of({every_kind(), {}});
    const std::string text = page.substr(0, page.find("</main>"));
    EXPECT_FALSE(holds(text, "http:"));
    EXPECT_FALSE(holds(text, "https:"));
    EXPECT_FALSE(holds(page, "sourceMappingURL"));
    EXPECT_FALSE(holds(page, " src="));
    EXPECT_TRUE(holds(page, "default-src 'none'"));
    EXPECT_FALSE(holds(page, "unsafe-eval"));
    EXPECT_LT(page.size(), 2000000U);
}

TEST(ReportPage, AnyChangedByteBreaksItsSeal) {
    const std::string page = page_of({every_kind(), {}});
    EXPECT_TRUE(results::is_sealed_page(page));
    EXPECT_NO_THROW(results::require_page_unchanged(page, "report.html"));
    std::size_t digits = 0;
    for (std::size_t i = page.find("<main>"); i < page.size(); i += 977) {
        std::string changed = page;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_THROW(results::require_page_unchanged(changed, "report.html"), Error) << i;
        ++digits;
    }
    EXPECT_GT(digits, 100U);
    EXPECT_THROW(results::require_page_unchanged(page + "\n", "report.html"), Error);
    EXPECT_THROW(results::require_page_unchanged(page.substr(0, 500), "report.html"), Error);
    EXPECT_FALSE(results::is_sealed_page("<html></html>"));
}

TEST(ReportPage, ItsHeadNamesTheFirstAndTheLastDay) {
    auto sources = every_kind();
    for (auto& source : sources) source.record.identity["start_time"] = "2026-03-04T23:59:59Z";
    EXPECT_TRUE(holds(results::page_head(sources).subtitle, "runs, 2026-03-04. "));
    sources[1].record.identity["start_time"] = "2026-03-09T00:00:01Z";
    sources[2].record.identity["start_time"] = "2026-02-28T12:00:00Z";
    EXPECT_TRUE(holds(results::page_head(sources).subtitle, "runs, 2026-02-28 to 2026-03-09. "))
        << results::page_head(sources).subtitle;
}

// Between GPUs nothing chooses among ours: what a new cluster is asked for first is NCCL's rate.
TEST(ReportFindings, BetweenGpusTheLibrarysOwnLeads) {
    auto record = written_collectives();
    record.configuration["device"] = "cuda";
    auto& names = record.derived[0].columns[1].texts;
    std::ranges::replace(names, "auto", "over_nccl:ring");
    std::ranges::replace(names, "ring", "over_pinned:ring");
    std::ranges::replace(names, "mpi", "nccl");
    const auto section = results::collectives_section(as_sources({record}));
    EXPECT_TRUE(holds(section->findings[0].sentence, "`nccl` takes 40.0 us"))
        << section->findings[0].sentence;
    EXPECT_FALSE(holds(section->findings[0].sentence, "times"));
    for (const auto& finding : section->findings) {
        EXPECT_FALSE(holds(finding.sentence, "the library's own at")) << finding.sentence;
    }
    ASSERT_FALSE(section->tiles.empty());
    EXPECT_TRUE(holds(section->tiles[0].label, ", by nccl"));
}

}  // namespace
}  // namespace shardstone::validation
