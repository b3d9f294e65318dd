// SPDX-License-Identifier: BSD-3-Clause
// The section, figure, table cell or sentence of a report in which a byte lies.
#include "results/bundle/page_place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/bundle/json_place.hpp"
#include "results/format/parse_json.hpp"
#include "results/report/unbroken.hpp"

namespace shardstone::results {

namespace {

constexpr std::string_view figures_begin = "<script type=\"application/json\" id=\"figures\">";
constexpr std::string_view script_end = "</script>";

/// What a reader of the page has passed when he comes to a byte.
struct Reader {
    std::string section, heading, table;
    std::vector<std::string> columns;
    int tables = 0;  ///< of the section
    int row = 0, column = 0, item = 0, detail = 0, paragraph = 0;
    std::string line;  ///< "below" or "heading" in a line over the whole width of a table
    bool in_table = false, in_head = false, in_findings = false, in_tiles = false,
         in_details = false;
};

/// The text of an element whose tag ends at `begin`.
std::string text_behind(std::string_view page, std::size_t begin) {
    const std::size_t end = std::min(page.find('<', begin), page.size());
    return with_plain_blanks(page.substr(begin, end - begin));
}

std::string attribute(std::string_view tag, std::string_view name) {
    const std::string opening = fmt::format(" {}=\"", name);
    const std::size_t begin = tag.find(opening);
    if (begin == std::string_view::npos) return "";
    const std::size_t end = tag.find('"', begin + opening.size());
    return std::string(tag.substr(begin + opening.size(), end - begin - opening.size()));
}

void enter_table(std::string_view tag, Reader& reader) {
    const std::string table = attribute(tag, "data-table");
    reader.in_table = true;
    ++reader.tables;
    reader.row = 0;
    reader.columns.clear();
    reader.table = table.empty()
                       ? fmt::format("table {}", reader.tables)
                       : fmt::format("table {} of {}", table, attribute(tag, "data-file"));
}

void pass_in_table(std::string_view tag, std::string_view name, const std::string& text,
                   Reader& reader) {
    if (name == "thead") reader.in_head = true;
    if (name == "tbody") reader.in_head = false;
    if (name == "tr") {
        reader.column = 0;
        reader.line.clear();
        if (!reader.in_head) ++reader.row;
    }
    if (name == "th") reader.columns.push_back(text);
    if (name == "th" || name == "td") ++reader.column;
    if (name == "td" && !attribute(tag, "colspan").empty()) {
        reader.line = attribute(tag, "class");
        --reader.row;  // it is of the row above it, or of those that follow
    }
    if (name == "/table") reader.in_table = false;
}

/// A list of details is within an item of the list of findings.
void enter_list(const std::string& kind, Reader& reader) {
    reader.in_details = kind == "details";
    reader.in_tiles = kind == "tiles";
    (reader.in_details ? reader.detail : reader.item) = 0;
}

/// `tag` is what stands between '<' and '>'.
void pass(std::string_view tag, const std::string& text, Reader& reader) {
    const auto name = tag.substr(0, tag.find(' '));
    if (name == "section") reader = {};
    if (name == "h2") {
        reader.section = text;
        reader.in_findings = attribute(tag, "id") == "findings";
    }
    if (name == "ul") enter_list(attribute(tag, "class"), reader);
    if (name == "/ul") reader.in_details = false;
    if (name == "li") ++(reader.in_details ? reader.detail : reader.item);
    if (name == "p") ++reader.paragraph;
    if (name == "h3" || name == "summary" || name == "figcaption") reader.heading = text;
    if (name == "table") enter_table(tag, reader);
    if (reader.in_table) pass_in_table(tag, name, text, reader);
}

std::string words_of(const Reader& reader) {
    if (reader.in_tiles && reader.section.empty()) return fmt::format("headline {}", reader.item);
    if (reader.in_findings) {
        return fmt::format("finding {}{}", reader.item,
                           reader.in_details ? fmt::format(", line {}", reader.detail) : "");
    }
    if (reader.section.empty()) return "the head of the page";
    std::string words = fmt::format("section '{}'", reader.section);
    if (!reader.heading.empty()) words += fmt::format(", '{}'", reader.heading);
    if (!reader.in_table) return words;
    words += ", " + reader.table;
    if (reader.in_head) return words + ", its headings";
    if (reader.line == "heading") return words + fmt::format(", above row {}", reader.row + 1);
    if (!reader.line.empty()) return words + fmt::format(", beneath row {}", reader.row);
    const auto column = static_cast<std::size_t>(std::max(1, reader.column)) - 1;
    return words + fmt::format(", row {}, column '{}'", reader.row,
                               column < reader.columns.size() ? reader.columns[column] : "");
}

std::string place_in_figures(const FigureData& figures, std::size_t offset) {
    const JsonPath path = json_path_at(figures.text, offset);
    if (path.empty()) return "the figures";
    const auto document = nlohmann::json::parse(figures.text, nullptr, false);
    const auto number = static_cast<std::size_t>(std::stoull(path.front()));
    const std::string title =
        number < figures.titles.size() ? figures.titles[number] : "figure " + path.front();
    if (document.is_discarded() || number >= document.size()) return title;
    return title + ", " + json_place(document[number], {path.begin() + 1, path.end()});
}

}  // namespace

FigureData figure_data(std::string_view page) {
    FigureData figures;
    const std::size_t place = page.find(figures_begin);
    if (place == std::string_view::npos) return figures;
    figures.begin = place + figures_begin.size();
    const std::size_t end = std::min(page.find(script_end, figures.begin), page.size());
    figures.text = page.substr(figures.begin, end - figures.begin);
    Reader reader;
    for (std::size_t at = page.find("<main>"); at < place; at = page.find('<', at + 1)) {
        const std::size_t close = std::min(page.find('>', at), page.size());
        const auto tag = page.substr(at + 1, close - at - 1);
        const std::string text = text_behind(page, std::min(close + 1, page.size()));
        pass(tag, text, reader);
        if (!tag.starts_with("figcaption")) continue;
        figures.titles.push_back(
            fmt::format("figure '{}' (section '{}')", reader.heading, reader.section));
    }
    return figures;
}

std::string page_place(std::string_view page, std::size_t offset) {
    const std::size_t main_begin = page.find("<main>");
    if (offset < main_begin) return "what precedes the page's text (title, style, navigation)";
    const FigureData figures = figure_data(page);
    const std::size_t figures_end = figures.begin + figures.text.size();
    if (figures.begin > 0 && offset >= figures_end) {
        const bool in_seal = offset >= page.rfind("<!--");
        return in_seal ? "the report's own seal" : "the script that draws the figures";
    }
    if (figures.begin > 0 && offset >= figures.begin) {
        return place_in_figures(figures, offset - figures.begin);
    }
    Reader reader;
    for (std::size_t at = main_begin; at <= offset; at = page.find('<', at + 1)) {
        const std::size_t close = std::min(page.find('>', at), page.size());
        pass(page.substr(at + 1, close - at - 1),
             text_behind(page, std::min(close + 1, page.size())), reader);
    }
    return words_of(reader);
}

}  // namespace shardstone::results
