// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>

#include "results/record/record.hpp"

namespace shardstone::results {

/// The reason why the run of this journal ended early, as given by the first of its ranks that
/// could report it ("rank 3 on n1, step 12: ..."): from the failure log beside it
/// (failure_log.hpp), or from this user's logs elsewhere that mention the output. If there is
/// nothing since the start of the run: that no rank could report it.
std::string reason_of_end(const std::filesystem::path& journal, const Record& record);
/// The same, of the failure log itself.
std::string reason_in(std::istream& log, const Record& record);

struct ReasonElsewhere {
    std::string words;          ///< "rank 3 on n1, step 12: ..."
    std::filesystem::path log;  ///< in which they are
};
/// The same, from this user's logs elsewhere alone: the first that mentions the output since the
/// start of the run; nothing if none does.
std::optional<ReasonElsewhere> reason_elsewhere(const std::filesystem::path& output,
                                                const Record& record);

}  // namespace shardstone::results
