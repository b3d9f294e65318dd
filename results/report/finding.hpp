// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/source.hpp"

namespace shardstone::results {

/// A sentence at the head of the page. It is read and cited without its section: it states by
/// itself what was found and for what, and is followed by its sources.
struct Finding {
    std::string sentence;             ///< with numbers, units, uncertainty
    std::vector<const Source*> from;  ///< the records behind it; none only if it is about no record
    std::vector<std::string> details = {};  ///< reasons or cases of it: a line each beneath it
};

/// The sentence with the machines and the records on which it is based: "... 12.5 us. [vm:
/// sweep.h5]".
std::string finding_text(const Finding& finding);

}  // namespace shardstone::results
