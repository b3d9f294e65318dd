// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::validation {

/// Small records of each kind whose reading depends on their version, and of one that does not;
/// each with `version` set to one that may have had these names.
std::vector<results::Record> small_records();

/// The JSON record of a document that lacks its seal, its content hash made to hold where it holds
/// enough of a record for one. As only a program could forge it.
std::string forged_json(nlohmann::json document);

/// Its document, of the version that it says, without seal.
nlohmann::json document_of(const results::Record& record);

}  // namespace shardstone::validation
