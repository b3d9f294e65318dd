// SPDX-License-Identifier: BSD-3-Clause
// Journals of runs: what is read back, and what is refused. Killed runs:
// validation/use/recover_test.
#include "results/journal/journal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/journal/lines.hpp"
#include "results/journal/reason.hpp"
#include "results/journal/recover.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

using results::EvaluationRow;
using results::Journal;
using results::Record;

Record part_at(double step, double loss) {
    Record part;
    part.derived.push_back(results::table_of(std::vector<EvaluationRow>{{step, loss}}));
    part.verification.push_back({fmt::format("step {}", step), true, ""});
    return part;
}

std::vector<double> losses_in(const Record& record) {
    std::vector<double> losses;
    for (const auto& row : results::rows_of<EvaluationRow>(record))
        losses.push_back(row.validation_loss);
    return losses;
}

class JournalOfARun : public testing::Test {
  protected:
    Record begun() const {
        Record record = example_record();
        record.samples.clear();
        record.derived.clear();
        record.verification.clear();
        return record;
    }
    /// What a kill would leave now.
    results::Unfinished so_far() const {
        const auto copy = folder_ / "copy";
        std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
        return results::read_journal(copy);
    }
    std::string message_of(const std::string& bytes) const {
        results::write_file(path_, bytes);
        try {
            results::read_journal(path_);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    TemporaryFolder folder_;
    std::filesystem::path path_ = folder_ / "r.json.journal";
};

TEST_F(JournalOfARun, GivesBackEveryPartInOrder) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Journal journal(path_, begun(), "nothing yet");
    EXPECT_EQ(so_far().done, "nothing yet");
    EXPECT_TRUE(results::is_being_written(path_));
    EXPECT_THROW(results::read_journal(path_), Error) << "of a run that goes on";
    journal.add(part_at(1, 1.0 / 3.0), "1 of 3");
    journal.add(part_at(2, infinity), "2 of 3");
    const auto run = so_far();
    EXPECT_EQ(run.done, "2 of 3");
    EXPECT_EQ(losses_in(run.record), (std::vector{1.0 / 3.0, infinity}));
    EXPECT_EQ(run.record.verification.size(), 2U);
    EXPECT_EQ(run.record.identity.at("title"), begun().identity.at("title"));
    EXPECT_EQ(run.record.configuration, begun().configuration);
    journal.remove();
    EXPECT_FALSE(std::filesystem::exists(path_));
}

// A run that took the name meanwhile keeps its journal.
TEST_F(JournalOfARun, RemovesItsOwnOnly) {
    {
        Journal journal(path_, begun(), "");
        results::write_file(path_, "another's");
        journal.remove();
    }
    EXPECT_EQ(results::read_file(path_), "another's");
    EXPECT_FALSE(results::is_being_written(path_));
}

TEST_F(JournalOfARun, PartsWithinThePaceComeWithTheNext) {
    Journal journal(path_, begun(), "", std::chrono::milliseconds(200));
    journal.add(part_at(1, 0.5), "1");
    EXPECT_TRUE(losses_in(so_far().record).empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    journal.add(part_at(2, 0.25), "2");
    journal.add(part_at(3, 0.125), "3");  // waits for the next, like the first
    EXPECT_EQ(losses_in(so_far().record), (std::vector{0.5, 0.25}));
    EXPECT_EQ(so_far().done, "2");
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    journal.add(part_at(4, 0.0625), "4");
    EXPECT_EQ(losses_in(so_far().record), (std::vector{0.5, 0.25, 0.125, 0.0625}));
}

TEST_F(JournalOfARun, PartsThatWaitAreWrittenAsItCloses) {
    Journal journal(path_, begun(), "", std::chrono::hours(1));
    journal.add(part_at(1, 0.5), "1");
    journal.add(part_at(2, 0.25), "2");
    EXPECT_TRUE(losses_in(so_far().record).empty());
    journal.close();
    EXPECT_FALSE(results::is_being_written(path_));
    const auto run = results::read_journal(path_);
    EXPECT_EQ(losses_in(run.record), (std::vector{0.5, 0.25}));
    EXPECT_EQ(run.done, "2");
}

TEST_F(JournalOfARun, IsRefusedByLineAndField) {
    const std::string head = results::head_text(begun());
    const auto sealed = [&](const std::string& first, const std::string& second) {
        const std::string hash = results::line_hash("", first);
        return fmt::format("{} {}\n{} {}\n", hash, first, results::line_hash(hash, second), second);
    };
    const std::string part = results::part_text(part_at(1, 0.5), "1");
    EXPECT_EQ(message_of(sealed(head, part)), "");
    std::string forged = head;
    const auto identity = forged.find("\"configuration\":{");
    forged.replace(identity, std::string("\"configuration\":{").size(),
                   "\"configuration\":5,\"x\":{");
    EXPECT_NE(message_of(sealed(forged, part)).find("'configuration' is of the wrong type"),
              std::string::npos);
    std::string unknown = part;
    unknown.replace(unknown.find("\"evaluations\""), 13, "\"nonsenses__\"");
    EXPECT_NE(
        message_of(sealed(head, unknown)).find("'nonsenses__' is none that a record may hold"),
        std::string::npos);
    EXPECT_NE(message_of(sealed(head, "{\"done\": 3}")).find("line 2"), std::string::npos);
    EXPECT_NE(message_of(sealed(head, part).substr(0, 100)).find("cut in its first line"),
              std::string::npos);
}

TEST_F(JournalOfARun, OfAVersionThatThisProgramDoesNotKnowIsRefused) {
    const auto message_at = [&](int version) {
        auto head = nlohmann::ordered_json::parse(results::head_text(begun()));
        head["version"] = version;
        const std::string text = head.dump();
        return message_of(fmt::format("{} {}\n", results::line_hash("", text), text));
    };
    EXPECT_EQ(message_at(results::format_version), "");
    for (const int version : {99, results::format_version + 1, 0}) {
        const std::string begin =
            fmt::format("'{}' is a record of format version {};", path_.string(), version);
        EXPECT_TRUE(message_at(version).starts_with(begin))
            << "version " << version << ": " << message_at(version);
    }
}

TEST_F(JournalOfARun, TheFirstReasonSinceItBeganIsSaid) {
    Record record = begun();
    record.identity["start_time"] = "2026-11-22T10:00:00Z";
    EXPECT_EQ(results::reason_of_end(path_, record),
              "killed, or the power was lost: no rank could report why");
    const auto line = [](const char* time, int rank, const char* reason) {
        return fmt::format(
            R"({{"time": "{}", "host": "n1", "rank": {}, "phase": "step 12", "reason": "{}"}})"
            "\n",
            time, rank, reason);
    };
    results::write_file(folder_ / "r.json.failures.jsonl",
                        line("2026-11-22T09:59:59.900Z", 0, "of an earlier run") + "torn {\n" +
                            line("2026-11-22T10:00:01.250Z", 3, "planted disk") +
                            line("2026-11-22T10:00:01.300Z", 1, "its aftermath"));
    EXPECT_EQ(results::reason_of_end(path_, record), "rank 3 on n1, step 12: planted disk");
    // The start is known to the second.
    results::write_file(folder_ / "r.json.failures.jsonl",
                        line("2026-11-22T09:59:59.999Z", 0, "of an earlier run") +
                            line("2026-11-22T10:00:00.700Z", 2, "in the second of the start") +
                            line("2026-11-22T10:00:01.250Z", 3, "its aftermath"));
    EXPECT_EQ(results::reason_of_end(path_, record),
              "rank 2 on n1, step 12: in the second of the start");
}

}  // namespace
}  // namespace shardstone::validation
