// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/source.hpp"

namespace shardstone::results {

/// A sentence at the head of the page. It stands there, and is cited, without its section: it says
/// by itself what was found of what, and is followed by where.
struct Finding {
    std::string sentence;             ///< with numbers, units, uncertainty
    std::vector<const Source*> from;  ///< the records behind it; none only where it is of no record
};

/// The sentence with the machines and the records that it is from: "... 12.5 us. [vm: sweep.h5]".
std::string finding_text(const Finding& finding);

}  // namespace shardstone::results
