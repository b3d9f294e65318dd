// SPDX-License-Identifier: BSD-3-Clause
// What a reduce is to achieve: everyone's contribution in every block of the root.
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Operation reduce() {
    Operation operation;
    operation.name = "reduce";
    operation.summary = "the root gets the reduction of all vectors";
    operation.reduces = true;
    operation.rooted = true;
    operation.before = [](const RankRole& role, int block) { return Content{block, role.rank}; };
    operation.after = [](const RankRole& role, int block) {
        return role.rank == role.root ? Content{block, Content::everyone} : Content{};
    };
    operation.bus_factor = [](int) { return 1.0; };
    return operation;
}

const OperationRegistration operation_registration(reduce());

}  // namespace

}  // namespace shardstone::collectives
