// SPDX-License-Identifier: BSD-3-Clause
// `shardstone verify`: are records and reports what was written, and did the runs' checks pass?
#include <fmt/format.h>

#include <map>
#include <memory>

#include "jobs/command/command.hpp"
#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/report/page_seal.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::command::verify_command {

namespace {

struct Judgement {
    bool good = false;
    std::string text;
};

/// Records of one run, in either format, hold the same.
using HashById = std::map<std::string, std::pair<std::string, std::string>>;

void require_same_as_twin(const results::Record& record, const std::string& file, HashById& seen) {
    const auto [first, fresh] =
        seen.emplace(record.identity.value("id", file), std::pair{record.hash, file});
    require(fresh || first->second.first == record.hash, [&] {
        return fmt::format("'{}' does not hold what '{}' does, though both are of run {}", file,
                           first->second.second, first->first);
    });
}

Judgement judge_record(const std::filesystem::path& path, HashById& seen) {
    const auto record = results::read_record(path);
    if (record.version == results::format_version) results::require_described(record);
    require_same_as_twin(record, path.string(), seen);
    const auto failed = std::ranges::find(record.verification, false, &results::Check::passed);
    if (record.verification.empty()) return {false, "unchanged, but its run checked nothing"};
    if (failed != record.verification.end()) {
        return {false, fmt::format("unchanged, but a check failed: {} ({})", failed->name,
                                   failed->detail)};
    }
    return {true, fmt::format("unchanged, {} checks passed", record.verification.size())};
}

Judgement judge_page(const std::filesystem::path& path) {
    results::require_page_unchanged(results::read_file(path), path.string());
    return {true, "unchanged report"};
}

Judgement judge(const std::filesystem::path& path, HashById& seen) {
    try {
        return path.extension() == ".html" ? judge_page(path) : judge_record(path, seen);
    } catch (const Error& error) {
        return {false, error.what()};
    }
}

int verify(const std::vector<std::filesystem::path>& paths) {
    HashById seen;
    std::size_t bad = 0;
    const auto files = results::files_below(paths, {".json", ".h5", ".html"});
    for (const auto& file : files) {
        const Judgement judgement = judge(file, seen);
        if (!judgement.good) ++bad;
        fmt::print("{:<6}  {}: {}\n", judgement.good ? "good" : "BAD", file.string(),
                   judgement.text);
    }
    fmt::print("{} of {} files are good\n", files.size() - bad, files.size());
    return bad == 0 ? 0 : 1;
}

std::function<int()> declare(CLI::App& app) {
    const auto paths = std::make_shared<std::vector<std::filesystem::path>>();
    app.add_option("FILE", *paths, "Records (.h5 or .json), reports (.html), or folders of them")
        ->required()
        ->expected(1, -1);
    return [paths] { return verify(*paths); };
}

const Registration registration{
    {"verify", "Whether records and reports are as they were written, and the runs' checks passed",
     "A hash over all bytes of a file and one over its contents find any change, be it of one "
     "digit; they find accidents, they do not stop forgers. Records of one run in both formats "
     "must "
     "hold the same.\n"
     "Exit code 1: a file is not good. All codes: shardstone --help\n"
     "Example\n  shardstone verify out/quickstart",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::verify_command
