// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// Work of a rank in phases of a pass.
struct PassWork {
    double flop = 0.0;   ///< matrix products and attention, a multiply-add counted as 2
    double bytes = 0.0;  ///< read and written in work without multiplications

    PassWork& operator+=(const PassWork& other) {
        flop += other.flop;
        bytes += other.bytes;
        return *this;
    }
};

/// Work of a unit's pass: of each of its phases, and of its end.
struct UnitWork {
    std::vector<PassWork> phases;
    PassWork end;

    /// Of an action of that pass.
    PassWork of(const Action& pass) const;
};
UnitWork unit_work(const StepSpec& spec, const ModelPart& part, Unit::Kind unit, Pass pass,
                   std::int64_t element_bytes);

/// Work of an action, i.e. of its phases of a unit's pass, for a rank with this part. With N = B T
/// positions, T the sequence, C channels, and the rank's own shares of them: a columns of heads, h
/// of the MLP's hidden, v rows of the vocabulary (even_share, so ranks differ where these do not
/// divide):
///   block      forward 2 N C (4 a + 2 h) + 2 N T a, the second the causal half of attention
///   experts    in place of 4 N C h of the block 4 M C h, M the rows that the own experts have:
///   with
///              a capacity all that there are, taken or not, else as if they were picked evenly;
///              and 2 N C E of the router on every tensor rank, of which going back only the own
///              rows of the stream count
///   head       forward 2 N C v
///   embedding  no FLOP: reads two rows and writes one per position, and the same going back
/// A backward pass takes twice its forward pass: the input half what the forward pass takes and
/// attention once more, the weight half the products alone. Recomputation leaves out the last
/// product of what it repeats (strategies/recomputation.cpp), experts' aside. In reproducible mode
/// a pass that makes gradients also adds them to exact sums. Over all ranks and passes of a step
/// without recomputation the FLOP of a model without experts are tokens * training_flop_per_token()
/// without the vectors' 6 per parameter (norms and biases).
PassWork pass_work(const StepSpec& spec, const ModelPart& part, const Action& pass,
                   std::int64_t element_bytes);

}  // namespace shardstone::reference
