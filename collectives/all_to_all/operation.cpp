// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

Content from_to(const Seat& seat, int from, int to) {
    return {from * seat.size + to, from};
}

Content before(const Seat& seat, int block) {
    if (block < seat.size) return from_to(seat, seat.rank, block);
    const bool kept = block == seat.size + seat.rank;
    return kept ? from_to(seat, seat.rank, seat.rank) : Content{};
}

Content after(const Seat& seat, int block) {
    const int from = block - seat.size;
    return from >= 0 && from < seat.size ? from_to(seat, from, seat.rank) : Content{};
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
