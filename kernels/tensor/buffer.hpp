// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/tensor/host.hpp"

namespace shardstone {

/// The maximum of Host::in_use_bytes() so far. Thread-safe.
std::int64_t memory_peak_bytes() noexcept;

/// From now on a Buffer that would raise Host::in_use_bytes() above the limit throws Error; 0: no
/// limit, the default. Existing Buffers are unaffected.
void set_memory_limit_bytes(std::int64_t limit_bytes) noexcept;

/// An owned array of `size` trivial elements in a memory space (host.hpp), initially zero, aligned
/// to 64 B. Movable, not copyable.
template <class T, class Space = Host>
class Buffer {
    template <class U>
    using Span = typename Space::template Span<U>;

  public:
    Buffer() = default;
    explicit Buffer(std::int64_t size)
        : memory_(
              static_cast<T*>(Space::allocate_zeroed(size * static_cast<std::int64_t>(sizeof(T)))),
              Release{size * static_cast<std::int64_t>(sizeof(T))}),
          size_(size) {}

    T* data() noexcept { return memory_.get(); }
    const T* data() const noexcept { return memory_.get(); }
    std::int64_t size() const noexcept { return size_; }
    std::int64_t size_bytes() const noexcept {
        return size_ * static_cast<std::int64_t>(sizeof(T));
    }
    Span<T> span() noexcept { return {data(), static_cast<std::size_t>(size_)}; }
    Span<const T> span() const noexcept { return {data(), static_cast<std::size_t>(size_)}; }

  private:
    struct Release {
        std::int64_t size_bytes = 0;
        void operator()(T* memory) const noexcept { Space::release(memory, size_bytes); }
    };
    std::unique_ptr<T, Release> memory_;
    std::int64_t size_ = 0;
};

}  // namespace shardstone
