// SPDX-License-Identifier: BSD-3-Clause
// What a scatter is to achieve: the root's data for each rank, in that rank's share.
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Operation scatter() {
    Operation operation;
    operation.name = "scatter";
    operation.summary = "every rank gets its share of the vector of the root";
    operation.sharing = Sharing::by_rank;
    operation.rooted = true;
    operation.before = [](const RankRole& role, int block) {
        return role.rank == role.root ? Content{block, role.root} : Content{};
    };
    operation.after = [](const RankRole& role, int block) {
        return block == role.rank ? Content{block, role.root} : Content{};
    };
    operation.bus_factor = [](int size) { return 1.0 * (size - 1) / size; };
    return operation;
}

const OperationRegistration operation_registration(scatter());

}  // namespace

}  // namespace shardstone::collectives
