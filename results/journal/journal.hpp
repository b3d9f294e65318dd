// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "results/format/record.hpp"

namespace shardstone::results {

// What a run has finished, on the disk while it goes on: a kill costs what was under way and no
// more, a power cut some seconds of it. `shardstone recover` makes a record of it (recover.hpp).
//
// One line for each part, "<hash> <JSON>\n", the hash over the hash of the line before and the JSON
// (hash.hpp), so that a line that was changed, moved or taken out shows; a last line without an end
// is one that was being written. The first line:
//
//     {"format": "shardstone journal", "version": 3, "kind": "...", "identity": {},
//      "configuration": {}, "environment": {}}
//
// Each further one, with tables as the JSON record has them:
//
//     {"tables": [], "verification": [], "done": "3 of 40 points were measured"}
//
// Rows of tables with one name follow each other.

/// ".journal": what the journal's name is beside the record's, "sweep.h5.journal".
inline constexpr std::string_view journal_ending = ".journal";

/// Whether a process holds the journal open to add to it; false where there is none.
bool is_being_written(const std::filesystem::path& journal);

/// The journal of a run that goes on, which is_being_written() until this object ends. Local; for
/// the rank that writes the record.
class Journal {
  public:
    /// Creates the file, or replaces it, with what is known as the run begins: kind, identity,
    /// configuration, environment, and the tables and checks that `begun` has already (of an
    /// earlier run that is continued). Throws Error where it cannot be written.
    /// Parts that come within `pace` of the last that was written wait for the next.
    Journal(std::filesystem::path path, const Record& begun, const std::string& done,
            std::chrono::milliseconds pace = {});
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    ~Journal();

    /// Adds the tables and checks of `part`, whose rows are those of what has just been finished.
    /// `done` says how far the run is: "3 of 40 points were measured". A killed process loses
    /// nothing of it; the disk has it, should the power fail, from the first call on that comes
    /// `sync_interval` later. Throws Error with ExitCode::output_lost, e.g. when the
    /// disk is full; the lines before stay whole.
    void add(const Record& part, const std::string& done);

    /// Nothing is added any more: what waits is written, and the file is_being_written() no longer.
    void close();

    /// The run has come to its end and its record is written: removes the file, unless it is
    /// another's by now.
    void remove();

    const std::filesystem::path& path() const { return path_; }

  private:
    void write_line(const std::string& text);
    void write_waiting();

    static constexpr std::chrono::seconds sync_interval{2};

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::string last_hash_;
    std::chrono::milliseconds pace_;
    Record waiting_;  ///< parts that were added and not written yet
    std::string waiting_done_;
    std::chrono::steady_clock::time_point written_, synced_;
};

}  // namespace shardstone::results
