// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/recompute/recompute.hpp"
#include "results/record/record.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {

/// The record of a run that took these samples, with all that follows from them.
results::Record recorded(InterconnectSamples samples);

/// Thirty windows of two passes, a message of 1 MiB each, in a second each.
inline constexpr double windows_of_soak = 30.0;

/// Planted samples and those of a soak that began then, on quiet machines.
InterconnectSamples soaked_samples(double start_unix_s);

/// When the soak of soaked_record() may have begun, in seconds since 1970.
double soaked_from_s();

/// The record of a run that took samples of pairs and ranks and those of a soak, with the settings
/// that fit.
results::Record soaked_record(const InterconnectSamples& samples);

/// A column of a table, to change it. Throws Error when there is none.
results::Table::Column& column_of(results::Record& record, const std::string& table,
                                  const std::string& column);

void remove_table(results::Record& record, const std::string& table);

}  // namespace shardstone::validation
