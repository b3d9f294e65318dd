// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "results/record/record.hpp"

namespace shardstone::results {

// The finished results of a run, on disk while the run continues: a kill loses only the work in
// progress, a power failure some seconds of results. `shardstone recover` makes a record of it
// (recover.hpp).
//
// One line for each part, "<hash> <JSON>\n", the hash over the hash of the line before and the JSON
// (hash.hpp), so that a changed, moved or removed line is detected; a last line without an end was
// still being written. The first line:
//
//     {"format": "shardstone journal", "version": 3, "kind": "...", "identity": {},
//      "configuration": {}, "environment": {}}
//
// Each further line, with tables as in the JSON record:
//
//     {"tables": [], "verification": [], "done": "3 of 40 points were measured"}
//
// Rows of tables with one name follow each other.
//
// If the disk is full, lines are kept in memory (at most 32 MiB, beyond which no more are
// accepted), and writing is retried with every part and at the end: the file has whole lines, in
// order.

/// ".journal": the ending that a journal adds to the record's name, as in "sweep.h5.journal".
inline constexpr std::string_view journal_ending = ".journal";

/// Whether a process has the journal open for writing; false if there is none.
bool is_being_written(const std::filesystem::path& journal);

/// The journal of a run in progress, which is_being_written() during the lifetime of this object.
/// Local; for the rank that writes the record.
class Journal {
  public:
    /// Creates or replaces the file, with the information known at the start of the run: kind,
    /// identity, configuration, environment, and the tables and checks already in `begun` (from an
    /// earlier run that is continued). Throws Error if it cannot be written. Parts added within
    /// `pace` of the last one written wait for the next.
    Journal(std::filesystem::path path, const Record& begun, const std::string& done,
            std::chrono::milliseconds pace = {});
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    ~Journal();

    /// Adds the tables and checks of `part`, the results just finished. `done` is the progress of
    /// the run: "3 of 40 points were measured". A kill of the process loses none of it; after a
    /// power failure the disk has it from the first call at least `sync_interval` later. Parts that
    /// cannot be written wait: see trouble().
    void add(const Record& part, const std::string& done);

    /// The reason why the last part is not in the file, e.g. a full disk; empty: it is, or waits
    /// for the pace.
    const std::string& trouble() const { return trouble_; }
    /// Whether more was waiting than memory allows: further parts are lost.
    bool overflown() const { return overflown_; }

    /// Writes the parts that wait for the pace or for the disk.
    void flush();

    /// Ends the additions: flush(), after which the file is no longer is_being_written().
    void close();

    /// For a run that has ended with its record written: removes the file from the folder in which
    /// it was created, wherever that is by now, unless it belongs to another run.
    void remove();

    const std::filesystem::path& path() const { return path_; }
    /// Where its file is now: path(), or another after a move of it or of its folder; empty if it
    /// was removed by somebody else, and with it all that was written.
    std::filesystem::path place() const;

  private:
    bool write_lines();
    bool sync();
    bool cut_to(std::size_t bytes);
    void queue_waiting();

    static constexpr std::chrono::seconds sync_interval{2};
    static constexpr std::size_t most_lines_bytes = std::size_t{32} << 20;

    std::filesystem::path path_;
    int folder_ = -1;  ///< of the file, which may get another name
    int descriptor_ = -1;
    std::string last_hash_;
    std::chrono::milliseconds pace_;
    Record waiting_;  ///< parts that were added and are no line yet
    std::string waiting_done_;
    std::string lines_;         ///< that are not on the disk yet
    std::size_t in_file_ = 0;   ///< bytes of them, whole lines, that are in the file
    std::int64_t on_disk_ = 0;  ///< bytes of the file before them
    std::string trouble_;
    bool overflown_ = false;
    std::chrono::steady_clock::time_point written_, synced_;
};

}  // namespace shardstone::results
