// SPDX-License-Identifier: BSD-3-Clause
// What a gather is to achieve: the share of every rank on the root.
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Operation gather() {
    Operation operation;
    operation.name = "gather";
    operation.summary = "the root gets the shares of all";
    operation.sharing = Sharing::by_rank;
    operation.rooted = true;
    operation.before = [](const RankRole& role, int block) {
        return block == role.rank ? Content{block, role.rank} : Content{};
    };
    operation.after = [](const RankRole& role, int block) {
        return role.rank == role.root ? Content{block, block} : Content{};
    };
    operation.bus_factor = [](int size) { return 1.0 * (size - 1) / size; };
    return operation;
}

const OperationRegistration operation_registration(gather());

}  // namespace

}  // namespace shardstone::collectives
