// SPDX-License-Identifier: BSD-3-Clause
// `shardstone verify`: are records and reports what was written, and did the runs' checks pass?
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/passed_over.hpp"
#include "jobs/command/progress.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "results/bundle/judge.hpp"
#include "results/bundle/sha256.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/recover.hpp"
#include "results/record/fault.hpp"
#include "results/record/nature.hpp"
#include "results/report/page_seal.hpp"
#include "results/schema/own_verdict.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::command::verify_command {

namespace {

namespace fs = std::filesystem;

/// `unknown`: only another version could tell.
enum class Verdict : std::uint8_t { good, bad, unknown, left_out };

struct Judgement {
    Verdict verdict = Verdict::bad;
    std::string text;
    std::vector<std::string> details = {};  ///< one line each
    bool tells_of_no_pass = false;          ///< what its runs tested did not pass
};

const char* word_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::good:
            return "good";
        case Verdict::bad:
            return "BAD";
        case Verdict::unknown:
            return "?";
        case Verdict::left_out:
            return "-";
    }
    return "";
}

/// Records of one run, in either format, hold the same.
using HashById = std::map<std::string, std::pair<std::string, std::string>>;

void require_same_as_twin(const results::Record& record, const std::string& file, HashById& seen) {
    const auto [first, fresh] =
        seen.emplace(record.identity.value("id", file), std::pair{record.hash, file});
    require(fresh || first->second.first == record.hash, [&] {
        return fmt::format("'{}' and '{}' have different contents, though both are of run {}", file,
                           first->second.second, first->first);
    });
}

/// Sound figures that nobody measured are not to be taken for measurements.
std::string nature_note(const results::Record& record) {
    switch (results::nature_of(record)) {
        case results::Nature::paced:
            return "; PACED: " + results::nature_in_words(record);
        case results::Nature::simulated:
            return "; SIMULATED: " + results::nature_in_words(record);
        case results::Nature::emulated:
            return "; EMULATED: " + results::nature_in_words(record);
        case results::Nature::described:
            return "; DESCRIBED: " + results::nature_in_words(record);
        case results::Nature::measured:
        case results::Nature::computed:
            break;
    }
    return "";
}

std::vector<std::string> as_list(std::vector<std::string> lines) {
    for (std::string& line : lines) line = "- " + line;
    return lines;
}

Judgement judge_record(const std::filesystem::path& path, HashById& seen) {
    const auto record = results::read_record(path);
    if (record.version == results::format_version) results::require_described(record);
    require_same_as_twin(record, path.string(), seen);
    const auto failed = std::ranges::find(record.verification, false, &results::Check::passed);
    if (record.verification.empty()) return {Verdict::bad, "unchanged, but its run made no checks"};
    if (failed != record.verification.end()) {
        return {Verdict::bad, fmt::format("unchanged, but {}{}", results::fault_of(*failed),
                                          nature_note(record))};
    }
    const auto checks = counted(std::ssize(record.verification), "check");
    const auto own = results::own_verdict(record);
    if (!own) {
        return {Verdict::good, fmt::format("unchanged, {} passed{}", checks, nature_note(record))};
    }
    return {Verdict::good,
            fmt::format("unchanged, {} of the run itself passed; its verdict on what it tested is "
                        "{}{}",
                        checks, results::verdict_words(*own), nature_note(record)),
            as_list(own->reasons), !own->passed()};
}

Judgement judge_page(const std::filesystem::path& path) {
    results::require_page_unchanged(results::read_file(path), path.string());
    return {Verdict::good, "unchanged report"};
}

Judgement judge_archive(const fs::path& path) {
    ProgressLine line(true, "reading " + path.string());
    const auto bytes = results::read_file(path);
    const auto found = results::judge_bundle(bytes, path.string(), [&](const std::string& what) {
        line.say(path.string() + ": " + what);
    });
    if (!found.wrong.empty()) {
        return {Verdict::bad, found.wrong.size() == 1 ? "changed" : "changed, in several places",
                found.wrong};
    }
    const std::string sum = "; SHA-256 " + results::sha256_of(bytes);
    const Verdict verdict = found.undecided.empty() ? Verdict::good : Verdict::unknown;
    return {verdict, found.summary + sum, found.notes, found.tells_of_no_pass};
}

