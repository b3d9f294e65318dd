// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <istream>
#include <string>

#include "results/record/record.hpp"

namespace shardstone::results {

/// Why the run whose journal this is did not come to its end, as the first of its ranks that could
/// say so did ("rank 3 on n1, step 12: ..."): from the failure log beside it (failure_log.hpp),
/// or from what this user's logs elsewhere say of the output. Where there is nothing since the run
/// began, that nobody could say.
std::string reason_of_end(const std::filesystem::path& journal, const Record& record);
/// The same, of the failure log itself.
std::string reason_in(std::istream& log, const Record& record);

}  // namespace shardstone::results
