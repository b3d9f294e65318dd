// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "results/record/record.hpp"
#include "results/schema/interconnect.hpp"

namespace shardstone::validation {

/// The exit code of the run of an interconnect that left this record, by the verdict in it.
inline int code_of_verdict(const results::Record& record) {
    const std::map<std::string, int> codes{{"pass", 0}, {"fail", 1}, {"inconclusive", 7}};
    return codes.at(results::rows_of<results::InterconnectVerdictRow>(record).at(0).verdict);
}

}  // namespace shardstone::validation
