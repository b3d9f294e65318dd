// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::results {

/// Makes `begun`, the record of a run that has measured nothing yet, continue `earlier`: it takes
/// over its samples, tables and checks, and its identity names it ("continues": id and start time,
/// the last one first). Throws Error naming the first thing in which the two differ: kind, build,
/// MPI library and device, the variables of its environment, ranks, nodes, machines, or a field of
/// the configuration that is not among `may_differ`.
void continue_record(Record& begun, const Record& earlier, const std::string& earlier_name,
                     const std::vector<std::string>& may_differ = {});

/// For a record of several runs: "continues what was started 2026-11-22T10:20:30Z and ...", the
/// last one first; else "".
std::string continued_in_words(const Record& record);

}  // namespace shardstone::results
