// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collectives/cluster/doorbell.hpp"

namespace shardstone::collectives {

/// One direction between two ranks in shared memory: pieces of messages in FIFO order, a few at a
/// time. One rank puts, one takes; each uses an object of its own.
class Mailbox {
  public:
    static constexpr std::int64_t slots = 4;

    /// The part in shared memory, before the slots; its initial state is zeros.
    struct Shared {
        struct alignas(64) Line {
            std::int64_t pieces;
        };
        Line put;    ///< written by the sender only
        Line taken;  ///< written by the receiver only
    };
    static std::int64_t size_bytes(std::int64_t piece_bytes) {
        return static_cast<std::int64_t>(sizeof(Shared)) + slots * piece_bytes;
    }

    /// `shared` is followed by the slots. `other` wakes the rank at the other end.
    Mailbox(Shared& shared, std::int64_t piece_bytes, Doorbell& other)
        : shared_(&shared), piece_bytes_(piece_bytes), other_(&other) {}

    std::int64_t piece_bytes() const noexcept { return piece_bytes_; }

    /// Location for the next piece; null while the box is full.
    std::byte* room() const noexcept;
    /// Tells the receiver that the piece is available.
    void put() noexcept;

    /// The next piece; null while the box is empty.
    const std::byte* piece() const noexcept;
    /// Tells the sender that the piece is no longer needed.
    void take() noexcept;

  private:
    std::byte* slot(std::int64_t piece) const noexcept {
        return reinterpret_cast<std::byte*>(shared_ + 1) + piece % slots * piece_bytes_;
    }

    Shared* shared_;
    std::int64_t piece_bytes_;
    Doorbell* other_;
};

}  // namespace shardstone::collectives
