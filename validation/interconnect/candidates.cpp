// SPDX-License-Identifier: BSD-3-Clause
// Sorts tests into groups by what they cross, and components into lists of groups.
#include "validation/interconnect/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace shardstone::validation {

namespace {

/// Numbers NICs and nodes, and looks groups up by what they are of.
class Grouping {
  public:
    Grouping(std::span<const Place> places, const Slowdowns& slowdowns) : places_(places) {
        for (const auto& place : places) {
            nics_.try_emplace({place.node, place.rail}, place);
            uplinks_ = std::max(uplinks_, place.uplink + 1);
        }
        std::map<std::pair<int, int>, int> numbers;
        for (const auto& [nic, place] : nics_) {
            numbers.emplace(nic, static_cast<int>(numbers.size()));
        }
        for (const auto& place : places) nic_of_place_.push_back(numbers[{place.node, place.rail}]);
        group_of_.assign(group_kind_count * nics_.size() * static_cast<std::size_t>(uplinks_), -1);
        for (std::size_t i = 0; i < slowdowns.of_tests.size(); ++i) {
            add(slowdowns.of_tests[i], static_cast<int>(i));
        }
    }

    std::vector<TestGroup> take_groups() { return std::move(groups_); }
    /// Their positions are the numbers of the NICs.
    const std::map<std::pair<int, int>, Place>& nics() const { return nics_; }
    int uplinks() const { return uplinks_; }

    void find(GroupKind kind, int nic, int uplink, std::vector<int>& groups) const {
        const int found = group_of_[position_of(kind, nic, uplink)];
        if (found >= 0) groups.push_back(found);
    }

  private:
    void add(const Slowdown& test, int position) {
        const auto sender = static_cast<std::size_t>(test.test.sender);
        const auto receiver = static_cast<std::size_t>(test.test.receiver);
        const int from = nic_of_place_[sender], to = nic_of_place_[receiver];
        switch (test.path) {
            case Path::loopback:
                return add_to(GroupKind::loopback, from, 0, position);
            case Path::inside_node:
                return add_to(GroupKind::inside_node, from, 0, position);
            case Path::across_leaves:
                add_to(GroupKind::up, from, places_[receiver].uplink, position);
                add_to(GroupKind::down, to, places_[receiver].uplink, position);
                [[fallthrough]];
            case Path::same_leaf:
                add_to(GroupKind::out, from, 0, position);
                add_to(GroupKind::in, to, 0, position);
        }
    }

    void add_to(GroupKind kind, int nic, int uplink, int position) {
        int& group = group_of_[position_of(kind, nic, uplink)];
        if (group < 0) {
            group = static_cast<int>(groups_.size());
            groups_.push_back({.kind = kind});
        }
        groups_[static_cast<std::size_t>(group)].tests.push_back(position);
    }

    std::size_t position_of(GroupKind kind, int nic, int uplink) const {
        const std::size_t of_nics =
            static_cast<std::size_t>(kind) * nics_.size() + static_cast<std::size_t>(nic);
        return of_nics * static_cast<std::size_t>(uplinks_) + static_cast<std::size_t>(uplink);
    }

