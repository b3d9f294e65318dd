// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace shardstone {

namespace detail {
/// Zeroed memory, aligned to a cache line (64 B); from 4 MiB up to 2 MiB and advised to use huge
/// pages. Throws Error naming the size when there is not enough.
void* allocate_zeroed(std::int64_t size_bytes);
void release(void* memory) noexcept;
}  // namespace detail

/// An owned array of `size` trivial elements, all zero at first, aligned to 64 B. Moves, does not
/// copy.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::int64_t size)
        : memory_(static_cast<T*>(
              detail::allocate_zeroed(size * static_cast<std::int64_t>(sizeof(T))))),
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
        void operator()(T* memory) const noexcept { detail::release(memory); }
    };
    std::unique_ptr<T, Release> memory_;
    std::int64_t size_ = 0;
};

}  // namespace shardstone
