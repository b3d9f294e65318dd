// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "results/schema/interconnect.hpp"
#include "validation/interconnect/suspects.hpp"

namespace shardstone::validation {

/// Without what the verdict makes of it: whether it is suspected, and disturbed.
results::SuspectRow suspect_row(const Suspect& suspect, std::int64_t size_bytes,
                                std::span<const Place> places,
                                std::span<const results::RankPlaceRow> ranks);

/// "NIC 0 of cn02 (node 1 of the run), outgoing: messages of 1 MiB take 43 % longer (40 to 46 %),
/// odds ...".
std::string in_words(const results::SuspectRow& row);

}  // namespace shardstone::validation
