// SPDX-License-Identifier: BSD-3-Clause
// Memory that the threads of a block share, and copies into it that land late.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "validation/emulated_device/block.hpp"
#include "validation/emulated_device/limits.hpp"
#include "validation/emulated_device/sanitizers.hpp"

namespace shardstone::emulated {

namespace {

/// Of just that size, for the address sanitizer, and full of NaNs.
void* allocate(std::size_t bytes) {
    constexpr std::size_t alignment = 128;
    void* data = nullptr;
    if (posix_memalign(&data, alignment, std::max<std::size_t>(bytes, 1)) != 0) {
        fault("no memory for a block's shared memory");
    }
    std::memset(data, 0xff, bytes);
    return data;
}

}  // namespace

BlockMemory::BlockMemory(std::size_t dynamic_bytes)
    : dynamic_(allocate(dynamic_bytes)), total_bytes_(dynamic_bytes) {}

BlockMemory::~BlockMemory() {
    for (const Variable& variable : variables_) std::free(variable.data);
    std::free(dynamic_);
}

void* BlockMemory::variable(std::size_t bytes, const Where& where) {
    for (const Variable& variable : variables_) {
        if (variable.bytes == bytes && is_same(variable.where, where)) return variable.data;
    }
    total_bytes_ += bytes;
    if (total_bytes_ > most_shared_bytes)
        thread_fault("more shared memory than a block has", where);
    variables_.push_back({where, allocate(bytes), bytes});
    return variables_.back().data;
}

void* static_shared(std::size_t bytes, Where where) {
    const Quiet quiet;
    return running_block()->memory->variable(bytes, where);
}

void* dynamic_shared_bytes() {
    return running_block()->memory->dynamic();
}

void expect_aligned(const void* address, std::size_t bytes, const char* instruction, Where where) {
    if (reinterpret_cast<std::uintptr_t>(address) % bytes == 0) return;
    thread_fault(std::string(instruction) + ": misaligned address", where);
}

void copy_async(void* shared, const void* global, Where where) {
    const Quiet quiet;
    expect_aligned(shared, 16, "cp.async", where);
    expect_aligned(global, 16, "cp.async", where);
    auto& copies = running_block()->running->copies;
    if (copies.empty()) copies.emplace_back();
    copies.back().push_back({shared, global});
}

void copy_async_commit() {
    const Quiet quiet;
    auto& copies = running_block()->running->copies;
    if (copies.empty()) copies.emplace_back();
    copies.emplace_back();
}

void copy_async_wait(int pending) {
    auto& copies = running_block()->running->copies;
    while (static_cast<int>(copies.size()) - 1 > pending) {
        for (const AsyncCopy& copy : copies.front()) {
            note_read(copy.from, 16);
            note_write(copy.to, 16);
            const Quiet quiet;
            std::memcpy(copy.to, copy.from, 16);
        }
        const Quiet quiet;
        copies.erase(copies.begin());
    }
}

}  // namespace shardstone::emulated
