// SPDX-License-Identifier: BSD-3-Clause
// Names and signatures of the parts that may be slow.
#include "validation/interconnect/components.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

namespace {

std::string with_direction(const std::string& what, const std::string& where,
                           const char* direction) {
    const std::string name = where.empty() ? what : what + " of " + where;
    return *direction == '\0' ? name : fmt::format("{}, {}", name, direction);
}

std::string name_of_nic(int rail, const std::string& node) {
    return fmt::format("NIC {} of {}", rail, node);
}

const char* direction_of(Culprit culprit) {
    switch (culprit) {
        case Culprit::nic_out:
        case Culprit::cable_out:
            return "outgoing";
        case Culprit::nic_in:
        case Culprit::cable_in:
            return "incoming";
        case Culprit::port_up:
            return "upwards";
        case Culprit::port_down:
            return "downwards";
        default:
            return "";
    }
}

bool covers_nic(const Component& component, const Place& from, const Place& to, Path path) {
    if (path == Path::inside_node) return false;
    const auto is_it = [&](const Place& place) {
        return place.node == component.node && place.rail == component.rail;
    };
    switch (component.culprit) {
        case Culprit::nic_out:
            return is_it(from);
        case Culprit::nic_in:
            return is_it(to);
        case Culprit::cable_out:
            return path != Path::loopback && is_it(from);
        case Culprit::cable_in:
            return path != Path::loopback && is_it(to);
        case Culprit::cable:
            return path != Path::loopback && (is_it(from) || is_it(to));
        default:
            return is_it(from) || is_it(to);
    }
}

bool covers_port(const Component& component, const Place& from, const Place& to, Path path) {
    if (path != Path::across_leaves || to.uplink != component.uplink) return false;
    const bool up = component.culprit != Culprit::port_down && from.leaf == component.leaf;
    const bool down = component.culprit != Culprit::port_up && to.leaf == component.leaf;
    return up || down;
}

}  // namespace

std::string to_string(Culprit culprit) {
    switch (culprit) {
        case Culprit::node:
            return "node";
        case Culprit::nic:
        case Culprit::nic_out:
        case Culprit::nic_in:
            return with_direction("NIC", "", direction_of(culprit));
        case Culprit::cable:
        case Culprit::cable_out:
        case Culprit::cable_in:
            return with_direction("cable", "", direction_of(culprit));
        case Culprit::port:
        case Culprit::port_up:
        case Culprit::port_down:
            return with_direction("port", "", direction_of(culprit));
        case Culprit::pair:
            return "pair";
    }
    fail("unknown culprit");
}

std::string name_of_node(int node, const std::string& host) {
    return host.empty() ? fmt::format("node {}", node)
                        : fmt::format("{} (node {} of the run)", host, node);
}

std::string name_of(const Component& component, std::span<const Place> places) {
    const auto place = std::ranges::find(places, component.node, &Place::node);
    const auto node = name_of_node(component.node, place == places.end() ? "" : place->host);
    const auto nic = name_of_nic(component.rail, node);
    const char* direction = direction_of(component.culprit);
    switch (component.culprit) {
        case Culprit::node:
            return node;
        case Culprit::nic:
        case Culprit::nic_out:
        case Culprit::nic_in:
            return with_direction(nic, "", direction);
        case Culprit::cable:
        case Culprit::cable_out:
        case Culprit::cable_in:
            return with_direction("cable", nic, direction);
        case Culprit::port:
        case Culprit::port_up:
        case Culprit::port_down:
            return with_direction(fmt::format("port {}", component.uplink),
                                  fmt::format("leaf {}", component.leaf), direction);
        case Culprit::pair: {
            const auto& from = places[static_cast<std::size_t>(component.sender)];
            const auto& to = places[static_cast<std::size_t>(component.receiver)];
            return fmt::format("the pair from {} to {}",
                               name_of_nic(from.rail, name_of_node(from.node, from.host)),
                               name_of_nic(to.rail, name_of_node(to.node, to.host)));
        }
    }
    fail("unknown culprit");
}

bool covers(const Component& component, std::span<const Place> places, const PairTest& test) {
    const auto& from = places[static_cast<std::size_t>(test.sender)];
    const auto& to = places[static_cast<std::size_t>(test.receiver)];
    switch (component.culprit) {
        case Culprit::node:
            return from.node == component.node || to.node == component.node;
        case Culprit::pair:
            return !test.loopback && test.sender == component.sender &&
                   test.receiver == component.receiver;
        case Culprit::port:
        case Culprit::port_up:
        case Culprit::port_down:
            return covers_port(component, from, to, path_of(places, test));
        default:
            return covers_nic(component, from, to, path_of(places, test));
    }
}

}  // namespace shardstone::validation
