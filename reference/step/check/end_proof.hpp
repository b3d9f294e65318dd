// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "reference/step/check/rank_proof.hpp"

namespace shardstone::reference {

/// Actions that occur once per step: the loss is summed over all ranks after the last head's
/// forward pass; the norm is taken after the last pass and summed over all ranks, then the norms of
/// tensors if the optimizer needs them; the update waits for the last of these sums. FP8 tensors'
/// amaxes become the maximum over all ranks after the last pass, where the precision has FP8
/// products.
class EndProof : public RankProof {
  public:
    explicit EndProof(const ProgramView& view);
    void see(std::size_t position, const Action& action, const Ended& ended) override;
    void finish() override;

  private:
    void see_pass(std::size_t position, const Action& action);
    void see_tensor_norms(std::size_t position, const Ended& ended);
    void see_sum(std::size_t position, const GroupTransfer& transfer);
    void see_loss_sum(std::size_t position);
    void see_amaxes(std::size_t position);
    /// Notes actions that occur once.
    void once(std::optional<std::size_t>& place, std::size_t position, const char* what);

    std::int64_t losses_ = 0;  ///< still to come on this rank
    std::optional<std::size_t> loss_, norm_, norm_sum_, tensor_norms_, tensor_norms_sum_, amaxes_,
        update_;
};

}  // namespace shardstone::reference
