// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "results/record/record.hpp"
#include "results/schema/soak.hpp"

namespace shardstone::validation {

/// Whether others took half of the cores or more in a part of a validation, as may be next to other
/// tests: then a broken limit, or slow traffic, is undecided.
inline bool explains_every_slowness(const results::Record& record) {
    const auto rows = results::rows_of<results::ConditionsRow>(record);
    return std::ranges::any_of(rows, [](const auto& row) {
        return std::fmax(row.others_share, std::fmax(row.waiting_share, row.stolen_share)) >= 0.5;
    });
}

}  // namespace shardstone::validation