    std::span<const Place> places_;
    std::map<std::pair<int, int>, Place> nics_;
    std::vector<int> nic_of_place_;
    int uplinks_ = 1;
    std::vector<int> group_of_;  ///< by kind, NIC and uplink; -1: none
    std::vector<TestGroup> groups_;
};

/// Which groups speak of a culprit that is a node, a NIC or a cable.
std::vector<GroupKind> kinds_of(Culprit culprit) {
    switch (culprit) {
        case Culprit::node:
            return {GroupKind::out, GroupKind::in, GroupKind::loopback, GroupKind::inside_node};
        case Culprit::nic:
            return {GroupKind::out, GroupKind::in, GroupKind::loopback};
        case Culprit::nic_out:
            return {GroupKind::out, GroupKind::loopback};
        case Culprit::nic_in:
            return {GroupKind::in, GroupKind::loopback};
        case Culprit::cable:
            return {GroupKind::out, GroupKind::in};
        case Culprit::cable_out:
            return {GroupKind::out};
        case Culprit::cable_in:
            return {GroupKind::in};
        default:
            return {};
    }
}

std::vector<Candidate> nodes(const Grouping& grouping) {
    std::map<int, Candidate> by_node;
    int nic = 0;
    for (const auto& [name, place] : grouping.nics()) {
        auto& node = by_node[place.node];
        node.component = {.culprit = Culprit::node, .node = place.node};
        for (const auto kind : kinds_of(Culprit::node)) grouping.find(kind, nic, 0, node.groups);
        ++nic;
    }
    std::vector<Candidate> result;
    for (auto& [node, candidate] : by_node) result.push_back(std::move(candidate));
    return result;
}

std::vector<Candidate> nics_or_cables(const Grouping& grouping, Culprit culprit) {
    std::vector<Candidate> result;
    int nic = 0;
    for (const auto& [name, place] : grouping.nics()) {
        Candidate candidate{
            .component = {.culprit = culprit, .node = place.node, .rail = place.rail}};
        for (const auto kind : kinds_of(culprit)) grouping.find(kind, nic, 0, candidate.groups);
        result.push_back(std::move(candidate));
        ++nic;
    }
    return result;
}

std::vector<Candidate> ports(const Grouping& grouping, Culprit culprit) {
    std::map<std::pair<int, int>, Candidate> by_port;
    int nic = 0;
    for (const auto& [name, place] : grouping.nics()) {
        for (int uplink = 0; uplink < grouping.uplinks(); ++uplink) {
            auto& port = by_port[{place.leaf, uplink}];
            port.component = {.culprit = culprit, .leaf = place.leaf, .uplink = uplink};
            if (culprit != Culprit::port_down) {
                grouping.find(GroupKind::up, nic, uplink, port.groups);
            }
            if (culprit != Culprit::port_up) {
                grouping.find(GroupKind::down, nic, uplink, port.groups);
            }
        }
        ++nic;
    }
    std::vector<Candidate> result;
    for (auto& [port, candidate] : by_port) result.push_back(std::move(candidate));
    return result;
}

std::vector<Candidate> components_of(const Grouping& grouping, Culprit culprit) {
    std::vector<Candidate> all;
    switch (culprit) {
        case Culprit::node:
            all = nodes(grouping);
            break;
        case Culprit::port:
        case Culprit::port_up:
        case Culprit::port_down:
            all = ports(grouping, culprit);
            break;
        case Culprit::pair:
            break;
        default:
            all = nics_or_cables(grouping, culprit);
    }
    std::erase_if(all, [](const Candidate& candidate) { return candidate.groups.empty(); });
    return all;
}

std::size_t count_pairs(const Slowdowns& slowdowns) {
    std::size_t pairs = 0;
    std::pair<int, int> before{-1, -1};
    for (const auto& test : slowdowns.of_tests) {
        const std::pair now{test.test.sender, test.test.receiver};
        if (test.path != Path::loopback && now != before) ++pairs;
        before = now;
    }
    return pairs;
}

}  // namespace

Candidates candidates_of(std::span<const Place> places, const Slowdowns& slowdowns) {
    Candidates result;
    Grouping grouping(places, slowdowns);
    const std::size_t pairs = count_pairs(slowdowns);
    double present = pairs > 0 ? prior_of_culprit.back() : 0.0;
    for (int kind = 0; kind < culprit_count; ++kind) {
        auto components = components_of(grouping, static_cast<Culprit>(kind));
        if (components.empty()) continue;
        const double share = prior_of_culprit[static_cast<std::size_t>(kind)];
        present += share;
        for (auto& candidate : components) {
            candidate.log_prior = std::log(share / static_cast<double>(components.size()));
            result.of_parts.push_back(std::move(candidate));
        }
    }
    for (auto& candidate : result.of_parts) candidate.log_prior -= std::log(present);
    if (pairs > 0) {
        result.log_prior_of_pair =
            std::log(prior_of_culprit.back() / present / static_cast<double>(pairs));
    }
    result.groups = grouping.take_groups();
    return result;
}

}  // namespace shardstone::validation
