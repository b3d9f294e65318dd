// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardstone::collectives {

/// Messages between the watchdogs of different nodes.
struct Notice {
    enum class Kind : std::uint8_t {
        beat,     ///< the node is alive; `seconds`: time for which none of its ranks has moved;
                  ///< `text`: what they do
        left,     ///< all ranks of the node have ended normally
        alarm,    ///< a rank has stalled: `text` names it, `rank` reports it
        waiters,  ///< to the reporting rank: `text` says what the ranks of the node wait for
    };
    Kind kind = Kind::beat;
    std::int32_t rank = 0;  ///< the sender; for an alarm, the reporter
    double seconds = 0.0;   ///< not negative, may be infinite
    std::string text;       ///< at most 32 KiB, longer ones are cut
};

/// Largest size of a notice on the wire, in bytes.
extern const std::size_t longest_notice;

/// A notice as one datagram of the job that `token` belongs to. All nodes run one binary.
std::string to_datagram(const Notice& notice, std::uint64_t token);

/// Empty if the bytes are not a notice of a rank of this job of this many ranks: anyone may send to
/// an open port. Never throws.
std::optional<Notice> from_datagram(std::string_view bytes, std::uint64_t token, int ranks);

}  // namespace shardstone::collectives
