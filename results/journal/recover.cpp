// SPDX-License-Identifier: BSD-3-Clause
// An ended run's journal is read back, line by line in its chain of hashes, into a record.
#include "results/journal/recover.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/hash.hpp"
#include "results/format/json_tables.hpp"
#include "results/format/known_fields.hpp"
#include "results/format/parse_json.hpp"
#include "results/format/seal.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/lines.hpp"
#include "results/record/incomplete.hpp"
#include "results/record/wellformed.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

constexpr std::string_view head_begin = R"({"format":"shardstone journal")";

bool begins_like_journal(std::string_view bytes) {
    return bytes.size() > hash_digits && bytes.substr(hash_digits + 1).starts_with(head_begin);
}

std::vector<Table>& tables_of(Record& record, const std::string& table) {
    const auto* described = find_description(table);
    require(described != nullptr,
            [&] { return fmt::format("table '{}' is none that a record may hold", table); });
    return described->role == Role::samples ? record.samples : record.derived;
}

void append(Table::Column& column, const Table::Column& more) {
    column.numbers.insert(column.numbers.end(), more.numbers.begin(), more.numbers.end());
    column.texts.insert(column.texts.end(), more.texts.begin(), more.texts.end());
}

void append(Table& table, const Table& more) {
    const bool alike = std::ranges::equal(table.columns, more.columns, {}, &Table::Column::name,
                                          &Table::Column::name);
    require(alike, [&] { return fmt::format("rows of '{}' have other columns", table.name); });
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        append(table.columns[i], more.columns[i]);
    }
}

void add_table(Record& record, const Table& table) {
    auto& tables = tables_of(record, table.name);
    const auto found = std::ranges::find(tables, table.name, &Table::name);
    if (found == tables.end()) {
        tables.push_back(table);
    } else {
        append(*found, table);
    }
}

/// Takes the lines of a journal one after the other.
class LineReader {
  public:
    LineReader(const std::string& bytes, std::string source)
        : rest_(bytes), source_(std::move(source)) {}

    /// False at the end, or where the last line was not written to its end.
    bool next(json& document) {
        const auto end = rest_.find('\n');
        if (end == std::string_view::npos) return false;
        const std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        ++number_;
        require(line.size() > hash_digits && line[hash_digits] == ' ',
                [&] { return place() + " is no line of a journal"; });
        const auto hash = line.substr(0, hash_digits), text = line.substr(hash_digits + 1);
        require(line_hash(hash_, text) == hash, [&] {
            return place() +
                   " was changed or moved, or one before it was removed: its hash does not "
                   "match";
        });
        hash_ = hash;
        document = parsed(text);
        return true;
    }

    bool torn() const { return !rest_.empty(); }
    int number() const { return number_; }
    /// Of the line that was read last and all after it.
    std::int64_t lines_from_here() const {
        return 1 + std::ranges::count(rest_, '\n') +
               (rest_.empty() || rest_.ends_with('\n') ? 0 : 1);
    }
    std::string place() const { return fmt::format("'{}', line {}", source_, number_); }
    const std::string& source() const { return source_; }

  private:
    json parsed(std::string_view text) const {
        try {
            return parse_json(text);
        } catch (const json::exception&) {
            fail(place() + " is no JSON");
        }
    }

    std::string_view rest_;
    std::string source_;
    std::string hash_;
    int number_ = 0;
};

Record record_of_head(const json& head, const std::string& place) {
    Record record;
    record.kind = member<std::string>(head, "kind", place);
    record.identity = member<json::object_t>(head, "identity", place);
    record.configuration = member<json::object_t>(head, "configuration", place);
    record.environment = member<json::object_t>(head, "environment", place);
    return record;
}

Record part_of_line(const json& line, const std::string& place) {
    Record part;
    for (Table& table : tables_from_json(line, "tables", place)) {
        auto& tables = tables_of(part, table.name);
        tables.push_back(std::move(table));
    }
    part.verification = checks_from_json(line, place);
    return part;
}

constexpr const char* nothing_to_save = ": nothing can be recovered, and the file may be removed";

