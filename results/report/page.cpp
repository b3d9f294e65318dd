// SPDX-License-Identifier: BSD-3-Clause
// The whole report as one HTML page that fetches nothing, and its findings as text.
#include "results/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/base/error.hpp"
#include "kernels/base/markup.hpp"
#include "results/report/assets.hpp"
#include "results/report/html.hpp"
#include "results/report/page_seal.hpp"
#include "results/report/system.hpp"
#include "results/report/unbroken.hpp"
#include "results/report/words.hpp"
#include "results/schema/own_verdict.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// Nothing may be fetched.
constexpr const char* policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

std::string tiles_html(const std::vector<Section>& sections) {
    std::vector<Tile> tiles;
    std::set<std::string> machines;
    for (const Section& section : sections) {
        for (const Tile& tile : section.tiles) {
            tiles.push_back(tile);
            if (tile.from != nullptr) machines.insert(tile.from->machine);
        }
    }
    std::string html;
    for (const Tile& tile : tiles) {
        const bool names = machines.size() > 1 && tile.from != nullptr;
        html +=
            fmt::format("<li><strong>{}</strong><span>{}</span></li>\n", escape_markup(tile.value),
                        escape_markup(tile.label + (names ? ", " + tile.from->machine : "")));
    }
    return html.empty() ? "" : "<ul class=\"tiles\">\n" + html + "</ul>\n";
}

std::string details_html(const Finding& finding) {
    std::string html;
    for (const std::string& detail : finding.details) {
        html += fmt::format("<li>{}</li>\n", escape_markup(detail));
    }
    return html.empty() ? "" : "\n<ul class=\"details\">\n" + html + "</ul>\n";
}

std::string findings_html(const std::vector<Section>& sections) {
    std::string html;
    for (const Section& section : sections) {
        for (const auto& finding : section.findings) {
            html += fmt::format("<li>{}{}</li>\n", escape_markup(finding_text(finding)),
                                details_html(finding));
        }
    }
    return html.empty()
               ? ""
               : "<h2 id=\"findings\">Findings</h2>\n<ul class=\"findings\">\n" + html + "</ul>\n";
}

std::string navigation_html(const std::vector<Section>& sections) {
    std::string html =
        "<nav aria-label=\"Sections\">\n<button id=\"theme\" type=\"button\">Light or "
        "dark</button>\n<div>\n";
    for (const Section& section : sections) {
        html += fmt::format("<a href=\"#{}\">{}</a>\n", section.id, escape_markup(section.title));
    }
    return html + "</div>\n</nav>\n";
}

/// The places of the plots; what they show goes into `figures` in the same order.
std::string figures_html(const Section& section, json& figures) {
    std::string html;
    for (const Figure& figure : section.figures) {
        html += fmt::format(
            "<figure{}><figcaption>{}</figcaption><div class=\"plot\" data-figure=\"{}\" "
            "role=\"img\" aria-label=\"{}\"></div>{}</figure>\n",
            figure.wide ? " class=\"wide\"" : "", escape_markup(figure.title), figures.size(),
            escape_markup(figure.title), origin_html(figure.from));
        figures.push_back({{"traces", figure.traces}, {"layout", figure.layout}});
    }
    return html.empty() ? "" : "<div class=\"figures\">\n" + html + "</div>\n";
}

std::string sections_html(const std::vector<Section>& sections, json& figures) {
    std::string html;
    for (const Section& section : sections) {
        html += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", section.id,
                            escape_markup(section.title));
        html += paragraph(section.lead) + figures_html(section, figures) + section.body;
        html += "</section>\n";
    }
    return html;
}

/// A day, or the first and the last of several.
std::string days_of(const std::vector<Source>& sources) {
    std::set<std::string> days;
    for (const Source& source : sources) {
        days.insert(source.record.identity.value("start_time", "").substr(0, 10));
    }
    return *days.begin() == *days.rbegin() ? *days.begin()
                                           : *days.begin() + " to " + *days.rbegin();
}

/// The question that the page answers.
const char* title_of(const std::vector<Source>& sources, bool one_machine) {
    const auto trains = [](const Source& one) { return one.record.has_table("summary"); };
    const auto judges = [](const Source& one) {
        return own_verdict(one.record).has_value() || was_stalled(one.record);
    };
    if (std::ranges::any_of(sources, trains)) {
        return one_machine ? "How well does this machine train?"
                           : "How well do these machines train?";
    }
    if (std::ranges::any_of(sources, judges)) return "Is the interconnect sound?";
    return one_machine ? "What was found of this machine?" : "What was found of these machines?";
}

}  // namespace

PageHead page_head(const std::vector<Source>& sources) {
    std::set<std::string> machines;
    for (const Source& source : sources) machines.insert(machine_name(source));
    const auto runs = plural(static_cast<double>(sources.size()), "run");
    const bool is_any_emulated = std::ranges::any_of(sources, is_emulated);
    return {title_of(sources, machines.size() == 1),
            fmt::format("{}, {}. {}.{}", runs, days_of(sources),
                        listed({machines.begin(), machines.end()}),
                        is_any_emulated ? " On emulated GPUs: no times of real ones." : "")};
}

PageHead page_head(const Given& given) {
    return page_head(given.sources.empty() ? given.stalled : given.sources);
}

std::string make_page(const PageHead& head, const std::vector<Section>& sections) {
    require(!chart_script.empty(),
            "this program was built without Chart.js, which draws the figures: apt install "
            "libjs-chart.js and rebuild");
    json figures = json::array();
    const std::string body = sections_html(sections, figures);
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>Shardstone: {}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n"
        "</head>\n<body>\n",
        policy, escape_markup(head.subtitle), page_style);
    page += navigation_html(sections);
    const std::string header = fmt::format(
        "<main>\n<header><p class=\"brand\">Shardstone</p>\n<h1>{}</h1>\n<p>{}</p>\n</header>\n",
        escape_markup(head.title), escape_markup(head.subtitle));
    page += unbroken_numbers(header + tiles_html(sections) + findings_html(sections) + body +
                             "</main>\n");
    page += "<script type=\"application/json\" id=\"figures\">" + json_for_script(figures) +
            "</script>\n<script>\n";
    page.append(chart_script).append("\n</script>\n<script>\n");
    page.append(page_script).append("</script>\n</body>\n</html>\n");
    return seal_page(std::move(page));
}

std::string findings_as_text(const std::vector<Section>& sections) {
    std::string text;
    for (const Section& section : sections) {
        for (const auto& finding : section.findings) {
            text += "  * " + finding_text(finding) + "\n";
            for (const std::string& detail : finding.details) text += "    - " + detail + "\n";
        }
    }
    return text;
}

}  // namespace shardstone::results
