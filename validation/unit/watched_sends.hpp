// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

namespace shardstone::validation {

/// A message that is about to leave this rank.
struct LeavingMessage {
    std::span<const std::byte> data;
    int to = 0;                            ///< rank in the communicator of the message
    std::vector<std::byte> in_place = {};  ///< of the data, as long as these; empty: the data leave

    /// A copy of the data, to leave in place of them.
    std::span<std::uint64_t> altered() {
        in_place.assign(data.begin(), data.end());
        return {reinterpret_cast<std::uint64_t*>(in_place.data()),
                in_place.size() / sizeof(std::uint64_t)};
    }
};

/// Stands between the ranks of a test program and MPI while it lives, one at a time: `look` sees
/// every message of this rank that a non-blocking send starts, and may alter or delay it. Lives
/// until what was altered has arrived. Local.
class WatchedSends {
  public:
    using Look = std::function<void(LeavingMessage&)>;

    explicit WatchedSends(Look look);
    WatchedSends(const WatchedSends&) = delete;
    WatchedSends& operator=(const WatchedSends&) = delete;
    ~WatchedSends();

    /// What leaves in place of these bytes.
    const void* pass_on(std::span<const std::byte> data, int to);

  private:
    Look look_;
    std::list<std::vector<std::byte>> altered_;
};

}  // namespace shardstone::validation
