// SPDX-License-Identifier: BSD-3-Clause
// A failed check as a reason: in words that say what is wrong, not what should be.
#include "results/record/fault.hpp"

#include <fmt/format.h>

#include "results/record/incomplete.hpp"

namespace shardstone::results {

std::string fault_of(const Check& failed) {
    if (failed.name == incomplete_check("").name) return "the run is incomplete: " + failed.detail;
    const std::string detail = failed.detail.empty() ? "" : fmt::format(" ({})", failed.detail);
    return fmt::format("the check '{}' failed{}", failed.name, detail);
}

}  // namespace shardstone::results
