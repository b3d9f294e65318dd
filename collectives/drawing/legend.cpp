// SPDX-License-Identifier: BSD-3-Clause
// The kinds of lines that occur in a drawing of a schedule, explained along with its symbols.
#include "collectives/drawing/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "collectives/drawing/arrows.hpp"
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

constexpr int row = 20;
constexpr int sample_width = 40;
constexpr int samples_per_row = 2;
constexpr int column = 350;

constexpr std::array<std::pair<const char*, const char*>, 4> kinds{{
    {"ir", "within a node, reduced into the receiver's data"},
    {"ip", "within a node, replacing the receiver's data"},
    {"br", "between nodes, reduced into the receiver's data"},
    {"bp", "between nodes, replacing the receiver's data"},
}};

std::vector<Legend::Sample> samples_of(const Schedule& schedule,
                                       const std::vector<DrawnMessage>& messages,
                                       const CanvasPlan& plan) {
    std::vector<Legend::Sample> samples;
    for (const auto& [classes, meaning] : kinds) {
        const bool occurs =
            std::ranges::any_of(messages, [&, name = classes](const DrawnMessage& m) {
                return arrow_classes(schedule, m, 0) == name;
            });
        if (occurs) samples.push_back({classes, meaning});
    }
    if (plan.own_channels() == 1 || messages.empty()) return samples;
    for (int channel = 0; channel < std::min(plan.own_channels(), drawn_dashes); ++channel) {
        const bool again = plan.own_channels() > drawn_dashes;
        samples.push_back(
            {fmt::format("n c{}", channel),
             fmt::format("channel {}{}", channel,
                         again ? fmt::format(", {} ...", channel + drawn_dashes) : "")});
    }
    return samples;
}

std::string label_note(const Schedule& schedule, bool on_arrows) {
    const char* where = on_arrows ? "On the arrows" : "In the tooltips";
    const int blocks = schedule.programs.front().blocks();
    switch (schedule.operation->sharing) {
        case Sharing::by_pair:
            return fmt::format("{}: a→b is the data from rank a for rank b.", where);
        case Sharing::message:
            return fmt::format("{}: whose message it is.", where);
        case Sharing::by_rank:
        case Sharing::whole:
            break;
    }
    if (blocks == 1) return "Every arrow carries the whole vector.";
    return fmt::format("{}: blocks of the vector, which is cut into {} (0–{}).", where, blocks,
                       blocks - 1);
}

std::string price_note(const Schedule& schedule) {
    const bool nodes = schedule.topology.nodes() > 1;
    return fmt::format(
        "T: time of a vector of n bytes. A message of m bytes takes α + m β within a node{}, "
        "reducing m bytes m γ; a rank sends one message at a time and receives one.",
        nodes ? ", α′ + m β′ between nodes" : "");
}

}  // namespace

int Legend::height() const {
    const auto rows = (static_cast<int>(samples.size()) + samples_per_row - 1) / samples_per_row;
    return row * (rows + static_cast<int>(notes.size())) + 8;
}

void Legend::paint(Svg& svg, int left, int top) const {
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const int place = static_cast<int>(i);
        const int x = left + place % samples_per_row * column;
        const int y = top + place / samples_per_row * row;
        svg.line(x, y, x + sample_width, y, samples[i].classes);
        svg.text(x + sample_width + 10, y + 4, "t", samples[i].meaning);
    }
    int y = top + height() - row * static_cast<int>(notes.size()) + 4;
    for (const std::string& note : notes) {
        svg.text(left, y, "d", note);
        y += row;
    }
}

Legend legend_of(const Schedule& schedule, const std::vector<DrawnMessage>& messages,
                 const CanvasPlan& plan, int line_characters) {
    Legend legend;
    legend.samples = samples_of(schedule, messages, plan);
    std::string notes = label_note(schedule, plan.labels()) + " " + price_note(schedule);
    if (plan.own_channels() > 1) {
        notes += " Channels are parts of the vector that progress independently.";
    }
    legend.notes = wrapped_lines(notes, line_characters);
    return legend;
}

}  // namespace shardstone::collectives
