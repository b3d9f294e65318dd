// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/recompute/recompute.hpp"
#include "results/record/record.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {

/// The record of a run that took these samples, with all that follows from them.
results::Record recorded(InterconnectSamples samples);

/// A column of a table, to change it. Throws Error when there is none.
results::Table::Column& column_of(results::Record& record, const std::string& table,
                                  const std::string& column);

void remove_table(results::Record& record, const std::string& table);

}  // namespace shardstone::validation
