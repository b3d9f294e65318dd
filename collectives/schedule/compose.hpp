// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

// Larger schedules are built from smaller ones by mapping the ranks, blocks, channels and steps of
// the small one into the large one. All of them share this mapping, embed().

/// Mapping of a small program into a large one.
struct ProgramMapping {
    std::function<int(int rank)> rank = [](int same) { return same; };
    std::function<int(int channel)> channel = [](int same) { return same; };
    /// Blocks of the small program's channel -> blocks of the large one.
    std::function<BlockRange(BlockRange, int channel)> blocks = [](BlockRange same, int) {
        return same;
    };
    int first_step = 0;
};

/// Adds every action of `program`, mapped, to `target`.
void embed(const RankProgram& program, const ProgramMapping& embedding, RankProgramBuilder& target);

/// `first`, then `second` from step `first_steps` on, over the same channels. `first_steps` is the
/// number of steps of `first` on all ranks together, not just on this one.
RankProgram in_sequence(const RankProgram& first, int first_steps, const RankProgram& second);

/// `segments` copies of the program, each in channels of its own over a part of the blocks, which
/// therefore overlap in time (pipelining).
RankProgram segmented(const RankProgram& program, int segments);

/// The program of a rank numbered relative to `root` (so that the root is 0), translated to the
/// actual ranks of the peers and, if block b belongs to rank b, of the blocks.
RankProgram rotated(const RankProgram& program, int size, int root, bool blocks_by_rank);

/// The program in reverse: every message goes in the opposite direction, in the mirror image of its
/// step among `steps` (those of all ranks together), and is received as `receive` says.
/// Distributing data is collecting it in reverse, and vice versa.
RankProgram backwards(const RankProgram& program, int steps, TransferKind receive);

/// The `count` blocks from `first` on, cyclically among `size` blocks.
std::vector<BlockRange> wrapped(int first, int count, int size);

/// Ranks that do not participate in a program of fewer ranks: each is folded into a partner.
struct Fold {
    int partner = -1;           ///< this rank is folded into that one; -1: it takes part itself
    std::vector<int> absorbed;  ///< ranks folded into this one
};

/// Largest power of two not above `size`, and the fold of `size` ranks to that many: a rank r
/// beyond it is folded into r - power.
int power_of_two_below(int size);
Fold power_of_two_fold(int size, int rank);

/// Step 0 of a folded collective: whole vectors go to the partners, which reduce them.
RankProgram fold_in(const Fold& fold, const std::vector<BlockRange>& channels);
/// The last step: the partners return the result.
RankProgram fold_out(const Fold& fold, const std::vector<BlockRange>& channels);

}  // namespace shardstone::collectives
