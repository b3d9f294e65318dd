// SPDX-License-Identifier: BSD-3-Clause
// Max-min fair rates, worked out again only for what a starting or ending message is connected to.
#include "collectives/simulation/shared_links.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace shardstone::collectives {

namespace {

/// Links that are full at levels this close are taken to be full at once: roundoff must not make
/// symmetric messages differ.
constexpr double nearly = 1.0 + 1e-12;

}  // namespace

SharedLinks::SharedLinks(std::vector<double> capacity)
    : capacity_(std::move(capacity)), links_(capacity_.size()) {}

std::uint32_t SharedLinks::start(std::span<const std::uint32_t> links, double size_bytes,
                                 double rate_limit, double now_s) {
    if (free_flows_.empty()) {
        free_flows_.push_back(static_cast<std::uint32_t>(flows_.size()));
        flows_.emplace_back();
    }
    const std::uint32_t number = free_flows_.back();
    free_flows_.pop_back();
    Flow& flow = flows_[number];
    flow.left_bytes = size_bytes;
    flow.rate = 0.0;
    flow.since_s = now_s;
    flow.rate_limit = rate_limit;
    flow.length = static_cast<int>(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
        auto& on_link = links_[links[i]].flows;
        flow.links[i] = links[i];
        flow.places[i] = static_cast<std::uint32_t>(on_link.size());
        on_link.push_back(number);
        changed_.push_back(links[i]);
    }
    return number;
}

void SharedLinks::end(std::uint32_t number) {
    const Flow& flow = flows_[number];
    for (std::size_t i = 0; i < static_cast<std::size_t>(flow.length); ++i) {
        auto& on_link = links_[flow.links[i]].flows;
        const std::uint32_t moved = on_link.back();
        on_link[flow.places[i]] = moved;
        on_link.pop_back();
        Flow& other = flows_[moved];
        const auto links = links_of(other);
        const auto same = std::ranges::find(links, flow.links[i]) - links.begin();
        other.places[static_cast<std::size_t>(same)] = flow.places[i];
        changed_.push_back(flow.links[i]);
    }
    free_flows_.push_back(number);
}

std::span<const SharedLinks::Ending> SharedLinks::settle(double now_s) {
    endings_.clear();
    collect();
    share(now_s);
    changed_.clear();
    return endings_;
}

/// All links and messages that the changed links are connected to.
void SharedLinks::collect() {
    ++mark_;
    touched_links_.clear();
    touched_flows_.clear();
    const auto touch = [&](std::uint32_t link) {
        if (std::exchange(links_[link].mark, mark_) != mark_) touched_links_.push_back(link);
    };
    for (const std::uint32_t link : changed_) touch(link);
    for (std::size_t i = 0; i < touched_links_.size(); ++i) {
        for (const std::uint32_t number : links_[touched_links_[i]].flows) {
            if (std::exchange(flows_[number].mark, mark_) == mark_) continue;
            touched_flows_.push_back(number);
            for (const std::uint32_t link : links_of(flows_[number])) touch(link);
        }
    }
}

/// The rate at which the next message stops growing.
double SharedLinks::next_level() const {
    double level = std::numeric_limits<double>::infinity();
    for (const std::uint32_t number : touched_links_) {
        const Link& link = links_[number];
        if (link.open > 0) level = std::min(level, link.left / link.open);
    }
    for (const std::uint32_t number : touched_flows_) {
        if (!flows_[number].fixed) level = std::min(level, flows_[number].rate_limit);
    }
    return level;
}

void SharedLinks::share(double now_s) {
    for (const std::uint32_t number : touched_links_) {
        Link& link = links_[number];
        link.left = capacity_[number];
        link.open = static_cast<std::uint32_t>(link.flows.size());
    }
    for (const std::uint32_t number : touched_flows_) flows_[number].fixed = false;
    std::vector<std::uint32_t> full;
    for (std::size_t fixed = 0; fixed < touched_flows_.size();) {
        const double level = next_level();
        // Which links are full is decided before any message is fixed, and so are the messages.
        full.clear();
        for (const std::uint32_t number : touched_flows_) {
            const Flow& flow = flows_[number];
            const auto is_full = [&](std::uint32_t link) {
                return links_[link].left <= level * nearly * links_[link].open;
            };
            if (!flow.fixed && (flow.rate_limit <= level * nearly ||
                                std::ranges::any_of(links_of(flow), is_full))) {
                full.push_back(number);
            }
        }
        for (const std::uint32_t number : full) {
            fix(number, std::min(level, flows_[number].rate_limit), now_s);
        }
        fixed += full.size();
    }
}

void SharedLinks::fix(std::uint32_t number, double rate, double now_s) {
    Flow& flow = flows_[number];
    flow.fixed = true;
    for (const std::uint32_t link : links_of(flow)) {
        links_[link].left = std::max(0.0, links_[link].left - rate);
        --links_[link].open;
    }
    if (rate == flow.rate) return;
    flow.left_bytes = std::max(0.0, flow.left_bytes - flow.rate * (now_s - flow.since_s));
    flow.since_s = now_s;
    flow.rate = rate;
    endings_.push_back({number, now_s + flow.left_bytes / rate});
}

}  // namespace shardstone::collectives
