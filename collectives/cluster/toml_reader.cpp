// SPDX-License-Identifier: BSD-3-Clause
// The keys of a TOML file, each checked for kind and bounds; unknown ones are refused by name.
#include "collectives/cluster/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/regular_file.hpp"
#include "kernels/base/spelling.hpp"

namespace shardstone::collectives {

namespace {

constexpr std::size_t most_bytes = 64 << 10;
/// Each dot can open a table inside another, and the parser destroys them by recursion.
constexpr std::ptrdiff_t most_dots = 2000;

bool is_control(char letter) {
    return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
}

std::string array_text(const toml::array& array);

std::string value_text(const toml::node& node) {
    if (const auto* text = node.as_string()) return fmt::format("'{}'", one_line(text->get()));
    if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
    if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
    if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
    if (node.is_table()) return "a table";
    return node.is_array() ? array_text(*node.as_array()) : "a date or time";
}

/// "[4, 8.5, 'x']"; an array of tables or arrays only by its kind.
std::string array_text(const toml::array& array) {
    std::string text;
    for (const toml::node& one : array) {
        if (one.is_table() || one.is_array()) return "an array";
        text += (text.empty() ? "" : ", ") + value_text(one);
    }
    return "[" + one_line(text) + "]";
}

}  // namespace

std::string one_line(std::string_view text) {
    constexpr std::size_t most = 60;
    std::string line(text.substr(0, most));
    for (char& letter : line) {
        if (is_control(letter)) letter = '?';
    }
    // A character of several bytes is kept whole or left out.
    if (text.size() > most) {
        while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80) != 0) {
            line.pop_back();
        }
        line += "...";
    }
    return line;
}

std::string read_toml_text(const std::filesystem::path& file) {
    return RegularFile(file).read_all(most_bytes + 1);
}

toml::table parse_toml(std::string_view text, const std::string& file) {
    require(text.size() <= most_bytes, [&] {
        return fmt::format("{}: longer than {} bytes, which is the most such a file may have", file,
                           most_bytes);
    });
    const auto dots = std::ranges::count(text, '.');
    require(dots <= most_dots, [&] {
        return fmt::format("{}: {} dots: such a file has at most {}", file, dots, most_dots);
    });
    try {
        return toml::parse(text, std::string_view(file));
    } catch (const toml::parse_error& error) {
        fail(fmt::format("{}: line {}: {}: correct the TOML", file, error.source().begin.line,
                         one_line(error.description())));
    }
}

TomlReader::TomlReader(const toml::table& table, std::string file, std::string prefix)
    : table_(table), file_(std::move(file)), prefix_(std::move(prefix)) {}

std::string TomlReader::meant_by(const char* missing) const {
    std::vector<std::string> others;
    for (const std::string& other : keys()) {
        if (!asked_.contains(other)) others.push_back(other);
    }
    const std::string nearest = nearest_name(missing, others);
    if (nearest.empty()) return "";
    return fmt::format(" (is it what '{}{}' stands for?)", prefix_, one_line(nearest));
}

void TomlReader::refuse(const char* key, std::string_view what) const {
    if (const toml::node* node = table_.get(key)) {
        fail(fmt::format("{}: {}{} = {}: give {}", file_, prefix_, key, value_text(*node), what));
    }
    fail(fmt::format("{}: {}{} is missing: give {}{}", file_, prefix_, key, what, meant_by(key)));
}

const toml::node& TomlReader::node(const char* key) {
    asked_.insert(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) refuse(key, "it");
    return *node;
}

TomlReader TomlReader::table(const char* key) {
    const toml::table* inner = node(key).as_table();
    if (inner == nullptr) refuse(key, "a table of keys");
    return {*inner, file_, prefix_ + key + "."};
}

double TomlReader::checked(const toml::node& node, const char* key, const Bounds& bounds) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    // Written so that NaN is refused.
    if (!(value && *value >= bounds.low && *value <= bounds.high)) refuse(key, bounds.wording);
    return *value;
}

double TomlReader::number(const char* key, const Bounds& bounds) {
    return checked(node(key), key, bounds);
}

