// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/operation/algorithm.hpp"
#include "kernels/base/element_type.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// What one of those that a transfer's range counts is on its way.
struct WireElement {
    ElementType type = ElementType::fp32;
    std::int64_t numbers = 1;  ///< of that type
};

/// How the messages and transfers of a plan's programs travel: the one translation of them into
/// collectives, that trainer, prices and volumes go by.
class WireFormat {
  public:
    /// `real_bytes`: of what is computed in, 4 (FP32) or 8 (FP64).
    WireFormat(const StepSpec& spec, std::int64_t real_bytes);

    WireElement element(const GroupTransfer& transfer) const;
    /// Shares are made of whole elements, evenly.
    collectives::CollectiveSpec collective(const GroupTransfer& transfer, int ranks) const;
    /// Of a transfer that varies: `shares` rows from each rank for each, as CollectiveSpec has
    /// them.
    collectives::CollectiveSpec varying(const GroupTransfer& transfer, int ranks,
                                        const std::vector<std::int64_t>& shares) const;
    /// All-reduces by CommunicationOptions::all_reduce, all-to-alls pair by pair, the others by
    /// rings.
    const collectives::Algorithm& algorithm(const GroupTransfer& transfer) const {
        return algorithms_[static_cast<std::size_t>(transfer.operation)];
    }
    /// Of the part's rows of the residual stream (N', C), those that it sends to another stage, and
    /// receives.
    EvenShare message_rows(const ModelPart& part) const;
    /// Of such a message: rows of the stream in its type.
    std::int64_t message_bytes(const ModelPart& part) const;

  private:
    WireElement gradient(const GroupTransfer& transfer) const;
    ElementType stored(Storage storage) const;

    StepSpec spec_;
    ElementType real_;
    std::array<collectives::Algorithm, 6> algorithms_;  ///< by GroupTransfer::CollectiveKind
};

}  // namespace shardstone::reference