std::string bytes_of_journal(const std::filesystem::path& path) {
    require(!is_being_written(path), [&] {
        return fmt::format("'{}' is of a run that goes on: wait for its end", path.string());
    });
    std::string bytes = read_file(path);
    require(!bytes.empty(),
            [&] { return fmt::format("'{}' is empty{}", path.string(), nothing_to_save); });
    return bytes;
}

/// The first line, without which the others say nothing.
Unfinished begun_in(LineReader& lines, const std::filesystem::path& path) {
    json head;
    bool whole = false;
    try {
        whole = lines.next(head);
    } catch (const Error& error) {
        fail(std::string(error.what()) + nothing_to_save);
    }
    require(whole, [&] {
        return fmt::format("'{}' is cut in its first line{}", path.string(), nothing_to_save);
    });
    require_version(member<int>(head, "version", lines.place()), path.string());
    return {record_of_head(head, lines.place()), "nothing was finished"};
}

/// False at the end of the journal, or, where that is to be told and not thrown, at a damaged line.
bool next_line(LineReader& lines, json& line, bool tell_damage, Unfinished& run) {
    try {
        return lines.next(line);
    } catch (const Error& error) {
        constexpr int first_of_parts = 2;
        if (lines.number() <= first_of_parts) fail(std::string(error.what()) + nothing_to_save);
        if (!tell_damage) {
            fail(fmt::format("{}; 'shardstone recover {}' saves the lines before it", error.what(),
                             lines.source()));
        }
        run.damage = error.what();
        run.lost_lines = lines.lines_from_here();
        return false;
    }
}

/// Throws Error naming the file where the record does not hold together.
void require_sound(const Record& record, const std::filesystem::path& path) {
    try {
        require_wellformed(record);
    } catch (const Error& error) {
        fail(fmt::format("'{}': {}", path.string(), error.what()));
    }
    require_known_fields(record, path.string());
}

Unfinished read_lines(const std::string& bytes, const std::filesystem::path& path,
                      bool tell_damage) {
    require(begins_like_journal(bytes), [&] {
        return fmt::format("'{}' is no journal of a run, or its first bytes were changed{}",
                           path.string(), nothing_to_save);
    });
    LineReader lines(bytes, path.string());
    Unfinished run = begun_in(lines, path);
    json line;
    while (next_line(lines, line, tell_damage, run)) {
        run.done = member<std::string>(line, "done", lines.place());
        const Record part = part_of_line(line, lines.place());
        try {
            add_part(run.record, part);
        } catch (const Error& error) {
            fail(fmt::format("{}: {}", lines.place(), error.what()));
        }
    }
    run.torn = run.damage.empty() && lines.torn();
    require_sound(run.record, path);
    return run;
}

}  // namespace

bool looks_like_journal(const std::filesystem::path& path) {
    return begins_like_journal(read_file(path));
}

void add_part(Record& record, const Record& part) {
    for (const auto* tables : {&part.derived, &part.samples}) {
        for (const Table& table : *tables) add_table(record, table);
    }
    record.verification.insert(record.verification.end(), part.verification.begin(),
                               part.verification.end());
}

Unfinished read_journal(const std::filesystem::path& path) {
    return read_lines(bytes_of_journal(path), path, /*tell_damage=*/false);
}

Unfinished journal_from_bytes(const std::string& bytes, const std::filesystem::path& path) {
    return read_lines(bytes, path, /*tell_damage=*/false);
}

Unfinished save_from_journal(const std::filesystem::path& path) {
    return read_lines(bytes_of_journal(path), path, /*tell_damage=*/true);
}

Unfinished read_unfinished(const std::filesystem::path& path, const std::string& kind) {
    const bool is_journal = looks_like_journal(path);
    Unfinished run = is_journal ? read_journal(path) : Unfinished{read_record(path), ""};
    require(run.record.kind == kind, [&] {
        return fmt::format(
            "'{}' is of kind '{}': only a run of that kind can continue it, not '{}'",
            path.string(), run.record.kind, kind);
    });
    if (is_journal) return run;
    auto& checks = run.record.verification;
    const auto found = find_incomplete(checks);
    require(found != checks.end(), [&] {
        return fmt::format("'{}' is of a run that came to its end: nothing is missing in it",
                           path.string());
    });
    run.done = found->detail;
    checks.erase(found);
    return run;
}

}  // namespace shardstone::results
