// SPDX-License-Identifier: BSD-3-Clause
// What is kept of a failure: on the disk, as JSON, for each who has something to say.
#include "kernels/base/failure_log.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/base/utf8.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

using nlohmann::json;

std::vector<json> lines_of(const std::filesystem::path& path) {
    std::vector<json> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
    return lines;
}

/// Of "2026-11-22T10:20:30.123Z"; text of another form is the beginning of time.
std::chrono::system_clock::time_point time_in(const std::string& text) {
    using namespace std::chrono;
    std::tm fields{};
    const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S.", &fields);
    if (rest == nullptr || std::string(rest).size() != 4 || rest[3] != 'Z') return {};
    return system_clock::from_time_t(timegm(&fields)) + milliseconds(std::stoi(rest));
}

class FailureLog : public testing::Test {
  protected:
    FailureLog() {
        setenv("TMPDIR", folder_.path().c_str(), 1);
        name_speaker(3, "node-\xff");
        enter_phase("step", 12);
    }
    ~FailureLog() override { unsetenv("TMPDIR"); }
    std::filesystem::path fallback() const {
        return folder_ / ("shardstone-failures-" + std::to_string(geteuid()) + ".jsonl");
    }
    TemporaryFolder folder_;
};

TEST_F(FailureLog, SaysWhoWhereWhenAndWhy) {
    keep_failures_beside(folder_ / "r.json");
    const auto before = std::chrono::system_clock::now();
    note_failure("a \"quoted\" reason\twith \xfe in it", ExitCode::output_lost);
    enter_phase("writing");
    const auto after = std::chrono::system_clock::now();
    note_failure("another", ExitCode::diverged);
    const auto lines = lines_of(folder_ / "r.json.failures.jsonl");
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("reason"), "a \"quoted\" reason\twith \\xfe in it");
    EXPECT_EQ(lines[0].at("host"), "node-\\xff");
    EXPECT_EQ(lines[0].at("rank"), 3);
    EXPECT_EQ(lines[0].at("pid"), getpid());
    EXPECT_EQ(lines[0].at("phase"), "step 12");
    EXPECT_EQ(lines[0].at("code"), 6);
    const std::string time = lines[0].at("time");
    EXPECT_GE(time_in(time), std::chrono::floor<std::chrono::milliseconds>(before)) << time;
    EXPECT_LE(time_in(time), after) << time;
    EXPECT_EQ(lines[1].at("phase"), "writing");
    EXPECT_FALSE(std::filesystem::exists(fallback()));
}

TEST_F(FailureLog, TakesTheDefaultPlaceWhereItMustAndNeverALink) {
    keep_failures_beside(folder_ / "absent" / "r.json");
    note_failure("first", ExitCode::lost_rank);
    ASSERT_EQ(lines_of(fallback()).size(), 1U);
    std::filesystem::remove(fallback());
    std::ofstream(folder_ / "precious") << "precious\n";
    std::filesystem::create_symlink(folder_ / "precious", fallback());
    note_failure("second", ExitCode::lost_rank);
    EXPECT_EQ(std::filesystem::file_size(folder_ / "precious"), 9U);
}

TEST_F(FailureLog, KeepsALineWholeHoweverLongTheReason) {
    keep_failures_beside(folder_ / "r.json");
    note_failure(std::string(20000, '\x01').c_str(), ExitCode::our_bug);
    note_failure(std::string(20000, '\xff').c_str(), ExitCode::our_bug);
    EXPECT_EQ(lines_of(folder_ / "r.json.failures.jsonl").size(), 2U);
}

TEST(Utf8, EscapesWhatIsNotAndLeavesTheRest) {
    for (const char* text : {"", "plain", "\u00fc \u20ac \U0001f600", "\\x41"}) {
        EXPECT_EQ(as_utf8(text), text);
    }
    EXPECT_EQ(as_utf8("a\xff"
                      "b"),
              "a\\xffb");
    EXPECT_EQ(as_utf8(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(as_utf8("cut \xe2\x82"), "cut \\xe2\\x82");
    EXPECT_EQ(as_utf8("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
    EXPECT_EQ(as_utf8("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(as_utf8("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
    // All of one and two bytes, against the library that would refuse them.
    for (int first = 1; first < 256; ++first) {
        for (int second = 1; second < 256; ++second) {
            const std::string text{static_cast<char>(first), static_cast<char>(second)};
            ASSERT_NO_THROW(static_cast<void>(json(as_utf8(text)).dump()))
                << first << " " << second;
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
