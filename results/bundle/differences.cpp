// SPDX-License-Identifier: BSD-3-Clause
// Lines, cells, values and sentences in which a file differs from what it must be.
#include "results/bundle/differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "kernels/base/utf8.hpp"
#include "results/bundle/json_place.hpp"
#include "results/bundle/page_place.hpp"
#include "results/format/parse_json.hpp"
#include "results/report/unbroken.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// The place of a byte of the expected text.
using Locate = std::function<std::string(std::size_t offset)>;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

std::size_t common_beginning(std::string_view a, std::string_view b) {
    return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::size_t common_end(std::string_view a, std::string_view b, std::size_t beginning) {
    std::size_t length = 0;
    while (length + beginning < std::min(a.size(), b.size()) &&
           a[a.size() - 1 - length] == b[b.size() - 1 - length]) {
        ++length;
    }
    return length;
}

/// The word, cell or sentence around a part of a line, without the markup around it.
std::string excerpt(std::string_view line, std::size_t begin, std::size_t end) {
    constexpr std::size_t most_before = 40, most_inside = 60, most_after = 20;
    constexpr std::string_view borders = "<>";
    std::size_t from = begin, to = std::min(end, begin + most_inside);
    while (from > 0 && begin - from < most_before && borders.find(line[from - 1]) == borders.npos) {
        --from;
    }
    while (to < line.size() && to - begin < most_inside + most_after &&
           borders.find(line[to]) == borders.npos) {
        ++to;
    }
    while (from > 0 && from < line.size() && !begins_utf8_character(line[from])) --from;
    while (to < line.size() && !begins_utf8_character(line[to])) ++to;
    return std::string(line.substr(from, to - from));
}

FileDifference difference_of_lines(std::string_view given, std::string_view expected,
                                   std::size_t offset, const Locate& locate) {
    const std::size_t begin = common_beginning(given, expected);
    const std::size_t end = common_end(given, expected, begin);
    FileDifference difference{locate(offset + begin), excerpt(given, begin, given.size() - end),
                              excerpt(expected, begin, expected.size() - end)};
    const std::string plain_given = with_plain_blanks(difference.given);
    const std::string plain_expected = with_plain_blanks(difference.expected);
    if (plain_given != plain_expected) {
        difference.given = plain_given;
        difference.expected = plain_expected;
    }
    return difference;
}

/// Line by line; where there are more or fewer of them, the first that differs.
std::vector<FileDifference> differences_by_line(std::string_view given, std::string_view expected,
                                                const Locate& locate) {
    const auto of_given = lines_of(given), of_expected = lines_of(expected);
    const bool same_count = of_given.size() == of_expected.size();
    std::vector<FileDifference> found;
    for (std::size_t i = 0; i < of_expected.size() && found.size() < most_named; ++i) {
        const auto line = i < of_given.size() ? of_given[i] : std::string_view{};
        if (line == of_expected[i]) continue;
        const auto offset = static_cast<std::size_t>(of_expected[i].data() - expected.data());
        found.push_back(difference_of_lines(line, of_expected[i], offset, locate));
        if (same_count) continue;
        found.back().place +=
            fmt::format(" ({} lines instead of {})", of_given.size(), of_expected.size());
        return found;
    }
    if (found.empty() && given != expected) {
        const bool longer = of_given.size() > of_expected.size();
        found.push_back({"the end",
                         longer ? std::string(of_given[of_expected.size()].substr(0, 60))
                                : "its last line is cut",
                         "its end"});
    }
    return found;
}

json parsed_or_null(std::string_view text) {
    try {
        return parse_json(text);
    } catch (const json::exception&) {
        return nullptr;
    }
}

/// By value if both are JSON, by place otherwise.
std::vector<FileDifference> differences_of_documents(
    std::string_view given, std::string_view expected,
    const std::function<std::string(const JsonPath&)>& words) {
    const json of_given = parsed_or_null(given), of_expected = parsed_or_null(expected);
    std::vector<FileDifference> found;
    if (!of_given.is_null()) {
        for (const auto& one : json_differences(of_given, of_expected, most_named)) {
            found.push_back({words(one.path), one.given.substr(0, 80), one.expected.substr(0, 80)});
        }
    }
    if (!found.empty()) return found;
    return differences_by_line(
        given, expected, [&](std::size_t offset) { return words(json_path_at(expected, offset)); });
}

std::string line_place(std::string_view text, std::size_t offset) {
    return fmt::format("line {}", 1 + std::ranges::count(text.substr(0, offset), '\n'));
}

/// The number of the cell of a line in which a byte lies; commas inside quotation marks count not.
std::size_t cell_at(std::string_view line, std::size_t offset) {
    std::size_t cell = 0;
    bool quoted = false;
    for (const char c : line.substr(0, offset)) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) ++cell;
    }
    return cell;
}

}  // namespace

