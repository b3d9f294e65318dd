// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/operation/operation.hpp"

namespace shardstone::benchmarks {

/// How the vector of an operation that has shares is divided among the ranks.
enum class Shares : std::uint8_t {
    even,
    /// Rank r's share is r + 1 parts. What r sends d is (d - r) mod P + 1 parts: what d sends r has
    /// another length on three ranks and more, so that exchanging the two shows.
    ramp,
};

/// Throws Error naming the value and the choices.
Shares parse_shares(std::string_view name);

/// Whether the operation's vector is made up of shares.
bool has_shares(const collectives::Operation& operation);

/// What a vector's length must be a multiple of, so that every share is a whole number of elements
/// and the even ones are equal; 1 for an operation without shares.
std::int64_t elements_per_part(const collectives::Operation& operation, Shares shares, int size);

/// `count`, a multiple of elements_per_part(), as CollectiveSpec::shares has it.
std::vector<std::int64_t> shares_of(const collectives::Operation& operation, Shares shares,
                                    std::int64_t count, int size);

}  // namespace shardstone::benchmarks
