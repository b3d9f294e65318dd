// SPDX-License-Identifier: BSD-3-Clause
// The contract of all-gather: each rank begins with its own share and ends with everyone's.
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Operation all_gather() {
    Operation operation;
    operation.name = "all_gather";
    operation.summary = "every rank gets the shares of all";
    operation.sharing = Sharing::by_rank;
    operation.before = [](const RankRole& role, int block) {
        return block == role.rank ? Content{block, role.rank} : Content{};
    };
    operation.after = [](const RankRole&, int block) { return Content{block, block}; };
    operation.bus_factor = [](int size) { return 1.0 * (size - 1) / size; };
    return operation;
}

const OperationRegistration operation_registration(all_gather());

}  // namespace

}  // namespace shardstone::collectives
