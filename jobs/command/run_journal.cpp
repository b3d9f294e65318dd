// SPDX-License-Identifier: BSD-3-Clause
// Journals each finished part of a run, and makes a record of the journal if the run is cut short.
#include "jobs/command/run_journal.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "collectives/watchdog/last_words.hpp"
#include "jobs/command/go_on.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/standard_streams.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/recover.hpp"
#include "results/record/incomplete.hpp"

namespace shardstone::command {

namespace {

namespace fs = std::filesystem;

/// One run, one record, one journal.
struct Keeper {
    std::recursive_timed_mutex mutex;
    fs::path path;
    std::unique_ptr<results::Journal> journal;
    fs::path json, hdf5;
    bool given_up = false;                       ///< it could not be made
    std::string done;                            ///< how far the run is
    std::string in_words;                        ///< how far the run is that the journal has all of
    TellEarlyEnd tell;                           ///< may be empty
    bool in_trouble = false, overflown = false;  ///< as was said last
};
Keeper& keeper() {
    static Keeper of_this_run;
    return of_this_run;
}

/// Empty where no file is written.
fs::path journal_beside(const fs::path& json, const fs::path& hdf5) {
    fs::path output = json.empty() || json == stdout_name ? hdf5 : json;
    if (!output.empty()) output += results::journal_ending;
    return output;
}

void warn(const std::string& text) {
    say_failure(("warning: " + text).c_str(), /*with_rank=*/false);
}

/// A line when the disk begins to refuse, one when it takes all again, one when too much waits.
void tell_trouble(const results::Journal& journal, const std::string& done) {
    const std::string& trouble = journal.trouble();
    if (!trouble.empty() && !keeper().in_trouble) {
        warn(trouble + "; results are kept in memory, and writing is retried with every part");
    }
    if (trouble.empty() && !journal.overflown()) keeper().in_words = done;
    if (trouble.empty() && keeper().in_trouble && !journal.overflown()) {
        warn(fmt::format("the journal '{}' is being written again: {}", journal.path().string(),
                         done));
    }
    if (journal.overflown() && !keeper().overflown) {
        warn(fmt::format(
            "too much is waiting in memory for the journal '{}': nothing more is added to it",
            journal.path().string()));
    }
    keeper().in_trouble = !trouble.empty();
    keeper().overflown = journal.overflown();
}

/// In words that follow the reason why there is no record; empty where there is no journal.
std::string what_is_in_the_journal() {
    const auto& journal = keeper().journal;
    if (!journal) return "";
    const std::string place = journal->place().string();
    if (place.empty()) {
        return fmt::format(
            "; the journal '{}' was removed while this ran, and what was in it is lost",
            journal->path().string());
    }
    if (journal->trouble().empty() && !journal->overflown()) {
        return fmt::format("; the results remain in the journal '{}', too", place);
    }
    const std::string why = journal->trouble().empty() ? "" : " (" + journal->trouble() + ")";
    return fmt::format("; the journal '{}' lacks what was measured after: {}{}", place,
                       keeper().in_words, why);
}

/// What is in the journal, as a record that says why there is no more; what the command has to say
/// of that first. Gives up where the thread that works is writing the record just now.
void seal(const std::string& reason) {
    constexpr std::chrono::seconds longest_part{1};
    const std::unique_lock held(keeper().mutex, longest_part);
    if (!held) return;
    if (keeper().tell) std::exchange(keeper().tell, {})(keeper().done, reason);
    if (!keeper().journal || keeper().given_up) return;
    try {
        keeper().journal->close();
        auto run = results::read_journal(keeper().journal->path());
        run.record.verification.push_back(results::incomplete_check(run.done, reason));
        note_how_to_go_on(run.record, keeper().json, keeper().hdf5);
        write_formats(run.record, keeper().json, keeper().hdf5, [] {
            if (keeper().journal) keeper().journal->remove();
            keeper().journal.reset();
        });
        forget_failures_of_replaced();
        say_how_to_go_on();
    } catch (const std::exception& error) {
        say_failure((error.what() + what_is_in_the_journal()).c_str(), /*with_rank=*/false);
    }
}

}  // namespace

void begin_journal(const results::Record& begun, const std::string& done, const fs::path& json,
                   const fs::path& hdf5, std::chrono::milliseconds pace) {
    const fs::path path = journal_beside(json, hdf5);
    const auto held = hold_journal();
    keeper().done = done;
    if (path.empty()) return;
    require_outputs_still_writable();
    keeper().path = path;
    keeper().json = json;
    keeper().hdf5 = hdf5;
    keeper().in_words = done;
    try {
        keeper().journal = std::make_unique<results::Journal>(path, begun, done, pace);
    } catch (const Error& error) {
        std::fprintf(stderr, "shardstone: %s; the run continues without a journal\n", error.what());
        keeper().given_up = true;
    }
    collectives::set_last_words(seal);
}

void add_to_journal(const results::Record& part, const std::string& done) {
    const auto held = hold_journal();
    keeper().done = done;
    if (!keeper().journal) return;
    keeper().journal->add(part, done);
    tell_trouble(*keeper().journal, done);
}

void tell_early_end(TellEarlyEnd tell) {
    const auto held = hold_journal();
    keeper().tell = std::move(tell);
    if (keeper().tell) collectives::set_last_words(seal);
}

void flush_journal() {
    const auto held = hold_journal();
    if (keeper().journal) keeper().journal->flush();
}

void or_keep_journal(const std::function<void()>& write) {
    try {
        write();
    } catch (const Error& error) {
        flush_journal();
        fail(error.what() + what_is_in_the_journal(), error.code());
    }
}

void end_journal() {
    const auto held = hold_journal();
    if (keeper().journal) {
        keeper().journal->remove();
    } else if (keeper().given_up) {
        std::error_code ignored;
        fs::remove(keeper().path, ignored);  // what was begun of it, or what this run went on from
    }
    keeper().journal.reset();
    keeper().tell = {};
    keeper().given_up = keeper().in_trouble = keeper().overflown = false;
    collectives::set_last_words({});
}

std::unique_lock<std::recursive_timed_mutex> hold_journal() {
    return std::unique_lock(keeper().mutex);
}

}  // namespace shardstone::command
