// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// Memory that the ranks of one node share: one part per rank, all of one length, zeroed, aligned
/// to pages. Every rank can read and write every part. A node's ranks count as lanes, in rank
/// order; a rank alone on its node has a window of one part.
///
/// It is anonymous memory (memfd_create), so that a killed job leaves nothing behind, and the limit
/// of a container's /dev/shm does not apply. It is reserved when the window is created: missing
/// memory is an Error then rather than a SIGBUS later. Each rank reserves its own part, which on a
/// machine with several memory nodes puts it near that rank.
class SharedWindow {
  public:
    /// Collective over the communicator, whose topology() says who shares a node; every rank gives
    /// the same length > 0. Throws AgreedError on all ranks if any cannot get it, Error if a
    /// declared node is not in one machine (require_memory_in_common()).
    SharedWindow(const Communicator& communicator, std::int64_t part_bytes);
    /// Local: other ranks may keep using theirs.
    ~SharedWindow();
    SharedWindow(const SharedWindow&) = delete;
    SharedWindow& operator=(const SharedWindow&) = delete;

    int lanes() const noexcept { return lanes_; }
    int lane() const noexcept { return lane_; }
    std::int64_t part_bytes() const noexcept { return part_bytes_; }
    std::byte* part(int lane) const noexcept;

    /// An object at `offset_bytes` in a part, initialised by its zeros; no constructor runs.
    template <class T>
    T& at(int lane, std::int64_t offset_bytes) const noexcept {
        static_assert(std::is_trivially_copyable_v<T>);
        return *reinterpret_cast<T*>(part(lane) + offset_bytes);
    }

    /// Identifier of this window on all lanes; different for different windows, never 0.
    std::uint64_t identity() const noexcept { return identity_; }

    struct Location {
        const SharedWindow* window = nullptr;
        std::int64_t offset_bytes = 0;  ///< into this rank's part
    };
    /// Location of `size_bytes` of memory at `data`, if in this rank's part of a window that this
    /// process holds.
    static std::optional<Location> find(const void* data, std::int64_t size_bytes);
    /// Number of windows that this process has created and released so far: while it is unchanged,
    /// results of find() remain valid.
    static std::int64_t changes() noexcept;

  private:
    int lanes_ = 1;
    int lane_ = 0;
    std::int64_t part_bytes_;
    std::int64_t stride_bytes_;
    std::uint64_t identity_ = 0;
    struct Unmap {
        std::size_t size_bytes;
        void operator()(std::byte* memory) const noexcept;
    };
    std::unique_ptr<std::byte, Unmap> memory_;
};

/// Throws Error naming two ranks that share a node as declared, but no memory as detected. Local.
void require_memory_in_common(const Topology& declared, const Topology& found);

/// A zeroed buffer in a window of its own: the same offset in every lane's part. The window lives
/// as long as the buffer. Collective; every rank gives the same size >= 0.
std::shared_ptr<std::byte> make_shared_buffer(const Communicator& communicator,
                                              std::int64_t size_bytes);

}  // namespace shardstone::collectives
