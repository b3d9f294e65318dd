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
    std::vector<ScalingCurveRow> curves;
    std::vector<ScalingRow> points;
    std::vector<ScalingGapRow> gap;
    std::vector<ScalingChangeRow> changes;
    std::vector<ScalingFitRow> fits;
    std::vector<ScalingFindingRow> findings;
};

/// Of one point.
std::vector<ScalingGapRow> gap_rows(const ScalingCurve& curve, const ScalingPoint& point);
std::vector<ScalingChangeRow> change_rows(const ScalingCurve& curve, const ScalingPoint& point);

/// Whether a point's parts are what the same steps took by the trainings' own clock: besides the
/// actions of its program, which are replayed, a step has nothing but our own bookkeeping.
bool parts_add_up(double parts_s, double split_step_s);

ScalingTables scaling_tables(const std::vector<ScalingCurve>& curves);

/// Those that a record of `shardstone scale` holds: all as scaling_tables() made them, or without
/// curves and findings where its version wrote none.
ScalingTables scaling_tables(const Source& source);

/// Puts the tables of these curves into a record. Its checks: every run of the curves passed its
/// own verification; and the parts of every undisturbed point's steps add up to what these steps
/// took by the trainings' own clock, within 2 %. A disturbed point, or one without parts, has none
/// of the latter: the detail of the first names it, with the reason.
void fill_record(const std::vector<ScalingCurve>& curves, Record& record);

}  // namespace shardstone::results
