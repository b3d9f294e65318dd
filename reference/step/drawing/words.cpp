// SPDX-License-Identifier: BSD-3-Clause
// Describes the actions of a step program in words, for tooltips and messages.
#include "reference/step/drawing/words.hpp"

#include <fmt/format.h>

#include <array>

namespace shardstone::reference {

namespace {

std::string words_of(const GroupTransfer& transfer) {
    constexpr std::array operations{"all-reduce", "reduce-scatter", "all-gather",
                                    "shift",      "all-to-all",     "all-to-all"};
    constexpr std::array things{"gradients",    "weights",   "loss",          "norm",
                                "tensor norms", "amaxes",    "stage rows",    "stream rows",
                                "stored rows",  "real rows", "maxima of rows"};
    const auto operation = static_cast<std::size_t>(transfer.operation);
    const auto what = static_cast<std::size_t>(transfer.what);
    static_assert(operations.size() ==
                  1 + static_cast<int>(GroupTransfer::CollectiveKind::all_to_all_v));
    static_assert(things.size() == 1 + static_cast<int>(GroupTransfer::What::row_maxima));
    return fmt::format("{} {} of {} [{}, {})", to_string(transfer.group), operations.at(operation),
                       things.at(what), transfer.range.first, transfer.range.end());
}

}  // namespace

std::string words_of(const Action& action) {
    if (action.is_pass()) {
        return fmt::format("{} of micro-batch {}, chunk {}", to_string(action.kind),
                           action.micro_batch, action.chunk);
    }
    if (action.kind == Action::Kind::transfer) {
        const std::string words = words_of(action.transfer);
        if (!action.transfer.is_of_stage_pass()) return words;
        return fmt::format("{} of micro-batch {}, chunk {}", words, action.micro_batch,
                           action.chunk);
    }
    if (!action.is_communication()) return to_string(action.kind);
    return fmt::format("{} {} of micro-batch {}, stage {}", to_string(action.kind),
                       action.message.gradient ? "gradient" : "stream", action.micro_batch,
                       action.message.peer_stage);
}

}  // namespace shardstone::reference
