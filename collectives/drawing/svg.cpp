// SPDX-License-Identifier: BSD-3-Clause
// SVG elements, their style for light and dark pages, and text escaped and wrapped for them.
#include "collectives/drawing/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "kernels/base/markup.hpp"
#include "kernels/base/utf8.hpp"

namespace shardstone::collectives {

namespace {

/// Blue and vermilion of M. Okabe and K. Ito's palette, which colour-blind readers tell apart;
/// what goes between nodes is thicker, too. Classes of arrows: i within a node, b between nodes; r
/// reduced, p put in place; c1 to c3 further channels.
constexpr std::string_view style = R"(<style>
text{font-family:"Helvetica Neue",Arial,"Liberation Sans",sans-serif;font-size:12px;fill:#1f2328}
.card{fill:#fdfdfc;stroke:#d0d4d9}
.node{fill:#eef1f5}
.life{stroke:#8b949e;stroke-width:1}
.grid{stroke:#d0d4d9;stroke-width:1}
.h{font-size:21px;font-weight:bold}
.s{font-size:14px;fill:#57606a}
.k{font-weight:bold}
.d{fill:#57606a}
.m{text-anchor:middle}
.e{text-anchor:end}
.l,.le{font-size:11px;stroke:#fdfdfc;stroke-width:3px;paint-order:stroke;stroke-linejoin:round}
.le{text-anchor:end}
path{fill:none}
.ir,.ip,.hi{stroke:#0072b2;stroke-width:1.5}
.br,.bp,.hb{stroke:#d55e00;stroke-width:2.2}
.n{stroke:#57606a}
.fine .ir,.fine .ip{stroke-width:.8}
.fine .br,.fine .bp{stroke-width:1.3}
.ir{marker-end:url(#ir)}
.ip{marker-end:url(#ip)}
.br{marker-end:url(#br)}
.bp{marker-end:url(#bp)}
.c1{stroke-dasharray:7 3}
.c2{stroke-dasharray:2 3}
.c3{stroke-dasharray:9 3 2 3}
.full.hi{fill:#0072b2}
.full.hb{fill:#d55e00}
.open{fill:#fdfdfc}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.card{fill:#15191e;stroke:#3d444d}
.node{fill:#20262d}
.grid{stroke:#3d444d}
.s,.d{fill:#a5adb7}
.l,.le{stroke:#15191e}
.ir,.ip,.hi{stroke:#56b4e9}
.br,.bp,.hb{stroke:#ff8c42}
.full.hi{fill:#56b4e9}
.full.hb{fill:#ff8c42}
.open{fill:#15191e}
}
</style>
)";

struct Head {
    const char* name;
    const char* classes;
};
constexpr std::array<Head, 4> heads{
    {{"ir", "full hi"}, {"ip", "open hi"}, {"br", "full hb"}, {"bp", "open hb"}}};

}  // namespace

int characters(std::string_view utf8) {
    int count = 0;
    for (const char byte : utf8) count += begins_utf8_character(byte) ? 1 : 0;
    return count;
}

std::vector<std::string> wrapped_lines(std::string_view text, int most_characters) {
    std::vector<std::string> lines{""};
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        std::string& last = lines.back();
        if (last.empty()) {
            last = word;
        } else if (characters(last) + 1 + characters(word) <= most_characters) {
            last.append(" ").append(word);
        } else {
            lines.emplace_back(word);
        }
    }
    return lines;
}

Svg::Svg(int width, int height, std::string_view title, bool fine, std::string_view classes) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"{3} width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n{4}<defs>\n",
        width, height, escape_markup(title), fine ? " class=\"fine\"" : "", style);
    if (!classes.empty()) out_.insert(out_.rfind("</style>"), classes);
    const int head_width = fine ? 8 : 13;
    for (const Head& head : heads) {
        out_ += fmt::format(
            "<marker id=\"{0}\" markerUnits=\"userSpaceOnUse\" markerWidth=\"{1}\" "
            "markerHeight=\"{1}\" viewBox=\"0 0 13 13\" refX=\"11\" refY=\"6\" orient=\"auto\">"
            "<path class=\"{2}\" style=\"stroke-width:1.3\" d=\"M1 2L11 6L1 10Z\"/></marker>\n",
            head.name, head_width, head.classes);
    }
    out_ += fmt::format(
        "</defs>\n"
        "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n",
        width - 1, height - 1);
}

void Svg::text(int x, int y, std::string_view classes, std::string_view words) {
    fmt::format_to(std::back_inserter(out_), "<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n",
                   classes, x, y, escape_markup(words));
}

void Svg::line(int x1, int y1, int x2, int y2, std::string_view classes) {
    fmt::format_to(std::back_inserter(out_), "<path class=\"{}\" d=\"M{} {}L{} {}\"/>\n", classes,
                   x1, y1, x2, y2);
}

void Svg::rectangle(int x, int y, int width, int height, std::string_view classes) {
    fmt::format_to(std::back_inserter(out_),
                   "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n",
                   classes, x, y, width, height);
}

void Svg::bar(int x, int y, int width, int height, std::string_view classes,
              std::string_view tooltip) {
    fmt::format_to(std::back_inserter(out_),
                   "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", classes, x, y,
                   width, height);
    out_ += tooltip.empty() ? "/>\n"
                            : fmt::format("><title>{}</title></rect>\n", escape_markup(tooltip));
}

void Svg::arrow(int x1, int y1, int x2, int y2, std::string_view classes,
                std::string_view tooltip) {
    if (tooltip.empty()) return line(x1, y1, x2, y2, classes);
    fmt::format_to(std::back_inserter(out_),
                   "<path class=\"{}\" d=\"M{} {}L{} {}\"><title>{}</title></path>\n", classes, x1,
                   y1, x2, y2, escape_markup(tooltip));
}

std::string Svg::finish() {
    out_ += "</svg>\n";
    return std::move(out_);
}

}  // namespace shardstone::collectives
