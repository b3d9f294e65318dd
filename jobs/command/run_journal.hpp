// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>

#include "results/record/record.hpp"

namespace shardstone::command {

// The journal of this run (results/journal/journal.hpp), beside the first file that gets its
// record: kept while the run goes on, so that whatever ends it, what it has measured can be
// recovered. For rank 0, which writes the record; a run that writes none has no journal.

/// Starts the journal. `begun` is the record so far; `done` is the description of a run ended
/// before its first part was finished; `pace`: see Journal. Replaces the journal of an earlier run:
/// require_outputs_writable() has checked that this is allowed.
void begin_journal(const results::Record& begun, const std::string& done,
                   const std::filesystem::path& json, const std::filesystem::path& hdf5,
                   std::chrono::milliseconds pace = {});

/// Adds a part that has just been finished. If the journal cannot be written, a line on stderr says
/// so, the missing parts are kept in memory (journal.hpp), and the run continues; a second line
/// reports when it is written again.
void add_to_journal(const results::Record& part, const std::string& done);

/// Prints what is done and why the run ended, where nobody else will.
using TellEarlyEnd = std::function<void(const std::string& done, const std::string& reason)>;

/// Has `tell` called where the job is ended because a rank fails or stalls, before the record is
/// written, whether or not there is a journal; in the watchdog's thread. Empty: nothing, as after
/// end_journal() of a run with outputs.
void tell_early_end(TellEarlyEnd tell);

/// Writes the parts kept in memory, for a run that ends without a record.
void flush_journal();

/// `write` writes the outputs. If it throws Error, only the journal is left: it is written once
/// more, and the Error states what is missing in it.
void or_keep_journal(const std::function<void()>& write);

/// Removes the journal once the record is written. Called by write_record().
void end_journal();

// Where the job is ended because a rank fails or does not go on, the watchdog has what the journal
// holds written as an incomplete record (collectives::set_last_words()), to the outputs of the run,
// and the journal goes. This happens in a thread of its own, while the one that works may do
// anything.

/// While the lock is held, the watchdog writes no such record: for code that writes the record
/// itself.
std::unique_lock<std::recursive_timed_mutex> hold_journal();

}  // namespace shardstone::command
