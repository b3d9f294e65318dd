// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardstone::collectives {

/// What the watchdogs of different nodes tell each other.
struct Notice {
    enum class Kind : std::uint8_t {
        beat,     ///< the node is there; `seconds`: for how long none of its ranks moves; `text`:
                  ///< what they do
        left,     ///< all ranks of the node have ended well
        alarm,    ///< somebody does not go on: `text` says who, `rank` reports it
        waiters,  ///< to the one who reports: `text` says what the ranks of the node wait for
    };
    Kind kind = Kind::beat;
    std::int32_t rank = 0;  ///< who sends; of an alarm, who reports
    double seconds = 0.0;   ///< not negative, may be infinite
    std::string text;       ///< at most 32 KiB, longer ones are cut
};

/// The most bytes that a notice takes on the wire.
extern const std::size_t longest_notice;

/// A notice as one datagram of the job that `token` belongs to. All nodes run one binary.
std::string to_datagram(const Notice& notice, std::uint64_t token);

/// Nothing where the bytes are no notice of a rank of this job of so many ranks: anybody may send
/// to an open port. Throws nothing.
std::optional<Notice> from_datagram(std::string_view bytes, std::uint64_t token, int ranks);

}  // namespace shardstone::collectives
