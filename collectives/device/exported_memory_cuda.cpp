// SPDX-License-Identifier: BSD-3-Clause
// A pool of exported memory that never shrinks, and what was opened of other processes' pools.
#include "collectives/device/exported_memory_cuda.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "collectives/device/runtime_cuda.hpp"

namespace shardstone::collectives {

namespace {

struct Block {
    int device;
    std::int64_t size_bytes;
    std::byte* data = nullptr;
    cudaIpcMemHandle_t handle{};
    bool is_taken = false;
};

/// Blocks do not move, since their owners point to them.
std::list<Block>& pool() {
    static std::list<Block> blocks;
    return blocks;
}

int current_device() {
    int device = 0;
    SHARDSTONE_CUDA(cudaGetDevice(&device));
    return device;
}

/// What is exported is the pages of the GPU, of 2 MiB, that the block lies in: it fills them, so
/// that nothing else is exported with it.
std::int64_t size_of_block(std::int64_t size_bytes) {
    constexpr std::int64_t page_bytes = 2 << 20;
    return std::max<std::int64_t>(1, (size_bytes + page_bytes - 1) / page_bytes) * page_bytes;
}

Block& new_block(int device, std::int64_t size_bytes) {
    Block block{device, size_of_block(size_bytes)};
    void* memory = nullptr;
    SHARDSTONE_CUDA(cudaMalloc(&memory, static_cast<std::size_t>(block.size_bytes)));
    std::unique_ptr<void, decltype(&cudaFree)> unless_exported(memory, &cudaFree);
    block.data = static_cast<std::byte*>(memory);
    SHARDSTONE_CUDA(cudaIpcGetMemHandle(&block.handle, memory));
    unless_exported.release();
    return pool().emplace_back(block);
}

/// The smallest free one that is large enough, or null.
Block* free_block(int device, std::int64_t size_bytes) {
    Block* best = nullptr;
    for (Block& block : pool()) {
        if (block.is_taken || block.device != device || block.size_bytes < size_bytes) continue;
        if (best == nullptr || block.size_bytes < best->size_bytes) best = &block;
    }
    return best;
}

}  // namespace

ExportedMemory exported_memory(std::int64_t size_bytes) {
    const int device = current_device();
    Block* block = free_block(device, size_bytes);
    if (block == nullptr) block = &new_block(device, size_bytes);
    block->is_taken = true;
    return {{block->data, [block](std::byte*) { block->is_taken = false; }}, block->handle};
}

std::byte* open_exported(const cudaIpcMemHandle_t& handle) {
    static std::map<std::pair<int, std::string>, std::byte*> opened;
    const std::string bytes(handle.reserved, sizeof handle.reserved);
    std::byte*& data = opened[{current_device(), bytes}];
    if (data == nullptr) {
        void* memory = nullptr;
        SHARDSTONE_CUDA(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess));
        data = static_cast<std::byte*>(memory);
    }
    return data;
}

}  // namespace shardstone::collectives
