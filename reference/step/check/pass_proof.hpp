// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/step/check/rank_proof.hpp"

namespace shardstone::reference {

/// Every micro-batch passes every unit forward once, then backward once, whole or in halves, with
/// scale 1; in slots that no other uses until it has finished and its messages have been sent; with
/// messages of its own from and to the right ranks, which it has awaited, and gathered once, right
/// after, if they are shares of rows; and, with recomputation, recomputed right before each
/// backward pass of a block.
class PassProof : public RankProof {
  public:
    explicit PassProof(const ProgramView& view);
    void see(std::size_t position, const Action& action, const Ended& ended) override;
    void finish() override;

  private:
    using Position = std::optional<std::size_t>;

    /// State of a message from another stage.
    struct Arrival {
        Position received, gathered;
    };
    /// A micro-batch in a chunk of this rank.
    struct Crossing {
        int chunk = 0;
        std::int64_t micro_batch = 0;
        std::optional<int> slot, gradient_slot;
        int forward = 0;  ///< units that have run
        int inputs = 0;   ///< backward, whole or first halves
        int weights = 0;  ///< backward, whole or second halves
        Arrival input, gradient;
        Position sent, gradient_sent;
    };
    using Holder = std::optional<std::size_t>;  ///< position in crossings_

    void see_forward(std::size_t position, const Action& action, const Ended& ended);
    void see_recompute(std::size_t position, const Action& action, const Ended& ended);
    void see_backward(std::size_t position, const Action& action, const Ended& ended);
    void require_input_order(std::size_t position, const Action& action, const Ended& ended);
    void require_recomputed(std::size_t position, const Action& action) const;
    void see_receive(std::size_t position, const Action& action, const Ended& ended);
    void see_gather(std::size_t position, const Action& action, const Ended& ended);
    bool is_there(const Arrival& arrival, const Ended& ended) const;
    void see_send(std::size_t position, const Action& action);
    void require_peer(std::size_t position, const Action& action, int part) const;
    /// Occupied from the first action in them.
    void take_slot(std::size_t position, const Action& action);
    void take_gradient_slot(std::size_t position, const Action& action, const Ended& ended);
    void require_through(const Crossing& crossing) const;

    std::size_t place(const Action& action) const;
    Crossing& crossing(const Action& action) { return crossings_[place(action)]; }
    bool is_first_part(int chunk) const { return view_.part_number(chunk) == 0; }
    bool is_last_part(int chunk) const { return view_.part_number(chunk) + 1 == view_.parts(); }

    std::vector<Crossing> crossings_;         ///< by chunk and micro-batch
    std::vector<std::vector<Holder>> slots_;  ///< by chunk and slot
    std::vector<Holder> gradient_slots_;
    Position recompute_;  ///< the last pass, if it was one
};

}  // namespace shardstone::reference
