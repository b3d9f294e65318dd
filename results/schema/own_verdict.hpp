// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::results {

/// What a run found of the machine that it tested. A record's checks say something else: whether
/// the run itself was sound. Those of a cluster that fails may all have passed.
struct OwnVerdict {
    std::string word;    ///< "PASS", "FAIL" or "INCONCLUSIVE"; "UNKNOWN" if it cannot be read
    std::string counts;  ///< "1 of 3 limits broken, 1 undecided" (verdict_counts.hpp)
    /// A sentence each; of a pass what it was held against; none in older records.
    std::vector<std::string> reasons;

    bool declared_nodes = false;  ///< has_declared_nodes(), and not found
    bool between_gpus = false;    ///< what was tested were their links, not those of hosts

    bool passed() const { return word == "PASS"; }
};

/// None of a record whose run gives no verdict, or ended before it was complete.
std::optional<OwnVerdict> own_verdict(const Record& record);

/// "FAIL", "FAIL on GPUs", or of nodes that were only declared "FAIL on nodes declared (...),
/// not found".
std::string marked_word(const OwnVerdict& verdict);

/// The same with its counts, in a line: "FAIL: 1 of 3 limits broken". The reasons are many and
/// long: whoever has the room gives each a line of its own.
std::string verdict_words(const OwnVerdict& verdict);

}  // namespace shardstone::results
