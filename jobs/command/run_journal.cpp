// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/command/run_journal.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "jobs/command/outputs.hpp"
#include "jobs/command/standard_streams.hpp"
#include "kernels/base/error.hpp"
#include "results/journal/journal.hpp"

namespace shardstone::command {

namespace {

namespace fs = std::filesystem;

/// One run, one record, one journal.
struct Keeper {
    std::unique_ptr<results::Journal> journal;
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

}  // namespace

void begin_journal(const results::Record& begun, const std::string& done, const fs::path& json,
                   const fs::path& hdf5, std::chrono::milliseconds pace) {
    const fs::path path = journal_beside(json, hdf5);
    if (path.empty()) return;
    require_outputs_still_writable();
    or_give_up(
        [&] { keeper().journal = std::make_unique<results::Journal>(path, begun, done, pace); });
}

void add_to_journal(const results::Record& part, const std::string& done) {
    if (!keeper().journal || keeper().given_up) return;
    or_give_up([&] { keeper().journal->add(part, done); });
}

void end_journal() {
    if (keeper().journal) keeper().journal->remove();
    keeper() = {};
}

}  // namespace shardstone::command
