// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "results/record/record.hpp"

namespace shardstone::results {

/// Finished results of a run.
struct Unfinished {
    Record record;                ///< without the check that says that it is not complete
    std::string done;             ///< "3 of 40 points were measured"
    bool torn = false;            ///< the last line was incomplete, and is left out
    std::string damage = {};      ///< "'e.journal', line 3 was changed ...", or empty
    std::int64_t lost_lines = 0;  ///< that line and those after it, which are left out
};

/// Reads a journal (journal.hpp). Throws Error naming the file, and the line, if it is none, or a
/// line was changed, moved or removed, or does not fit those before; and whether any of it can be
/// recovered.
Unfinished read_journal(const std::filesystem::path& path);
/// The same for bytes already read, of a run that has ended; `path` is for messages.
Unfinished journal_from_bytes(const std::string& bytes, const std::filesystem::path& path);

/// The same, but for a journal damaged after its first part the part before the damage, which the
/// lines' hashes prove intact.
Unfinished save_from_journal(const std::filesystem::path& path);

/// True when the file begins like a journal.
bool looks_like_journal(const std::filesystem::path& path);

/// Adds the rows and checks of `part` to those of `record`. Throws Error if a table of the same
/// name has other columns, or is not described in results/schema.
void add_part(Record& record, const Record& part);

/// Reads an incomplete record, or a journal: the finished results of a run of this kind that will
/// be continued. Throws Error if the record is complete or of another kind.
Unfinished read_unfinished(const std::filesystem::path& path, const std::string& kind);

}  // namespace shardstone::results
