// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10, stream names and bounded draws, independent of the product's generator.
#include "validation/oracle/random.hpp"

namespace shardstone::validation::oracle {

namespace {

struct Halves {
    std::uint32_t high, low;
};

Halves product(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t wide = std::uint64_t{a} * b;
    return {static_cast<std::uint32_t>(wide / 0x100000000U),
            static_cast<std::uint32_t>(wide % 0x100000000U)};
}

}  // namespace

std::array<std::uint32_t, 4> philox_words(std::uint64_t seed, std::uint64_t stream,
                                          std::uint64_t index) {
    constexpr std::uint32_t multiplier[2] = {0xD2511F53U, 0xCD9E8D57U};
    constexpr std::uint32_t key_step[2] = {0x9E3779B9U, 0xBB67AE85U};
    std::uint32_t key[2] = {static_cast<std::uint32_t>(seed),
                            static_cast<std::uint32_t>(seed >> 32)};
    std::array<std::uint32_t, 4> words{
        static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
        static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
    for (int round = 1; round <= 10; ++round) {
        const Halves even = product(multiplier[0], words[0]);
        const Halves odd = product(multiplier[1], words[2]);
        words = {odd.high ^ words[1] ^ key[0], odd.low, even.high ^ words[3] ^ key[1], even.low};
        key[0] += key_step[0];
        key[1] += key_step[1];
    }
    return words;
}

std::uint64_t stream_named(const std::string& name) {
    std::uint64_t id = 14695981039346656037U;
    for (const char character : name) {
        id ^= static_cast<std::uint8_t>(character);
        id *= 1099511628211U;
    }
    return id;
}

std::uint64_t number_below(std::uint64_t bound, std::uint64_t seed, std::uint64_t stream,
                           std::uint64_t index) {
    const auto words = philox_words(seed, stream, index);
    // r bound = words[0] bound 2^32 + words[1] bound; of the upper product's tail, with the carry
    // of the lower one, only what passes 2^64 counts.
    const std::uint64_t bound_high = bound >> 32;
    const std::uint64_t bound_low = bound & 0xffffffffU;
    const std::uint64_t low = words[1] * bound_low;
    const std::uint64_t middle = words[1] * bound_high + (low >> 32);
    const std::uint64_t other = words[0] * bound_low + (middle & 0xffffffffU);
    return words[0] * bound_high + (middle >> 32) + (other >> 32);
}

}  // namespace shardstone::validation::oracle
