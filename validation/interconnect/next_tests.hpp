// SPDX-License-Identifier: BSD-3-Clause
// The few further tests that tell the leading suspects apart.
#pragma once

#include <span>
#include <vector>

#include "validation/interconnect/pair_times.hpp"
#include "validation/interconnect/suspects.hpp"

namespace shardstone::validation {

struct NextTestsSettings {
    int most_tests = 16;    ///< the budget of one batch
    bool loopback = true;   ///< whether a message can be made to go through the NIC inside a node
    double decided = 0.99;  ///< a suspect of this probability needs no further test
};

/// Tests to run one at a time (`alone`), best first; none if every suspect is decided and there is
/// no lead, or no test can tell. What a test is worth is the variance of the slowdown predicted for
/// it over the suspect's rivals in units of the noise, to which its expected information is
/// proportional. Tests of a path that was not tested alone before come with the same tests of
/// healthy parts to compare with. `times`: those that `suspicion` is from.
std::vector<PairTest> next_tests(std::span<const Place> places, std::span<const PairTime> times,
                                 const Suspicion& suspicion,
                                 const NextTestsSettings& settings = {});

}  // namespace shardstone::validation
