// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "collectives/operation/algorithm.hpp"
#include "kernels/base/element_type.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// What one of those that a transfer's range counts is on its way.
struct WireElement {
    ElementType type = ElementType::fp32;
    std::int64_t numbers = 1;  ///< of that type
};

/// "all_reduce", as the collectives know it.
std::string_view name_of(GroupTransfer::Operation operation);

/// How the messages and transfers of a plan's programs travel: the one translation of them into
/// collectives, that trainer, prices and volumes go by.
class WireFormat {
  public:
    /// `real_bytes`: of what is computed in, 4 (FP32) or 8 (FP64).
    WireFormat(const StepSpec& spec, std::int64_t real_bytes);

    WireElement element(const GroupTransfer& transfer) const;
    /// Shares are made of whole elements, evenly.
    collectives::CollectiveSpec collective(const GroupTransfer& transfer, int ranks) const;
    /// All-reduces by CommunicationOptions::all_reduce, the others by rings.
    collectives::Algorithm algorithm(const GroupTransfer& transfer) const;
    /// Of a message between stages: the residual stream in Real.
    std::int64_t message_bytes(const ModelPart& part) const;

  private:
    WireElement gradient(const GroupTransfer& transfer) const;
    ElementType stored(Storage storage) const;

    StepSpec spec_;
    ElementType real_;
};

}  // namespace shardstone::reference
