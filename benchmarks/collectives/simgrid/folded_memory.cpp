// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/simgrid/folded_memory.hpp"

#include <smpi/smpi.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <new>

namespace shardstone::benchmarks {

namespace {

bool folding_now = false;

/// Beginning and end of each piece. Never destroyed: memory is freed until the very end.
std::map<const std::byte*, const std::byte*>& pieces() {
    static auto* const all = new std::map<const std::byte*, const std::byte*>;
    return *all;
}

void* allocate(std::size_t size_bytes) {
    if (!folding_now || size_bytes < least_folded_bytes) {
        return std::malloc(size_bytes > 0 ? size_bytes : 1);
    }
    void* const memory = smpi_shared_malloc(size_bytes, __FILE__, __LINE__);
    const auto* const begin = static_cast<const std::byte*>(memory);
    pieces()[begin] = begin + size_bytes;
    return memory;
}

void release(void* memory) noexcept {
    // Folded pieces begin where pages do, which leaves few addresses to look up.
    constexpr std::uintptr_t page_bytes = 4096;
    const bool may_be_folded = reinterpret_cast<std::uintptr_t>(memory) % page_bytes == 0;
    if (memory != nullptr && may_be_folded &&
        pieces().erase(static_cast<const std::byte*>(memory)) > 0) {
        smpi_shared_free(memory);
    } else {
        std::free(memory);
    }
}

}  // namespace

FoldingScope::FoldingScope(bool folding) {
    folding_now = folding;
}

FoldingScope::~FoldingScope() {
    folding_now = false;
}

bool is_folded(const void* address) {
    const auto* const place = static_cast<const std::byte*>(address);
    const auto after = pieces().upper_bound(place);
    return after != pieces().begin() && place < std::prev(after)->second;
}

}  // namespace shardstone::benchmarks

// The executor's staging memory is a plain vector of its own: only here can it be folded.
void* operator new(std::size_t size_bytes) {
    void* const memory = shardstone::benchmarks::allocate(size_bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept {
    shardstone::benchmarks::release(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    shardstone::benchmarks::release(memory);
}
