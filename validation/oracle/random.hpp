// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace shardstone::validation::oracle {

// The random numbers of reference/data/README.md, written down a second time: nothing here comes
// from kernels/base.

/// The four 32-bit words of Philox4x32-10 (Salmon et al., SC11) under the key `seed`, for the
/// counter whose low half is `index` and whose high half is `stream`.
std::array<std::uint32_t, 4> philox_words(std::uint64_t seed, std::uint64_t stream,
                                          std::uint64_t index);

/// FNV-1a, 64 bits, of the characters of a name.
std::uint64_t stream_named(const std::string& name);

/// floor(r bound / 2^64), r the 64-bit number of which the first word is the high half and the
/// second the low one.
std::uint64_t number_below(std::uint64_t bound, std::uint64_t seed, std::uint64_t stream,
                           std::uint64_t index);

}  // namespace shardstone::validation::oracle
