// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/record/record.hpp"
#include "results/report/scaling_curve.hpp"
#include "results/schema/scaling.hpp"

namespace shardstone::results {

/// A scaling study as the rows of its tables.
struct ScalingTables {
    std::vector<ScalingRow> points;
    std::vector<ScalingGapRow> gap;
    std::vector<ScalingChangeRow> changes;
    std::vector<ScalingFitRow> fits;
};

ScalingTables scaling_tables(const std::vector<ScalingCurve>& curves);

/// Puts the tables of these curves into a record. Its checks: every run of the curves passed its
/// own verification; and the parts of every undisturbed point's steps add up to what these steps
/// took by the trainings' own clock, within 2 %. A disturbed point, or one without parts, has none
/// of the latter: the detail of the first names it, with the reason.
void fill_record(const std::vector<ScalingCurve>& curves, Record& record);

/// Sentences on the largest point: its efficiency with its largest losses, what it would be if one
/// thing were different, and what each model said of it; and on disturbed points whose parts do not
/// add up. What is drawn from disturbed points has its numbers, but no verdict.
std::vector<std::string> scaling_findings(const ScalingCurve& curve);

}  // namespace shardstone::results
