// SPDX-License-Identifier: BSD-3-Clause
// Links over which nothing came during a soak, while the ranks at both ends waited.
#pragma once

#include <vector>

#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

/// A rank waits for the network, not for another rank, as long as that one waits, too, and is at
/// the same or a later stage (LongWaitRow): it has sent what is awaited. Both must do so for
/// silence_s longer than their messages usually take; it does not matter which message it is.
/// Without texts of times; see find_episodes() in episodes.hpp.
std::vector<results::EpisodeRow> silent_links(const InterconnectSamples& samples);

/// Whether want of a core may be why: without the time in which its ranks had none it was no
/// silence.
bool is_want_of_a_core(const results::EpisodeRow& silent_link);

}  // namespace shardstone::validation
