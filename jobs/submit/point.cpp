// SPDX-License-Identifier: BSD-3-Clause
// Expands a study on a site into its points: ranks x cases x varied options x repetitions.
#include "jobs/submit/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <sstream>

#include "jobs/submit/expression.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::submit {

namespace {

constexpr std::size_t most_points = 10'000;
constexpr const char* too_many = "the study has more than 10000 points: vary less, or repeat less";

/// An option with one value.
struct Setting {
    std::string name;
    std::string value;
};

/// A combination of everything that varies: its words in the id, its options.
struct Combination {
    std::string label;
    std::vector<Setting> settings;
};

std::string name_part(const std::string& text) {
    std::string part;
    for (const char letter : text) {
        const bool kept = std::isalnum(static_cast<unsigned char>(letter)) || letter == '.';
        if (kept) {
            part += letter;
        } else if (!part.empty() && part.back() != '-') {
            part += '-';
        }
    }
    while (!part.empty() && part.back() == '-') part.pop_back();
    return part;
}

std::vector<Combination> combinations_of(const Study& study) {
    std::vector<Combination> all{{}};
    for (const StudyCase& one : study.cases) {
        Combination combination{"_" + name_part(one.name), {}};
        for (const StudyOption& option : one.options) {
            combination.settings.push_back({option.name, option.values.front()});
        }
        all.push_back(std::move(combination));
    }
    if (!study.cases.empty()) all.erase(all.begin());
    for (const StudyOption& option : study.vary) {
        require(all.size() * option.values.size() <= most_points, too_many);
        std::vector<Combination> longer;
        for (const Combination& shorter : all) {
            for (const std::string& value : option.values) {
                Combination combination = shorter;
                combination.settings.push_back({option.name, value});
                longer.push_back(std::move(combination));
            }
        }
        all = std::move(longer);
    }
    return all;
}

/// "--name value"; "-b 4" for a letter; a boolean is there or not.
void add_words(const Setting& setting, std::vector<std::string>& words) {
    const bool letter = setting.name.size() == 1;
    const std::string option = (letter ? "-" : "--") + setting.name;
    if (setting.value == "false") return;
    if (!letter && setting.value.starts_with('-')) {
        words.push_back(option + "=" + setting.value);
        return;
    }
    words.push_back(option);
    if (setting.value != "true") words.push_back(setting.value);
}

std::vector<std::string> words_of_command(const std::string& command) {
    std::istringstream text(command);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    return words;
}

Sizes sizes_on(const Study& study, const Site& site, int ranks) {
    const int most = site.ranks_per_node > 0 ? site.ranks_per_node : ranks;
    Sizes sizes{ranks, 1, std::min(ranks, most)};
    if (!study.ranks_per_node.empty()) {
        const std::string wanted = expand(study.ranks_per_node, sizes);
        std::int64_t number = 0;
        const char* end = wanted.data() + wanted.size();
        const auto [last, failed] = std::from_chars(wanted.data(), end, number);
        require(failed == std::errc{} && last == end && number >= 1, [&] {
            return fmt::format("ranks_per_node = '{}' is no whole number: write \"{{ranks/4}}\"",
                               wanted);
        });
        require(number <= most, [&] {
            return fmt::format("ranks_per_node = {} of study {}: site {} has {} per node", number,
                               study.name, site.name, most);
        });
        sizes.ranks_per_node = number;
    }
    require(ranks % sizes.ranks_per_node == 0, [&] {
        return fmt::format(
            "{} ranks do not fill nodes of {} evenly: change the study's ranks, or "
            "ranks_per_node of site {}",
            ranks, sizes.ranks_per_node, site.name);
    });
    sizes.nodes = ranks / sizes.ranks_per_node;
    require(site.nodes == 0 || sizes.nodes <= site.nodes, [&] {
        return fmt::format("{} ranks need {} nodes of {}: site {} has {}", ranks, sizes.nodes,
                           sizes.ranks_per_node, site.name, site.nodes);
    });
    return sizes;
}

/// Everything but ranks and repetition.
struct Prepared {
    std::string id;
    std::vector<std::string> arguments;
    std::vector<std::string> site_options = {};
};

Prepared prepare(const Study& study, const Site& site, const Combination& combination,
                 const Sizes& sizes) {
    Prepared prepared{fmt::format("ranks-{}{}", sizes.ranks, combination.label),
                      words_of_command(study.command)};
    std::set<std::string> given;
    const auto add = [&](const std::string& name, const std::string& value) {
        const Setting setting{name, expand(value, sizes)};
        add_words(setting, prepared.arguments);
        given.insert(name);
        return setting;
    };
    for (const StudyOption& option : study.fixed) add(option.name, option.values.front());
    for (const Setting& one : combination.settings) {
        const Setting setting = add(one.name, one.value);
        const bool varied =
            std::ranges::find(study.vary, one.name, &StudyOption::name) != study.vary.end();
        if (varied)
            prepared.id += fmt::format("_{}-{}", name_part(one.name), name_part(setting.value));
    }
    const auto of_site = site.options.find(study.command);
    if (of_site != site.options.end()) {
        for (const StudyOption& option : of_site->second) {
            if (!given.insert(option.name).second) continue;
            const Setting setting = add(option.name, option.values.front());
            if (setting.value != "false") prepared.site_options.push_back(setting.name);
        }
    }
    return prepared;
}

void require_names_apart(const std::vector<Point>& points, const Study& study) {
    std::set<std::string> seen;
    for (const Point& point : points) {
        require(seen.insert(point.id).second, [&] {
            return fmt::format(
                "study {}: two points are called {}: give values or cases names "
                "that differ in letters and digits",
                study.name, point.id);
        });
        require(point.id.size() <= 200, [&] {
            return fmt::format(
                "study {}: the name {} is too long for a folder: use [[case]] with "
                "short names",
                study.name, point.id);
        });
    }
}

}  // namespace

std::vector<Point> expand_study(const Study& study, const Site& site) {
    const auto combinations = combinations_of(study);
    std::vector<Point> points;
    for (const int ranks : study.ranks) {
        const Sizes sizes = sizes_on(study, site, ranks);
        std::vector<Prepared> prepared;
        for (const Combination& one : combinations) {
            prepared.push_back(prepare(study, site, one, sizes));
        }
        require(points.size() + prepared.size() * static_cast<std::size_t>(study.repetitions) <=
                    most_points,
                too_many);
        int index = 0;
        for (int repetition = 1; repetition <= study.repetitions; ++repetition) {
            for (const Prepared& one : prepared) {
                points.push_back({fmt::format("{}_run-{}", one.id, repetition), one.id, repetition,
                                  index++, ranks, static_cast<int>(sizes.nodes),
                                  static_cast<int>(sizes.ranks_per_node),
                                  site.gpus_for(static_cast<int>(sizes.ranks_per_node)),
                                  study.cyclic, one.arguments, one.site_options});
            }
        }
    }
    require_names_apart(points, study);
    return points;
}

}  // namespace shardstone::submit
