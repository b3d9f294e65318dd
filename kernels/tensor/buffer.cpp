// SPDX-License-Identifier: BSD-3-Clause
// Allocates aligned, zeroed memory for tensors, counts it per process and enforces the limit.
#include "kernels/tensor/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone {

namespace {

std::atomic<std::int64_t> total_bytes{0};
std::atomic<std::int64_t> peak_bytes{0};
std::atomic<std::int64_t> limit_bytes{0};

/// Counts an allocation, or gives way if the limit does not admit it.
void count(std::int64_t size_bytes) {
    const std::int64_t before = total_bytes.fetch_add(size_bytes);
    const std::int64_t limit = limit_bytes.load();
    if (limit > 0 && before + size_bytes > limit) {
        total_bytes.fetch_sub(size_bytes);
        fail(fmt::format(
            "cannot allocate {}: {} of the limit of {} per rank are in use; use a larger limit, a "
            "smaller model or batch, or a plan that keeps less on each rank",
            format_size(size_bytes), format_size(before), format_size(limit)));
    }
    std::int64_t peak = peak_bytes.load();
    while (peak < before + size_bytes &&
           !peak_bytes.compare_exchange_weak(peak, before + size_bytes)) {
    }
}

constexpr std::int64_t cache_line_bytes = 64;
constexpr std::int64_t huge_page_bytes = std::int64_t{2} << 20;

}  // namespace

std::int64_t memory_peak_bytes() noexcept {
    return peak_bytes.load();
}

void set_memory_limit_bytes(std::int64_t bytes) noexcept {
    limit_bytes.store(bytes);
}

std::int64_t Host::in_use_bytes() noexcept {
    return total_bytes.load();
}

void* Host::allocate_zeroed(std::int64_t size_bytes) {
    count(size_bytes);
    const bool large = size_bytes >= 2 * huge_page_bytes;
    const std::int64_t alignment = large ? huge_page_bytes : cache_line_bytes;
    const std::int64_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(static_cast<std::size_t>(alignment),
                                      static_cast<std::size_t>(std::max(rounded, alignment)));
    if (memory == nullptr) {
        total_bytes.fetch_sub(size_bytes);
        fail(fmt::format("cannot allocate {}: use a smaller model or batch, or more ranks",
                         format_size(size_bytes)));
    }
    // Advice only: where it is refused, everything works with small pages.
    if (large) madvise(memory, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
    // Also touches every page now, so that no first step pays for it.
    std::memset(memory, 0, static_cast<std::size_t>(size_bytes));
    return memory;
}

void Host::release(void* memory, std::int64_t size_bytes) noexcept {
    std::free(memory);
    total_bytes.fetch_sub(size_bytes);
}

}  // namespace shardstone
