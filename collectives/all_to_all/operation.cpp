// SPDX-License-Identifier: BSD-3-Clause
// The contract of all-to-all: blocks by pair, sent ones first and then those to receive.
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Content from_to(const RankRole& role, int from, int to) {
    return {from * role.size + to, from};
}

Content before(const RankRole& role, int block) {
    if (block < role.size) return from_to(role, role.rank, block);
    const bool kept = block == role.size + role.rank;
    return kept ? from_to(role, role.rank, role.rank) : Content{};
}

Content after(const RankRole& role, int block) {
    const int from = block - role.size;
    return from >= 0 && from < role.size ? from_to(role, from, role.rank) : Content{};
}

Operation all_to_all() {
    Operation operation;
    operation.name = "all_to_all";
    operation.summary = "every rank gets its share of every vector";
    operation.sharing = Sharing::by_pair;
    operation.before = before;
    operation.after = after;
    operation.bus_factor = [](int size) { return 1.0 * (size - 1) / size; };
    return operation;
}

const OperationRegistration operation_registration(all_to_all());

}  // namespace

}  // namespace shardstone::collectives
