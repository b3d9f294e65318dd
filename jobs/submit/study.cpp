// SPDX-License-Identifier: BSD-3-Clause
// Studies are read from TOML and checked: what varies, what stays fixed, when it ends.
#include "jobs/submit/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "collectives/cluster/toml_reader.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::submit {

namespace {

using collectives::Bounds;
using collectives::TomlReader;

constexpr Bounds rank_bounds{1, 1'000'000, "an array of whole numbers, 1 to 1000000"};
constexpr Bounds repetition_bounds{1, 1000, "a whole number, 1 to 1000"};
constexpr Bounds minute_bounds{1, 100'000, "whole minutes, 1 to 100000"};

/// What every run gets from `submit` itself.
constexpr std::array set_by_submit{"json", "hdf5", "force", "resume", "dry-run", "help"};

bool is_name_letter(unsigned char letter) {
    return std::isalnum(letter) || letter == '-' || letter == '_' || letter == '.';
}

StudyOption read_option(TomlReader& reader, const std::string& name) {
    if (is_set_by_submit(name)) {
        reader.refuse(name.c_str(), "nothing: 'shardstone submit' sets it for every run");
    }
    if (!is_option_name(name)) reader.refuse(name.c_str(), option_name_wording);
    return {name, reader.words_or_none(name.c_str())};
}

/// The words of a subcommand alone: a site's options are found by them.
std::string read_command(TomlReader& reader) {
    std::string command;
    std::istringstream words(reader.text("command"));
    for (std::string word; words >> word;) {
        if (word.starts_with('-')) {
            reader.refuse("command", "the subcommand alone, and its options in [fixed]");
        }
        command += (command.empty() ? "" : " ") + word;
    }
    return command;
}

std::vector<StudyOption> read_options(TomlReader& reader, bool one_value) {
    std::vector<StudyOption> options;
    for (const std::string& name : reader.keys()) {
        options.push_back(read_option(reader, name));
        if (one_value && options.back().values.size() > 1) {
            reader.refuse(name.c_str(), "one value here, or move the list to [vary]");
        }
    }
    reader.finish();
    return options;
}

StudyCase read_case(TomlReader& reader) {
    StudyCase one;
    one.name = reader.text("name");
    for (const std::string& name : reader.keys()) {
        if (name == "name") continue;
        one.options.push_back(read_option(reader, name));
        if (one.options.back().values.size() > 1) reader.refuse(name.c_str(), "one value");
    }
    reader.finish();
    return one;
}

std::vector<int> read_ranks(TomlReader& reader) {
    constexpr const char* wanted =
        "numbers of ranks, each larger than the one before, for example [8, 16, 32]";
    std::vector<int> ranks;
    for (const double number : reader.numbers_or_none("ranks", rank_bounds)) {
        ranks.push_back(static_cast<int>(number));
        if (ranks.back() != number) reader.refuse("ranks", rank_bounds.wording);
    }
    const bool ascending = std::ranges::adjacent_find(ranks, std::greater_equal{}) == ranks.end();
    if (ranks.empty() || !ascending) reader.refuse("ranks", wanted);
    return ranks;
}

/// An option stands in one place only, or it would be unclear which value holds.
void require_options_apart(const Study& study, const std::string& file) {
    std::vector<std::string> names;
    const auto add = [&](const std::vector<StudyOption>& options) {
        for (const StudyOption& option : options) names.push_back(option.name);
    };
    add(study.fixed);
    add(study.vary);
    for (const StudyCase& one : study.cases) {
        for (const StudyOption& option : one.options) {
            require(std::ranges::find(names, option.name) == names.end(), [&] {
                return fmt::format(
                    "{}: '{}' is in case '{}' and in [fixed] or [vary]: leave it in "
                    "one of them",
                    file, option.name, one.name);
            });
        }
    }
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    require(twice == names.end(), [&] {
        return fmt::format("{}: '{}' is in [fixed] and in [vary]: leave it in one of them", file,
                           *twice);
    });
}

}  // namespace

bool is_set_by_submit(std::string_view name) {
    return std::ranges::find(set_by_submit, name) != set_by_submit.end();
}

bool is_option_name(std::string_view name) {
    return !name.empty() && !name.starts_with('-') &&
           name.find_first_of(" =\n\t") == std::string_view::npos;
}

Study parse_study(std::string_view text, const std::string& file) {
    const toml::table root = collectives::parse_toml(text, file);
    TomlReader reader(root, file);
    Study study;
    study.name = std::filesystem::path(file).stem().string();
    study.text = text;
    // It begins the names of folders, scripts and jobs.
    require(std::ranges::all_of(study.name, is_name_letter), [&] {
        return fmt::format("{}: call the file something of letters, digits, -, _ and .", file);
    });
    if (!reader.has("about")) reader.refuse("about", "a line on what the study answers");
    study.about = reader.text("about");
    study.command = read_command(reader);
    study.ranks = read_ranks(reader);
    study.ranks_per_node = reader.text_or("ranks_per_node", "");
    const std::string placement = reader.text_or("placement", "block");
    if (placement != "block" && placement != "cyclic") {
        reader.refuse("placement", "'block' or 'cyclic'");
    }
    study.cyclic = placement == "cyclic";
    TomlReader stop = reader.table("stop");
    study.repetitions = stop.integer("repetitions", repetition_bounds);
    study.minutes = stop.integer("minutes", minute_bounds);
    stop.finish();
    if (reader.has("fixed")) {
        TomlReader fixed = reader.table("fixed");
        study.fixed = read_options(fixed, /*one_value=*/true);
    }
    if (reader.has("vary")) {
        TomlReader vary = reader.table("vary");
        study.vary = read_options(vary, /*one_value=*/false);
    }
    for (TomlReader& one : reader.tables_or_none("case")) study.cases.push_back(read_case(one));
    reader.finish();
    require_options_apart(study, file);
    return study;
}

}  // namespace shardstone::submit
