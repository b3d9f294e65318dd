// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/source.hpp"

namespace shardstone::results {

/// What trainings of one system chose differently, in words, choice by choice: "all-reduce ring",
/// "not overlapped". "" matches any: the choice does not apply (one rank has nothing to reduce, and
/// one node no order in which ranks could be dealt to it) or the record does not say. All have as
/// many words.
using Choices = std::vector<std::string>;

/// Of each of these trainings of one system. Where runs on one number of ranks had several numbers
/// of nodes, the ranks per node are a choice as well, of these runs and of all on several nodes;
/// else they are not, as they may grow along a curve.
std::vector<Choices> choices_of(const std::vector<const Source*>& trainings);

/// Whether there is no choice in which they differ.
bool fit(const Choices& one, const Choices& other);

/// The ways to choose that these runs have between them: what fits is joined as far as it goes, so
/// that any two ways differ. A run is of every way that its own choices fit.
std::vector<Choices> ways_to_choose(const std::vector<Choices>& of_runs);

/// ", all-reduce ring": what one chose where one of the others chose something else.
std::string words_apart(const Choices& own, const std::vector<Choices>& others);

}  // namespace shardstone::results
