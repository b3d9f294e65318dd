// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "jobs/submit/queue.hpp"

namespace shardstone::submit {

/// Whether there is a report of all points: every point has a record, and none is younger.
bool report_is_current(const Plan& plan);

/// A line on the report: where it is and whether runs have ended since, or that there is none yet;
/// then which job is to make it, and why the last one did not.
std::string report_line(const Plan& plan, const Queue& queue);

}  // namespace shardstone::submit
