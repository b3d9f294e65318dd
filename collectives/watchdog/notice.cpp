// SPDX-License-Identifier: BSD-3-Clause
// Watchdog notices as datagrams, with everything refused that is not of this job.
#include "collectives/watchdog/notice.hpp"

#include <cstring>

namespace shardstone::collectives {

namespace {

constexpr std::size_t longest_text = 32 << 10;

/// How a notice begins on the wire; the text follows.
struct NoticeHead {
    std::uint64_t token;
    double seconds;
    std::int32_t rank;
    std::uint8_t kind;
};

}  // namespace

const std::size_t longest_notice = sizeof(NoticeHead) + longest_text;

std::string to_datagram(const Notice& notice, std::uint64_t token) {
    NoticeHead head;
    std::memset(&head, 0, sizeof head);  // what lies between its members goes out, too
    head.token = token;
    head.seconds = notice.seconds;
    head.rank = notice.rank;
    head.kind = static_cast<std::uint8_t>(notice.kind);
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) +
           notice.text.substr(0, longest_text);
}

std::optional<Notice> from_datagram(std::string_view bytes, std::uint64_t token, int ranks) {
    NoticeHead head;
    if (bytes.size() < sizeof head || bytes.size() > longest_notice) return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof head);
    constexpr auto last = static_cast<std::uint8_t>(Notice::Kind::waiters);
    const bool ours = head.token == token && head.rank >= 0 && head.rank < ranks &&
                      head.kind <= last && head.seconds >= 0.0;  // and no NaN
    if (!ours) return std::nullopt;
    return Notice{static_cast<Notice::Kind>(head.kind), head.rank, head.seconds,
                  std::string(bytes.substr(sizeof head))};
}

}  // namespace shardstone::collectives
