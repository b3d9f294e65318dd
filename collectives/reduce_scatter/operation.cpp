// SPDX-License-Identifier: BSD-3-Clause
// What a reduce-scatter is to achieve: everyone's contribution in each rank's own share.
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Operation reduce_scatter() {
    Operation operation;
    operation.name = "reduce_scatter";
    operation.summary = "every rank gets its share of the reduction of all vectors";
    operation.sharing = Sharing::by_rank;
    operation.reduces = true;
    operation.before = [](const RankRole& role, int block) { return Content{block, role.rank}; };
    operation.after = [](const RankRole& role, int block) {
        return block == role.rank ? Content{block, Content::everyone} : Content{};
    };
    operation.bus_factor = [](int size) { return 1.0 * (size - 1) / size; };
    return operation;
}

const OperationRegistration operation_registration(reduce_scatter());

}  // namespace

}  // namespace shardstone::collectives