std::string in_words(const FileDifference& difference) {
    return fmt::format("{}: '{}' instead of '{}'", difference.place, difference.given,
                       difference.expected);
}

std::vector<FileDifference> text_differences(std::string_view given, std::string_view expected) {
    return differences_by_line(given, expected,
                               [&](std::size_t offset) { return line_place(expected, offset); });
}

std::vector<FileDifference> csv_differences(std::string_view given, std::string_view expected) {
    const auto columns = expected.substr(0, expected.find('\n'));
    return differences_by_line(given, expected, [&](std::size_t offset) {
        const std::size_t line_begin = expected.rfind('\n', offset == 0 ? 0 : offset - 1) + 1;
        const std::size_t begin = line_begin > offset ? 0 : line_begin;
        const std::size_t cell = cell_at(expected.substr(begin), offset - begin);
        std::size_t name_begin = 0;
        for (std::size_t i = 0; i < cell; ++i) name_begin = columns.find(',', name_begin) + 1;
        const auto name = columns.substr(name_begin, columns.find(',', name_begin) - name_begin);
        return fmt::format("{}, column {}", line_place(expected, offset), name);
    });
}

std::vector<FileDifference> json_text_differences(std::string_view given,
                                                  std::string_view expected) {
    const json document = parsed_or_null(expected);
    return differences_of_documents(given, expected, [&](const JsonPath& path) {
        const std::string place = json_place(document, path);
        return place.empty() ? std::string("its form") : place;
    });
}

std::vector<FileDifference> page_differences(std::string_view given, std::string_view expected) {
    const FigureData of_given = figure_data(given), of_expected = figure_data(expected);
    std::vector<FileDifference> found;
    if (of_given.text != of_expected.text && of_expected.begin > 0) {
        const json figures = parsed_or_null(of_expected.text);
        found =
            differences_of_documents(of_given.text, of_expected.text, [&](const JsonPath& path) {
                if (path.empty()) return std::string("the figures");
                const auto number = static_cast<std::size_t>(std::stoull(path.front()));
                const JsonPath rest(path.begin() + 1, path.end());
                return of_expected.titles.at(number) + ", " + json_place(figures[number], rest);
            });
    }
    const auto before = [](std::string_view page, const FigureData& figures) {
        return figures.begin > 0 ? page.substr(0, figures.begin) : page;
    };
    const auto behind = [](std::string_view page, const FigureData& figures) {
        return figures.begin > 0 ? page.substr(figures.begin + figures.text.size())
                                 : std::string_view{};
    };
    const auto locate_from = [&](std::size_t begin) {
        return [&, begin](std::size_t offset) { return page_place(expected, begin + offset); };
    };
    auto more =
        differences_by_line(before(given, of_given), before(expected, of_expected), locate_from(0));
    found.insert(found.begin(), more.begin(), more.end());
    more = differences_by_line(behind(given, of_given), behind(expected, of_expected),
                               locate_from(of_expected.begin + of_expected.text.size()));
    found.insert(found.end(), more.begin(), more.end());
    if (found.size() > most_named) found.resize(most_named);
    return found;
}

}  // namespace shardstone::results
