// SPDX-License-Identifier: BSD-3-Clause
// Contents of the messages of pair tests, from which a wrong element tells where it comes from.
#include "benchmarks/interconnect/link_data.hpp"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "kernels/base/random.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

/// The contents of element 0. Every further one adds `stride`, which is odd, so that in a message
/// no two are equal.
std::uint64_t first_element(const LinkMessage& message) {
    const auto ranks = static_cast<std::uint64_t>(message.sender) << 32U |
                       static_cast<std::uint64_t>(message.receiver);
    return RandomStream(ranks, "link data").bits(static_cast<std::uint64_t>(message.step));
}

/// 2^64 over the golden ratio: consecutive elements differ in about half of their bits.
constexpr std::uint64_t stride = 0x9E3779B97F4A7C15ULL;

/// "bit 5", "bits 0, 1 and 7", "19 bits".
std::string named_bits(std::uint64_t difference) {
    constexpr int most_named = 4;
    const int count = std::popcount(difference);
    if (count > most_named) return fmt::format("{} bits", count);
    std::vector<int> bits;
    for (int bit = 0; bit < 64; ++bit) {
        if ((difference >> static_cast<unsigned>(bit) & 1U) != 0U) bits.push_back(bit);
    }
    return fmt::format("{} {}", count == 1 ? "bit" : "bits", fmt::join(bits, ", "));
}

}  // namespace

void fill_link_data(std::span<std::uint64_t> elements, const LinkMessage& message) {
    const std::uint64_t first = first_element(message);
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = first + i * stride;
}

int WrongLinkData::bits() const noexcept {
    return std::popcount(expected ^ found);
}

std::string WrongLinkData::in_words() const {
    return fmt::format(
        "rank {} received from rank {} in step {}: {}; the first is element {}: {} (found "
        "{:#018x}, sent {:#018x})",
        message.receiver, message.sender, message.step, counted(elements, "wrong element"), first,
        named_bits(expected ^ found), found, expected);
}

std::optional<WrongLinkData> find_wrong_link_data(std::span<const std::uint64_t> elements,
                                                  const LinkMessage& message) {
    const std::uint64_t first = first_element(message);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) wrong += elements[i] != first + i * stride;
    if (wrong == 0) return std::nullopt;
    std::size_t at = 0;
    while (elements[at] == first + at * stride) ++at;
    return WrongLinkData{message,      wrong, static_cast<std::int64_t>(at), first + at * stride,
                         elements[at], 0.0};
}

}  // namespace shardstone::benchmarks
