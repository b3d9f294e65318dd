// SPDX-License-Identifier: BSD-3-Clause
// The lengths of shares in a sweep: equal ones, or a ramp that differs from rank to rank.
#include "benchmarks/collectives/sweep/shares.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"

namespace shardstone::benchmarks {

using collectives::Operation;
using collectives::Sharing;

Shares parse_shares(std::string_view name) {
    if (name == "even") return Shares::even;
    if (name == "ramp") return Shares::ramp;
    fail(fmt::format("--shares {}: unknown; give even or ramp", name));
}

bool has_shares(const Operation& operation) {
    return operation.sharing == Sharing::by_rank || operation.sharing == Sharing::by_pair;
}

std::int64_t elements_per_part(const Operation& operation, Shares shares, int size) {
    if (!has_shares(operation)) return 1;
    // 1 + 2 + ... + P parts.
    return shares == Shares::even ? size : std::int64_t{size} * (size + 1) / 2;
}

std::vector<std::int64_t> shares_of(const Operation& operation, Shares shares, std::int64_t count,
                                    int size) {
    if (shares == Shares::even || !has_shares(operation)) return {};
    const std::int64_t part = count / elements_per_part(operation, shares, size);
    const int rows = operation.sharing == Sharing::by_pair ? size : 1;
    std::vector<std::int64_t> lengths;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < size; ++column) {
            lengths.push_back(part * ((column + size - row) % size + 1));
        }
    }
    return lengths;
}

}  // namespace shardstone::benchmarks
