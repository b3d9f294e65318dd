// SPDX-License-Identifier: BSD-3-Clause
// From what a soak kept to the times in which links and ranks were slow, wrong or silent.
#pragma once

#include <string>
#include <vector>

#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

/// All episodes of a soak, in the order of their beginnings; none without a soak.
///
/// - slow: a spell (spells.hpp) of a node, a direction of it, or a pair, for messages of the
///   largest size and, where no ranks share cores, the smallest. One that is explained by a spell
///   of more passes or odds of a subject that includes it is left out. A spell of most of the
///   cluster is told and not held against it: neighbours on a machine look the same. Nor are those
///   that last for less than a second, unless the subject is slow in such for 1 % of the soak.
/// - silent: a rank that did not run for silence_s, or a link between two that both waited for
///   each other for so much longer than usual (silent_links.hpp). If ranks of all nodes, or all
///   pairs of a round, are silent at the same time, that is told and not held against it: the
///   machine below stood still. So is a rank's standstill that the hypervisor explains.
/// - wrong: messages of one sender with wrong data, less than a minute between them.
///
/// If more messages were slow than are kept (soak_sums.hpp), spells are found up to the last that
/// was. Throws Error for ranks, passes and times that cannot be, as a forged record may have them.
std::vector<results::EpisodeRow> find_episodes(const InterconnectSamples& samples);

/// Whether a disturbance in its windows, or its ranks' own want of a core, may be why. No data are
/// wrong for want of a core, and a rank that had none does not count as silent.
bool may_explain(const Disturbance& seen, const results::EpisodeRow& episode);

/// "n2 (node 1 of the run), outgoing, was slow from 2026-11-26T01:02:03Z for 4.2 s: ...".
std::string in_words(const results::EpisodeRow& episode);

}  // namespace shardstone::validation
