// SPDX-License-Identifier: BSD-3-Clause
// The contract of all-reduce: each rank ends with the reduction of everyone's vectors.
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Operation all_reduce() {
    Operation operation;
    operation.name = "all_reduce";
    operation.summary = "every rank gets the reduction of all vectors";
    operation.reduces = true;
    operation.before = [](const RankRole& role, int block) { return Content{block, role.rank}; };
    operation.after = [](const RankRole&, int block) { return Content{block, Content::everyone}; };
    operation.bus_factor = [](int size) { return 2.0 * (size - 1) / size; };
    return operation;
}

const OperationRegistration operation_registration(all_reduce());

}  // namespace

}  // namespace shardstone::collectives
