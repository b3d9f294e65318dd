// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/drawing/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/drawing/price.hpp"

namespace shardstone::collectives {

namespace {

/// The most vectors that a rank sends to other nodes.
double most_sent_between(const Schedule& schedule, const std::vector<Message>& messages) {
    std::vector<double> sent(schedule.programs.size(), 0.0);
    for (const Message& message : messages) {
        if (schedule.topology.same_node(message.from, message.to)) continue;
        sent[static_cast<std::size_t>(message.from)] += message.vectors;
    }
    return std::ranges::max(sent);
}

std::string ranks_text(const Topology& topology) {
    return topology.nodes() == 1 ? fmt::format("{} on one node", topology.size())
                                 : fmt::format("{} on {}", topology.size(), topology.description());
}

std::string steps_text(const Algorithm& algorithm, const Topology& topology, int segments) {
    const std::string steps =
        fmt::format("{}, from the formula {}", algorithm.steps(topology), algorithm.steps_formula);
    return segments == 1 ? steps
                         : fmt::format("{}; {} segments, each drawn one step after the one before",
                                       steps, segments);
}

std::string volume_text(const Algorithm& algorithm, const Schedule& schedule,
                        const std::vector<Message>& messages) {
    const double volume = algorithm.volume(schedule.topology);
    const double between = most_sent_between(schedule, messages);
    return fmt::format(
        "a rank sends at most {} vector{}{}, from the formula {}", short_number(volume),
        volume == 1.0 ? "" : "s",
        between > 0.0 ? fmt::format(" (between nodes: at most {})", short_number(between)) : "",
        algorithm.volume_formula);
}

}  // namespace

std::vector<Fact> facts_of(const Algorithm& algorithm, const Schedule& schedule,
                           const std::vector<Message>& messages, int segments) {
    return {{"Ranks", ranks_text(schedule.topology)},
            {"Steps", steps_text(algorithm, schedule.topology, segments)},
            {"Volume", volume_text(algorithm, schedule, messages)},
            {"Time", text_of(price_of(schedule))},
            {"Source", algorithm.citation}};
}

std::string spoken(std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
}

}  // namespace shardstone::collectives
