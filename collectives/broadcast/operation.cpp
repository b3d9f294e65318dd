// SPDX-License-Identifier: BSD-3-Clause
// The contract of broadcast: each rank ends with the vector that the root began with.
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Operation broadcast() {
    Operation operation;
    operation.name = "broadcast";
    operation.summary = "every rank gets the vector of the root";
    operation.rooted = true;
    operation.before = [](const RankRole& role, int block) {
        return role.rank == role.root ? Content{block, role.root} : Content{};
    };
    operation.after = [](const RankRole& role, int block) { return Content{block, role.root}; };
    operation.bus_factor = [](int) { return 1.0; };
    return operation;
}

const OperationRegistration operation_registration(broadcast());

}  // namespace

}  // namespace shardstone::collectives
