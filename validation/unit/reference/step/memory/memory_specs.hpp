// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "reference/step/step_spec.hpp"

namespace shardstone::validation {

/// Five heads, 61 tokens, 160 columns: nothing goes evenly round two or three ranks.
inline reference::StepSpec spec_of(const std::string& plan, const std::string& schedule = "1f1b",
                                   int chunks = 1) {
    reference::StepSpec spec;
    spec.model = {"uneven", 61, 24, 7, 5, 40};
    spec.plan = reference::parse_plan(plan);
    spec.batch = {.global_batch = 24, .micro_batch = 1, .sequence = 19};
    spec.pipeline = {.schedule = schedule, .chunks = chunks, .layers = {}};
    spec.communication.bucket_bytes = 4004;  // several per group, and a rest
    return spec;
}

}  // namespace shardstone::validation
