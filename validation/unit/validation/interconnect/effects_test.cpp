// SPDX-License-Identifier: BSD-3-Clause
// The fit takes apart what ports, NICs and nodes add, and a minority of bad pairs does not move it.
#include "validation/interconnect/effects.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "validation/unit/validation/interconnect/simulated_faults.hpp"

namespace shardstone::validation {

namespace {

const Effect& effect_of(const Effects& effects, const Component& component) {
    const auto found = std::ranges::find(effects.of_components, component, &Effect::component);
    if (found == effects.of_components.end()) throw std::runtime_error("no such effect");
    return *found;
}

/// Five leaves per rail, with four receivers for each port: one fault is a minority of whatever
/// else it is part of, as a median needs.
constexpr SimulatedShape five_leaves{.nodes = 40, .rails = 2, .nodes_per_leaf = 8, .uplinks = 2};

Effects fitted(const std::vector<InjectedFault>& faults) {
    SimulatedCluster cluster(five_leaves, {}, 1);
    for (const auto& fault : faults) cluster.inject(fault);
    return fit_effects(cluster.places(), cluster.run_round_robin(repetitions_of_small));
}

/// The expected effect within five standard errors, and nothing else beyond six.
void expect_only(const Effects& effects, const Component& component, double log_slowdown) {
    for (const auto& effect : effects.of_components) {
        const bool it = effect.component == component;
        EXPECT_NEAR(effect.log_slowdown, it ? log_slowdown : 0.0, (it ? 5.0 : 6.0) * effect.error)
            << name_of(effect.component, {});
    }
    EXPECT_GT(effect_of(effects, component).log_slowdown, 10.0 * effects.noise / 5.5);
}

}  // namespace

TEST(Effects, EachPartHasItsOwn) {
    const double slowdown = -std::log(0.8);
    for (const Component& component :
         {Component{.culprit = Culprit::cable_out, .node = 3, .rail = 1},
          Component{.culprit = Culprit::cable_in, .node = 12, .rail = 0},
          Component{.culprit = Culprit::port_up, .leaf = 1, .uplink = 0},
          Component{.culprit = Culprit::port_down, .leaf = 2, .uplink = 1},
          Component{.culprit = Culprit::node, .node = 7}}) {
        expect_only(fitted({{component, 0.8}}), component, slowdown);
    }
}

TEST(Effects, AreAsManyAsTheParts) {
    const auto effects = fitted({});
    // 40 nodes, 80 NICs in two directions, 10 leaves of 2 ports in two directions.
    EXPECT_EQ(effects.of_components.size(), 40U + 160U + 40U);
    // The repetitions' and the pairs' noise: 5 repetitions, of which a median has 1.25 / sqrt(5) of
    // one per cent, next to one per cent.
    EXPECT_NEAR(effects.noise, 0.0115, 0.0015);
    EXPECT_TRUE(fit_effects({}, {}).of_components.empty());
}

}  // namespace shardstone::validation
