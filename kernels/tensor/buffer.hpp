// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace shardstone {

/// Bytes that all Buffers of this process hold, as asked for (what alignment adds is not touched
/// and so takes no memory), and the most that they have held since reset_memory_peak().
/// Thread-safe.
std::int64_t memory_in_use_bytes() noexcept;
std::int64_t memory_peak_bytes() noexcept;

/// From now on a Buffer that would bring memory_in_use_bytes() above the limit throws Error; 0: no
/// limit, as in the beginning. What is held already stays.
void set_memory_limit_bytes(std::int64_t limit_bytes) noexcept;

namespace detail {
/// Zeroed memory, aligned to a cache line (64 B); from 4 MiB up to 2 MiB and advised to use huge
/// pages. Throws Error naming the size when there is not enough, or the limit would be exceeded.
void* allocate_zeroed(std::int64_t size_bytes);
void release(void* memory, std::int64_t size_bytes) noexcept;
}  // namespace detail

/// An owned array of `size` trivial elements, all zero at first, aligned to 64 B. Moves, does not
/// copy.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::int64_t size)
        : memory_(
              static_cast<T*>(detail::allocate_zeroed(size * static_cast<std::int64_t>(sizeof(T)))),
              Release{size * static_cast<std::int64_t>(sizeof(T))}),
          size_(size) {}

    T* data() noexcept { return memory_.get(); }
    const T* data() const noexcept { return memory_.get(); }
    std::int64_t size() const noexcept { return size_; }
    std::int64_t size_bytes() const noexcept {
        return size_ * static_cast<std::int64_t>(sizeof(T));
    }
    std::span<T> span() noexcept { return {data(), static_cast<std::size_t>(size_)}; }
    std::span<const T> span() const noexcept { return {data(), static_cast<std::size_t>(size_)}; }

  private:
    struct Release {
        std::int64_t size_bytes = 0;
        void operator()(T* memory) const noexcept { detail::release(memory, size_bytes); }
    };
    std::unique_ptr<T, Release> memory_;
    std::int64_t size_ = 0;
};

}  // namespace shardstone
