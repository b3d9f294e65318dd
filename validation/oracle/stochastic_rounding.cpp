// SPDX-License-Identifier: BSD-3-Clause
// Stochastic rounding to bf16 by the written rule, for one element at a time.
#include "validation/oracle/stochastic_rounding.hpp"

#include <cstring>

#include "validation/oracle/random.hpp"

namespace shardstone::validation::oracle {

std::uint16_t round_stochastically(float value, std::uint64_t seed, const std::string& name,
                                   std::int64_t step, std::int64_t index) {
    const std::uint64_t stream = stream_named(name + " at step " + std::to_string(step));
    const auto words = philox_words(seed, stream, static_cast<std::uint64_t>(index / 8));
    const std::uint32_t word = words[static_cast<std::size_t>(index % 8 / 2)];
    const std::uint32_t chance = index % 2 == 0 ? word % 65536 : word / 65536;
    std::uint32_t code = 0;
    std::memcpy(&code, &value, sizeof(code));
    const std::uint32_t kept = code / 65536;
    const std::uint32_t dropped = code % 65536;
    return static_cast<std::uint16_t>(dropped + chance < 65536 ? kept : kept + 1);
}

}  // namespace shardstone::validation::oracle