/// A journal beside the records of a folder is no record yet; that of a run that goes on is well.
Judgement judge_journal(const fs::path& path) {
    if (results::is_being_written(path)) return {Verdict::left_out, "of a run still in progress"};
    const auto run = results::save_from_journal(path);
    return {Verdict::left_out,
            fmt::format("results of a run that ended early ({}): shardstone recover {}{}", run.done,
                        path.string(), run.damage.empty() ? "" : "; " + run.damage)};
}

/// `named`: on the command line, not found in a folder, where other things may lie.
Judgement judge(const fs::path& path, bool named, HashById& seen) {
    try {
        if (path.extension() == ".html") return judge_page(path);
        if (path.extension() == ".zip") return judge_archive(path);
        if (!named && path.extension() == results::journal_ending) return judge_journal(path);
        if (!named && results::is_foreign(path)) {
            return {Verdict::left_out, "not a record: other JSON"};
        }
        return judge_record(path, seen);
    } catch (const Error& error) {
        return {Verdict::bad, error.what()};
    }
}

void print(const fs::path& file, const Judgement& judgement) {
    fmt::print("{:<6}  {}: {}\n", word_of(judgement.verdict), file.string(),
               Error(judgement.text).what());
    for (const auto& detail : judgement.details) fmt::print("        {}\n", Error(detail).what());
}

int verify(const std::vector<fs::path>& paths) {
    const std::vector<std::string> endings{".json", ".h5", ".html", ".zip", ".journal"};
    HashById seen;
    std::map<Verdict, std::size_t> counts;
    std::size_t no_pass = 0;
    for (const auto& file : results::files_below(paths, endings)) {
        const bool named = std::ranges::find(paths, file) != paths.end();
        const Judgement judgement = judge(file, named, seen);
        ++counts[judgement.verdict];
        no_pass += judgement.tells_of_no_pass ? 1 : 0;
        print(file, judgement);
    }
    tell_passed_over(paths, endings);
    const std::size_t judged =
        counts[Verdict::good] + counts[Verdict::bad] + counts[Verdict::unknown];
    fmt::print(
        "{} of {} files are good{}{}\n", counts[Verdict::good], judged,
        counts[Verdict::left_out] == 0
            ? ""
            : fmt::format(", {} left out (-)", counts[Verdict::left_out]),
        no_pass == 0 ? "" : fmt::format("; by {} of them, what was tested did NOT pass", no_pass));
    return counts[Verdict::good] > 0 && counts[Verdict::good] == judged ? 0 : 1;
}

std::function<int()> declare(CLI::App& app) {
    const auto paths = std::make_shared<std::vector<std::filesystem::path>>();
    app.add_option("FILE", *paths,
                   "Records (.h5 or .json), reports (.html), bundles (.zip), or folders of them")
        ->required()
        ->expected(1, -1);
    return [paths] { return verify(*paths); };
}

const Registration registration{
    {"verify",
     "Check that records, reports and bundles are unaltered, and that the runs' checks passed",
     "A hash over all bytes of a file and one over its contents detect any change, even of one "
     "digit; they detect accidents, not forgery. Records of one run in both formats must have the "
     "same contents.\n"
     "Of a bundle ('shardstone bundle') it also makes the report, the tables and the manifest "
     "again "
     "from the records, and computes the records' figures again from their samples: whatever "
     "differs is named, with file, figure or row, even if all hashes were made to fit, and so are "
     "samples that no run could have measured. What was "
     "paced, simulated, emulated or described by files must be called so. Made by another version "
     "of "
     "Shardstone, whose report "
     "this one cannot make again, a bundle with right hashes is '?': neither good nor bad.\n"
     "In a folder, JSON files of other programs and journals of runs that ended early are listed "
     "and left out; so are records whose names have another ending (--json run.txt), and files of "
     "other kinds are counted.\n"
     "good is the file, not what it tells of: a cluster that failed its validation leaves a good "
     "record of that. The verdict of such a run (PASS, FAIL, INCONCLUSIVE) stands in the line of "
     "its record, and below that of a bundle; it changes no exit code here, since it is that of "
     "the run: 'shardstone validate interconnect' itself ends with 0 only for PASS.\n"
     "Exit code 1: a file is bad or '?', or there is none. All codes: shardstone --help\n"
     "Examples\n  shardstone verify out/quickstart\n  shardstone verify pod7.zip",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::verify_command
