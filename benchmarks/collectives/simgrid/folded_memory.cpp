// SPDX-License-Identifier: BSD-3-Clause
// Global new and delete that fold large vectors onto one megabyte, so that simulated ranks fit.
#include "benchmarks/collectives/simgrid/folded_memory.hpp"

#include <smpi/smpi.h>

#include <cstdlib>
#include <functional>
#include <new>

namespace shardstone::benchmarks {

namespace {

bool folding_now = false;
std::byte* folded = nullptr;  // all of it, from the first use to the end of the process

void* allocate(std::size_t size_bytes) {
    if (!folding_now || size_bytes < least_folded_bytes) {
        return std::malloc(size_bytes > 0 ? size_bytes : 1);
    }
    if (size_bytes > most_folded_bytes) return nullptr;
    if (folded == nullptr) {
        folded = static_cast<std::byte*>(SMPI_SHARED_MALLOC(most_folded_bytes));
    }
    return folded;
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
    return folded != nullptr && std::less_equal<>()(folded, place) &&
           std::less<>()(place, folded + most_folded_bytes);
}

}  // namespace shardstone::benchmarks

// The executor's staging memory is a plain vector of its own: only here can it be folded.
void* operator new(std::size_t size_bytes) {
    void* const memory = shardstone::benchmarks::allocate(size_bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept {
    if (!shardstone::benchmarks::is_folded(memory)) std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    if (!shardstone::benchmarks::is_folded(memory)) std::free(memory);
}
