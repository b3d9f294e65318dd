// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "results/record/record.hpp"

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
//
// Where the disk takes no more, lines wait in memory (32 MiB at most, then no further ones are
// taken) and are tried again with every part and at the end: the file has whole lines, in order.

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
    /// `sync_interval` later. What cannot be written waits: see trouble().
    void add(const Record& part, const std::string& done);

    /// Why what was added last is not in the file, e.g. that the disk is full; empty: it is, or
    /// waits for the pace.
    const std::string& trouble() const { return trouble_; }
    /// Whether more waited than memory is given for: what is added from now on is lost.
    bool overflown() const { return overflown_; }

    /// Writes what waits for the pace or for the disk.
    void flush();

    /// Nothing is added any more: flush(), and the file is_being_written() no longer.
    void close();

    /// The run has come to its end and its record is written: removes the file from the folder that
    /// it was made in, wherever that is by now, unless it is another's.
    void remove();

    const std::filesystem::path& path() const { return path_; }

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
