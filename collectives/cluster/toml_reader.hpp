// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shardstone::collectives {

/// `text` on one line in printable form: control characters become '?', and it is cut at 60
/// characters.
std::string one_line(std::string_view text);

/// The text of a file for parse_toml(), which is whole or so long that parse_toml() refuses it:
/// what was cut could still be TOML, with other numbers. Throws Error if it cannot be read.
std::string read_toml_text(const std::filesystem::path& file);

/// Parses TOML that may hold anything. Throws Error with file and line; also for text over 64 KiB
/// and for names nested so deeply that destroying the tree could exhaust the stack.
toml::table parse_toml(std::string_view text, const std::string& file);

/// Bounds of a number, inclusive, with a description: "a latency in seconds, 0 to 10".
struct Bounds {
    double low, high;
    const char* wording;
};

/// Reads one table strictly: every get is checked for type and bounds, and finish() rejects keys
/// that were not requested. Errors name the file, the key's full name and its value.
class TomlReader {
  public:
    /// `prefix` is the table's name followed by a dot; empty for the root.
    TomlReader(const toml::table& table, std::string file, std::string prefix = "");

    /// Whether it is there. Requests it, so that it is among those that finish() tells.
    bool has(const char* key) {
        asked_.insert(key);
        return table_.contains(key);
    }
    /// The table under `key`; Error if it is missing or not a table.
    TomlReader table(const char* key);

    double number(const char* key, const Bounds& bounds);
    double number_or(const char* key, const Bounds& bounds, double fallback);
    int integer(const char* key, const Bounds& bounds);
    bool boolean_or(const char* key, bool fallback);
    std::string text(const char* key);
    std::string text_or(const char* key, std::string fallback);
    /// [low, high] in order and within bounds; none if the key is missing.
    std::optional<std::pair<double, double>> interval(const char* key, const Bounds& bounds);

    /// An array of numbers within bounds; empty if the key is missing.
    std::vector<double> numbers_or_none(const char* key, const Bounds& bounds);

    /// A text, number or boolean, or an array of them, as words; empty if the key is missing.
    std::vector<std::string> words_or_none(const char* key);

    /// All keys of this table, in alphabetical order. Does not request them.
    std::vector<std::string> keys() const;

    /// The tables of an array of tables; none if the key is missing.
    std::vector<TomlReader> tables_or_none(const char* key);

    /// Rejects keys that were never requested.
    void finish() const;
    /// Throws Error: "FILE: PREFIX.KEY = VALUE: give WHAT".
    [[noreturn]] void refuse(const char* key, std::string_view what) const;

  private:
    const toml::node& node(const char* key);
    /// In parentheses the key not requested so far that a missing one may have been meant by.
    std::string meant_by(const char* missing) const;
    std::string checked_word(const toml::node& node, const char* key, const char* wanted) const;
    double checked(const toml::node& node, const char* key, const Bounds& bounds) const;

    const toml::table& table_;
    std::string file_;
    std::string prefix_;
    std::set<std::string, std::less<>> asked_;
};

}  // namespace shardstone::collectives
