// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "results/record/record.hpp"

namespace shardstone::results {

/// What a run had finished.
struct Unfinished {
    Record record;                ///< without the check that says that it is not complete
    std::string done;             ///< "3 of 40 points were measured"
    bool torn = false;            ///< a last line was being written, and is left out
    std::string damage = {};      ///< "'e.journal', line 3 was changed ...", or empty
    std::int64_t lost_lines = 0;  ///< that line and those after it, which are left out
};

/// Reads a journal (journal.hpp). Throws Error naming the file, and the line, when it is none, or a
/// line was changed, moved or taken out, or does not fit those before; and whether anything can be
/// saved of it.
Unfinished read_journal(const std::filesystem::path& path);
/// The same of bytes that were read already, of a run that has ended; `path` is for messages.
Unfinished journal_from_bytes(const std::string& bytes, const std::filesystem::path& path);

/// The same, but of a journal that was damaged behind its first part what stands before the damage,
/// which the lines' hashes prove.
Unfinished save_from_journal(const std::filesystem::path& path);

/// True when the file begins like a journal.
bool looks_like_journal(const std::filesystem::path& path);

/// Adds the rows and checks of `part` to those of `record`. Throws Error where a table of the same
/// name has other columns, or is not described in results/schema.
void add_part(Record& record, const Record& part);

/// An incomplete record, or a journal: what a run of this kind that is to be continued has
/// finished. Throws Error where the record is complete or of another kind.
Unfinished read_unfinished(const std::filesystem::path& path, const std::string& kind);

}  // namespace shardstone::results
