// SPDX-License-Identifier: BSD-3-Clause
// What a verdict on an interconnect was held against, and what could not be compared.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/schema/held_against.hpp"
#include "validation/interconnect/interconnect_samples.hpp"
#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

/// One row for the messages of each path of the largest size and the smallest (those by which parts
/// of the network are suspected), each test of ranks, traffic, the soak, loads and clocks; then one
/// for each limit. Further tests, made to tell suspects apart, are left out. NICs that nodes have
/// and no test used (--rails) are a row as well. Pure.
///
/// The cluster's own median is a measure of three of a kind or more: of two nobody knows which is
/// wrong.
std::vector<results::HeldAgainstRow> held_against_rows(
    const InterconnectSamples& samples, std::span<const Place> places,
    std::span<const PairTime> times, std::span<const results::AcceptanceRow> limits);

/// Whether a limit on this quantity is a measure of the links between nodes.
bool limits_links_between_nodes(const std::string& quantity);

/// Why these are too little for a verdict of pass, with what would do; empty if they are not.
/// Something must have been held against something, and so must the links between nodes where they
/// were tested: they are what is validated.
std::string lack_of_comparisons(std::span<const results::HeldAgainstRow> rows);

/// "messages between nodes of 4 MiB".
std::string name_of(const results::HeldAgainstRow& row);

using results::never_tested;

/// "held against the median of their kind: ...; against limits: ...; against nothing: ...; not
/// tested: ...".
std::string in_words(std::span<const results::HeldAgainstRow> rows,
                     const std::string& not_tested = never_tested);

}  // namespace shardstone::validation
