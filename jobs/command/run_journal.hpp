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

/// Begins it. `begun` is what the record has so far; `done` is what to say of a run that was ended
/// before its first part was finished; `pace`: see Journal. What an earlier run left there is
/// replaced: require_outputs_writable() has seen to it.
void begin_journal(const results::Record& begun, const std::string& done,
                   const std::filesystem::path& json, const std::filesystem::path& hdf5,
                   std::chrono::milliseconds pace = {});

/// What has just been finished. Where the journal cannot be written, a line on stderr says so, what
/// is missing in it waits (journal.hpp), and the run goes on; a second line says when it is written
/// again.
void add_to_journal(const results::Record& part, const std::string& done);

/// Writes what waits in memory: for a run that ends without a record.
void flush_journal();

/// `write` writes the outputs. Where it throws Error, the journal is all that is left: it is
/// written once more, and the Error says what it lacks.
void or_keep_journal(const std::function<void()>& write);

/// The record is written: the journal goes. write_record() calls it.
void end_journal();

// Where the job is ended because a rank fails or does not go on, the watchdog has what the journal
// holds written as an incomplete record (collectives::set_last_words()), to the outputs of the run,
// and the journal goes. This happens in a thread of its own, while the one that works may do
// anything.

/// Until this ends, nothing is written so: for whoever writes the record itself.
std::unique_lock<std::recursive_timed_mutex> hold_journal();

}  // namespace shardstone::command
