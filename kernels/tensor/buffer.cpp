// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/tensor/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::detail {

namespace {

constexpr std::int64_t cache_line_bytes = 64;
constexpr std::int64_t huge_page_bytes = std::int64_t{2} << 20;

}  // namespace

void* allocate_zeroed(std::int64_t size_bytes) {
    const bool large = size_bytes >= 2 * huge_page_bytes;
    const std::int64_t alignment = large ? huge_page_bytes : cache_line_bytes;
    const std::int64_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(static_cast<std::size_t>(alignment),
                                      static_cast<std::size_t>(std::max(rounded, alignment)));
    require(memory != nullptr, [&] {
        return fmt::format("cannot allocate {}: use a smaller model or batch, or more ranks",
                           format_size(size_bytes));
    });
    // Advice only: where it is refused, everything works with small pages.
    if (large) madvise(memory, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
    // Also touches every page now, so that no first step pays for it.
    std::memset(memory, 0, static_cast<std::size_t>(size_bytes));
    return memory;
}

void release(void* memory) noexcept {
    std::free(memory);
}

}  // namespace shardstone::detail
