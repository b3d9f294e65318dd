// SPDX-License-Identifier: BSD-3-Clause
// What a limit holds for: each pair and direction, rank, clock or direction between halves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "validation/interconnect/findings.hpp"
#include "validation/interconnect/node_clocks.hpp"
#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

/// The name of the subject of a limit without any.
inline constexpr const char* nothing_measured = "nothing measured";

/// The samples of one of those that a limit is for, in its unit.
struct LimitedSubject {
    std::string name;
    std::vector<double> samples;
    /// What the samples bound surely, where they do, so that no statistic of them is needed.
    std::optional<Bounded> bounded = std::nullopt;
    std::int64_t most = 0;  ///< samples of it that a run takes, however long; 0: unknown
};

/// The most samples of any subject of a known quantity that a run takes.
std::int64_t most_samples_of(const AcceptanceLimit& limit);

/// The number of the first look (looks.hpp) at samples of a known quantity, of which more are taken
/// while its limit is undecided; 0 where it is judged once. That of ranks is 2: until then turns
/// may have been taken in up to three batches, as a rank seemed slow (more_turns.hpp), each of
/// which might have been the last: three times e / 4, and as much for all later looks.
int first_look_at(const std::string& quantity);

/// Whether who takes cores of a machine takes something of a known quantity: of a GPU's own
/// computations and copies he takes nothing.
bool needs_cores(const std::string& quantity);

/// Whether samples of a known quantity bound it surely, so that one is enough.
bool is_bounded(const std::string& quantity);

/// What would decide a limit on a quantity that is_bounded(), as no number of samples does.
std::string what_decides_bounded(const std::string& quantity);

/// The part of the tests (disturbances.hpp) that measures a known quantity; empty for clocks.
const char* part_of_limit(const std::string& quantity);

/// All of a limit; none where nothing of it was measured. Throws Error for an unknown quantity.
std::vector<LimitedSubject> subjects_of(const AcceptanceLimit& limit,
                                        const InterconnectSamples& samples,
                                        std::span<const Place> places,
                                        std::span<const PairTime> times);

}  // namespace shardstone::validation
