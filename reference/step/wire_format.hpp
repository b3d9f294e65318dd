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

/// Format of one unit of a transfer's range in a message.
struct WireElement {
    ElementType type = ElementType::fp32;
    std::int64_t numbers = 1;  ///< of that type
};

/// Translation of the messages and transfers of a plan's programs into collectives, shared by
/// trainer, pricing and volumes.
class WireFormat {
  public:
    /// `real_bytes`: size of the type of computation, 4 (FP32) or 8 (FP64).
    WireFormat(const StepSpec& spec, std::int64_t real_bytes);

    WireElement element(const GroupTransfer& transfer) const;
    /// Shares are even, in whole elements.
    collectives::CollectiveSpec collective(const GroupTransfer& transfer, int ranks) const;
    /// For a transfer of varying size: `shares` rows from each rank for each, as in CollectiveSpec.
    collectives::CollectiveSpec varying(const GroupTransfer& transfer, int ranks,
                                        const std::vector<std::int64_t>& shares) const;
    /// All-reduces by CommunicationOptions::all_reduce, all-to-alls pair by pair, the others by
    /// rings.
    const collectives::Algorithm& algorithm(const GroupTransfer& transfer) const {
        return algorithms_[static_cast<std::size_t>(transfer.operation)];
    }
    /// Of the part's rows of the residual stream (N', C), those sent to and received from another
    /// stage.
    EvenShare message_rows(const ModelPart& part) const;
    /// For such a message: rows of the stream in its type.
    std::int64_t message_bytes(const ModelPart& part) const;

  private:
    WireElement gradient(const GroupTransfer& transfer) const;
    ElementType stored(Storage storage) const;

    StepSpec spec_;
    ElementType real_;
    std::array<collectives::Algorithm, 6> algorithms_;  ///< by GroupTransfer::CollectiveKind
};

}  // namespace shardstone::reference
