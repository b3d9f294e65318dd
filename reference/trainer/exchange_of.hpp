// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "reference/trainer/device_exchange.hpp"
#include "reference/trainer/exchange.hpp"

namespace shardstone::reference {

/// What moves the data of this memory space between ranks.
template <class Space>
using ExchangeOf = std::conditional_t<std::is_same_v<Space, Cuda>, DeviceExchange, Exchange>;

/// `queue`: of the computations, which a GPU orders its messages against. Collective over the job.
template <class Space>
ExchangeOf<Space> exchange_among(std::shared_ptr<PlanGroups> groups,
                                 [[maybe_unused]] const ParallelPlan& plan,
                                 [[maybe_unused]] typename Space::Queue queue) {
    if constexpr (std::is_same_v<Space, Cuda>) {
        return DeviceExchange(std::move(groups), plan, queue);
    } else {
        return Exchange(std::move(groups));
    }
}

}  // namespace shardstone::reference