double TomlReader::number_or(const char* key, const Bounds& bounds, double fallback) {
    return has(key) ? number(key, bounds) : fallback;
}

int TomlReader::integer(const char* key, const Bounds& bounds) {
    const toml::node& given = node(key);
    if (!given.is_integer()) refuse(key, bounds.wording);
    return static_cast<int>(checked(given, key, bounds));
}

bool TomlReader::boolean_or(const char* key, bool fallback) {
    if (!has(key)) return fallback;
    const auto* truth = node(key).as_boolean();
    if (truth == nullptr) refuse(key, "true or false");
    return truth->get();
}

std::string TomlReader::text(const char* key) {
    const auto* text = node(key).as_string();
    const bool proper =
        text != nullptr && !text->get().empty() && std::ranges::none_of(text->get(), is_control);
    if (!proper) refuse(key, "a text in quotes, not empty, on one line");
    return text->get();
}

std::string TomlReader::text_or(const char* key, std::string fallback) {
    return has(key) ? text(key) : fallback;
}

std::optional<std::pair<double, double>> TomlReader::interval(const char* key,
                                                              const Bounds& bounds) {
    if (!has(key)) return std::nullopt;
    const toml::array* ends = node(key).as_array();
    if (ends == nullptr || ends->size() != 2) refuse(key, "two numbers, [low, high]");
    const double low = checked((*ends)[0], key, bounds);
    const double high = checked((*ends)[1], key, bounds);
    if (low > high) refuse(key, "[low, high] with the lower end first");
    return std::pair(low, high);
}

std::vector<double> TomlReader::numbers_or_none(const char* key, const Bounds& bounds) {
    constexpr std::size_t most = 256;
    if (!has(key)) return {};
    const toml::array* all = node(key).as_array();
    if (all == nullptr || all->size() > most) refuse(key, "an array of at most 256 numbers");
    std::vector<double> numbers;
    for (const toml::node& one : *all) numbers.push_back(checked(one, key, bounds));
    return numbers;
}

std::vector<std::string> TomlReader::words_or_none(const char* key) {
    constexpr std::size_t most = 256;
    constexpr const char* wanted = "a text, number or boolean, or an array of at most 256";
    if (!has(key)) return {};
    const toml::node& given = node(key);
    const toml::array* all = given.as_array();
    if (all == nullptr) return {checked_word(given, key, wanted)};
    if (all->empty() || all->size() > most) refuse(key, wanted);
    std::vector<std::string> words;
    for (const toml::node& one : *all) words.push_back(checked_word(one, key, wanted));
    return words;
}

std::string TomlReader::checked_word(const toml::node& node, const char* key,
                                     const char* wanted) const {
    if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
    if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
    if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
    const auto* text = node.as_string();
    if (text == nullptr || text->get().empty() || std::ranges::any_of(text->get(), is_control)) {
        refuse(key, wanted);
    }
    return text->get();
}

std::vector<std::string> TomlReader::keys() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : table_) keys.emplace_back(key.str());
    return keys;
}

std::vector<TomlReader> TomlReader::tables_or_none(const char* key) {
    if (!has(key)) return {};
    constexpr std::size_t most = 256;
    const toml::array* all = node(key).as_array();
    if (all == nullptr || all->size() > most) refuse(key, "an array of at most 256 tables");
    std::vector<TomlReader> readers;
    for (const toml::node& one : *all) {
        const toml::table* table = one.as_table();
        if (table == nullptr) refuse(key, "an array of tables");
        readers.emplace_back(*table, file_, fmt::format("{}{}.", prefix_, key));
    }
    return readers;
}

void TomlReader::finish() const {
    for (const auto& [key, value] : table_) {
        require(asked_.contains(key.str()), [&, &key = key, &value = value] {
            return fmt::format("{}: {}{} = {}: unknown key, remove it (known here: {})", file_,
                               prefix_, one_line(key.str()), value_text(value),
                               fmt::join(asked_, ", "));
        });
    }
}

}  // namespace shardstone::collectives
