// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "validation/interconnect/measure_interconnect.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

/// Tests nothing yet, with few messages and no time: each part is made as seldom as it may be.
inline InterconnectOptions quickest_options() {
    InterconnectOptions options;
    options.sizes_bytes = {8192};
    options.parts = {.pairs = false, .congestion = false, .ranks = false, .clocks = false};
    options.budget_s = 0.1;
    return options;
}

/// `progress` hears what is measured; it ends once `enough` says so on any rank.
inline InterconnectObserver observer_of(
    std::function<void(const std::string&)> progress,
    std::function<bool()> enough = [] { return false; }) {
    return {std::move(progress), [](const InterconnectSamples&) {},
            [enough = std::move(enough)] { return world().max(enough() ? 1.0 : 0.0) > 0.0; },
            [](const char*) {}};
}

}  // namespace shardstone::validation
