// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/scaling_rows.hpp"

namespace shardstone::results {

/// A scaling curve as the report shows it, of runs or of a record of `shardstone scale`.
struct ShownCurve {
    std::string name;
    ScalingTables tables;             ///< of this curve alone
    std::vector<const Source*> from;  ///< the runs that count, or the record

    bool is_paced() const;
    /// Whether all of its points have parts of a step.
    bool has_parts() const;
    /// All parts that a point's steps have, in their order.
    std::vector<std::string> parts() const;
    /// Null if the point has no such part.
    const ScalingGapRow* part(const ScalingRow& point, const std::string& wanted) const;
};

std::vector<ShownCurve> shown_curves(const std::vector<ScalingCurve>& curves);

/// All curves of the runs among these records; and those of records of `scale`, with the name of
/// the file where another one has their name, unless that is the same curve.
std::vector<ShownCurve> shown_curves(const std::vector<Source>& sources);

}  // namespace shardstone::results
