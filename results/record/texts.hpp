// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "results/record/record.hpp"

namespace shardstone::results {

/// Every text and key through as_utf8() (kernels/base/utf8.hpp): arguments, paths, host names and
/// variables may hold any bytes, which must not cause the loss of a run at its end.
void escape_texts(nlohmann::json& document);
void escape_texts(Record& record);

}  // namespace shardstone::results
