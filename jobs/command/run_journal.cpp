// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/command/run_journal.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "collectives/watchdog/last_words.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/standard_streams.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "results/format/incomplete.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/recover.hpp"

namespace shardstone::command {

namespace {

namespace fs = std::filesystem;

/// One run, one record, one journal.
struct Keeper {
    std::recursive_timed_mutex mutex;
    fs::path path;
    std::unique_ptr<results::Journal> journal;
    fs::path json, hdf5;
    bool given_up = false;
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

template <class Action>
void or_give_up(Action&& action) {
    try {
        action();
    } catch (const Error& error) {
        std::fprintf(stderr, "shardstone: %s; the run goes on without a journal\n", error.what());
        keeper().given_up = true;
    }
}

/// What is in the journal, as a record that says why there is no more. Gives up where the thread
/// that works is writing the record just now.
void seal(const std::string& reason) {
    constexpr std::chrono::seconds longest_part{1};
    const std::unique_lock held(keeper().mutex, longest_part);
    if (!held || !keeper().journal || keeper().given_up) return;
    try {
        keeper().journal->close();
        auto run = results::read_journal(keeper().journal->path());
        run.record.verification.push_back(results::incomplete_check(run.done, reason));
        write_formats(run.record, keeper().json, keeper().hdf5, [] {
            if (keeper().journal) keeper().journal->remove();
        });
        keeper().journal.reset();
    } catch (const std::exception& error) {
        say_failure(fmt::format("what was measured stays in the journal: {}", error.what()).c_str(),
                    /*with_rank=*/false);
    }
}

}  // namespace

void begin_journal(const results::Record& begun, const std::string& done, const fs::path& json,
                   const fs::path& hdf5, std::chrono::milliseconds pace) {
    const fs::path path = journal_beside(json, hdf5);
    if (path.empty()) return;
    const auto held = hold_journal();
    require_outputs_still_writable();
    keeper().path = path;
    keeper().json = json;
    keeper().hdf5 = hdf5;
    or_give_up(
        [&] { keeper().journal = std::make_unique<results::Journal>(path, begun, done, pace); });
    collectives::set_last_words(seal);
}

void add_to_journal(const results::Record& part, const std::string& done) {
    const auto held = hold_journal();
    if (!keeper().journal || keeper().given_up) return;
    or_give_up([&] { keeper().journal->add(part, done); });
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
    keeper().given_up = false;
    collectives::set_last_words({});
}

std::unique_lock<std::recursive_timed_mutex> hold_journal() {
    return std::unique_lock(keeper().mutex);
}

}  // namespace shardstone::command
