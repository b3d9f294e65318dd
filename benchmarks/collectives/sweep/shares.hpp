// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/operation/operation.hpp"

namespace shardstone::benchmarks {

/// Division of the vector of an operation with shares among the ranks.
enum class Shares : std::uint8_t {
    even,
    /// Rank r's share is r + 1 parts. Rank r sends d (d - r) mod P + 1 parts: on three or more
    /// ranks d sends r a different number, so that swapping the two is detected.
    ramp,
};

/// Throws Error naming the value and the choices.
Shares parse_shares(std::string_view name);

/// Whether the operation's vector consists of shares.
bool has_shares(const collectives::Operation& operation);

/// Divisor of valid vector lengths, so that every share is a whole number of elements and even
/// shares are equal; 1 for an operation without shares.
std::int64_t elements_per_part(const collectives::Operation& operation, Shares shares, int size);

/// `count`, a multiple of elements_per_part(), divided as in CollectiveSpec::shares.
std::vector<std::int64_t> shares_of(const collectives::Operation& operation, Shares shares,
                                    std::int64_t count, int size);

}  // namespace shardstone::benchmarks
