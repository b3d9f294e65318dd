// SPDX-License-Identifier: BSD-3-Clause
// Paths of pair tests, and the checks that a set of their times is usable.
#include "validation/interconnect/pair_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

namespace {

const Place& place_at(std::span<const Place> places, int position) {
    return places[static_cast<std::size_t>(position)];
}

void require_valid_test(std::span<const Place> places, const PairTest& test) {
    const auto known = [&](int place) {
        return place >= 0 && static_cast<std::size_t>(place) < places.size();
    };
    require(known(test.sender) && known(test.receiver), [&] {
        return fmt::format("a test from place {} to place {}: there are {} places, counted from 0",
                           test.sender, test.receiver, places.size());
    });
    const Place &from = place_at(places, test.sender), &to = place_at(places, test.receiver);
    require(test.loopback || test.sender != test.receiver, [&] {
        return fmt::format("a test of place {} with itself: mark it as a loopback", test.sender);
    });
    require(!test.loopback || (from.node == to.node && from.rail == to.rail), [&] {
        return fmt::format("a loopback from node {} NIC {} to node {} NIC {}: use one NIC",
                           from.node, from.rail, to.node, to.rail);
    });
}

}  // namespace

std::string to_string(Path path) {
    switch (path) {
        case Path::loopback:
            return "loopback";
        case Path::inside_node:
            return "inside node";
        case Path::same_leaf:
            return "same leaf";
        case Path::across_leaves:
            return "across leaves";
    }
    fail("unknown path");
}

Path path_of(std::span<const Place> places, const PairTest& test) {
    if (test.loopback) return Path::loopback;
    const Place &from = place_at(places, test.sender), &to = place_at(places, test.receiver);
    if (from.node == to.node) return Path::inside_node;
    const bool known = from.leaf >= 0 && to.leaf >= 0;
    return known && from.leaf != to.leaf ? Path::across_leaves : Path::same_leaf;
}

std::vector<std::int64_t> sizes_of(std::span<const PairTime> times) {
    std::set<std::int64_t> sizes;
    for (const auto& time : times) sizes.insert(time.size_bytes);
    return {sizes.begin(), sizes.end()};
}

void require_valid(std::span<const Place> places, std::span<const PairTime> times) {
    for (const auto& time : times) {
        require_valid_test(places, time.test);
        const auto [sender, receiver] = std::pair(time.test.sender, time.test.receiver);
        require(!time.times_s.empty(), [&] {
            return fmt::format("the test from place {} to place {} has no times", sender, receiver);
        });
        const auto bad = std::ranges::find_if(
            time.times_s, [](double time_s) { return !(time_s > 0.0) || !std::isfinite(time_s); });
        require(bad == time.times_s.end(), [&] {
            return fmt::format("a time of {} s from place {} to place {}: times are above 0", *bad,
                               sender, receiver);
        });
    }
}

}  // namespace shardstone::validation
