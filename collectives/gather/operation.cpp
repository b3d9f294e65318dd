// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Operation gather() {
    Operation operation;
    operation.name = "gather";
    operation.summary = "the root gets the shares of all";
    operation.sharing = Sharing::by_rank;
    operation.rooted = true;
    operation.before = [](const Seat& seat, int block) {
        return block == seat.rank ? Content{block, seat.rank} : Content{};
    };
    operation.after = [](const Seat& seat, int block) {
        return seat.rank == seat.root ? Content{block, block} : Content{};
    };
    operation.bus_factor = [](int size) { return 1.0 * (size - 1) / size; };
    return operation;
}

const OperationRegistration operation_registration(gather());

}  // namespace

}  // namespace shardstone::collectives
