// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace shardstone::benchmarks {

/// Which of the messages of a run: no two have the same sender, receiver and step.
struct LinkMessage {
    int sender = 0;
    int receiver = 0;
    std::int64_t step = 0;  ///< of the pair tests, counted over the run
};

/// Fills a buffer of 8-byte elements with contents that depend on sender, receiver, step and
/// position: an element that arrives at another place, twice, late or from another rank is wrong.
/// About as fast as memory. Pure.
void fill_link_data(std::span<std::uint64_t> elements, const LinkMessage& message);

/// A message that did not arrive as it was sent.
struct WrongLinkData {
    LinkMessage message;
    std::int64_t elements = 0;              ///< wrong ones
    std::int64_t first = 0;                 ///< position of the first of them
    std::uint64_t expected = 0, found = 0;  ///< its contents
    double at_s = 0.0;  ///< when it was compared, as LinkSample::at_s, by the receiver's clock

    /// Bits of the first element in which they differ.
    int bits() const noexcept;
    /// "rank 3 received from rank 1 in step 17: 1 wrong element, the first is element 4711:
    /// bit 5 (0x... instead of 0x...)".
    std::string in_words() const;
};

/// Compares a received message with what fill_link_data() gave to its sender; nothing if they are
/// equal. Pure.
std::optional<WrongLinkData> find_wrong_link_data(std::span<const std::uint64_t> elements,
                                                  const LinkMessage& message);

}  // namespace shardstone::benchmarks
