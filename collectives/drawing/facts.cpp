// SPDX-License-Identifier: BSD-3-Clause
// What a drawing says in words of its schedule: ranks, steps, volume, predicted time and source.
#include "collectives/drawing/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/drawing/price.hpp"

namespace shardstone::collectives {

namespace {

/// The most vectors that a rank sends to other nodes.
double most_sent_between(const Schedule& schedule, const std::vector<DrawnMessage>& messages) {
    std::vector<double> sent(schedule.programs.size(), 0.0);
    for (const DrawnMessage& message : messages) {
        if (schedule.topology.same_node(message.from, message.to)) continue;
        sent[static_cast<std::size_t>(message.from)] += message.vectors;
    }
    return std::ranges::max(sent);
}

std::string ranks_text(const Topology& topology) {
    return fmt::format("P = {} on {}", topology.size(),
                       topology.nodes() == 1 ? "one node" : topology.description());
}

std::string steps_text(const Algorithm& algorithm, const Topology& topology, int segments) {
    std::string steps = std::to_string(algorithm.steps(topology));
    if (steps != algorithm.steps_formula) steps += " = " + algorithm.steps_formula;
    if (segments == 1) return steps;
    return fmt::format("{}; {} segments, each drawn one step after the one before", steps,
                       segments);
}

std::string volume_text(const Algorithm& algorithm, const Schedule& schedule,
                        const std::vector<DrawnMessage>& messages) {
    const double volume = algorithm.volume(schedule.topology);
    const double between = most_sent_between(schedule, messages);
    const std::string text =
        fmt::format("{} vector{} sent by the busiest rank = {}", short_number(volume),
                    volume == 1.0 ? "" : "s", algorithm.volume_formula);
    if (between == 0.0) return text;
    return fmt::format("{}; to other nodes at most {}", text, short_number(between));
}

}  // namespace

std::vector<Fact> facts_of(const Algorithm& algorithm, const Schedule& schedule,
                           const std::vector<DrawnMessage>& messages, int segments) {
    return {{"Ranks", ranks_text(schedule.topology)},
            {"Steps", steps_text(algorithm, schedule.topology, segments)},
            {"Volume", volume_text(algorithm, schedule, messages)},
            {"Time", price_text(algorithm, schedule, segments)},
            {"Source", algorithm.citation}};
}

std::string price_text(const Algorithm& algorithm, const Schedule& schedule, int segments) {
    constexpr int example = 16;
    const std::string price = text_of(price_of(schedule));
    if (algorithm.segment_bytes == 0 || segments > 1) return price;
    const Schedule pipelined = make_schedule(algorithm, schedule.topology, example);
    return fmt::format("{}; in {} segments {}", price, example, text_of(price_of(pipelined)));
}

std::string spoken(std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
}

}  // namespace shardstone::collectives
