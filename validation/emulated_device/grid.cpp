// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a kernel, one after the other.
#include <algorithm>
#include <numeric>

#include "validation/emulated_device/block.hpp"
#include "validation/emulated_device/sanitizers.hpp"

namespace shardstone::emulated {

namespace {

/// Their threads live on, since the vectors in them are worth keeping.
Block& only_block() {
    static Block one;
    return one;
}

std::vector<std::uint64_t> order_of_blocks(std::uint64_t count) {
    std::vector<std::uint64_t> order(count);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    if (settings().threads == ThreadOrder::reverse) std::ranges::reverse(order);
    if (settings().threads == ThreadOrder::random) std::ranges::shuffle(order, random_numbers());
    return order;
}

void prepare(Block& block, const Kernel& kernel) {
    const dim3 size = kernel.block;
    const unsigned count = size.x * size.y * size.z;
    block.kernel = &kernel;
    block.threads.resize(count);
    // Lanes that met in the block before may be unordered to those of this one.
    if (has_thread_sanitizer) block.meetings.clear();
    block.meetings.resize((count + lanes - 1) / lanes);
    block.memory = std::make_unique<BlockMemory>(kernel.shared_bytes);
    block.ready.begin(settings().threads, count);
    block.alive = count;
    ++block.number;
    for (unsigned id = 0; id < count; ++id) {
        Thread& thread = block.threads[id];
        thread.id = id;
        thread.index = {id % size.x, id / size.x % size.y, id / size.x / size.y};
        thread.has_started = false;
        thread.copies.clear();
        thread.wait = Wait::none;
        block.ready.add(id);
    }
}

}  // namespace

void run_kernel(const Kernel& kernel) {
    const Quiet quiet;  // threads run on lines of execution of their own, where nothing is ignored
    Block& block = only_block();
    block.scheduler = running_as_fiber();
    block.number = 0;
    block.fenced = std::make_unique<char>();
    block_dim = kernel.block;
    grid_dim = kernel.grid;
    const std::uint64_t rows = kernel.grid.x, planes = rows * kernel.grid.y;
    // Blocks must not seem ordered to the race detector since one was given the memory of another.
    std::vector<std::unique_ptr<BlockMemory>> ended;
    for (const std::uint64_t number : order_of_blocks(planes * kernel.grid.z)) {
        block_index = {static_cast<unsigned>(number % rows),
                       static_cast<unsigned>(number % planes / rows),
                       static_cast<unsigned>(number / planes)};
        prepare(block, kernel);
        run_block(block);
        if (has_thread_sanitizer) ended.push_back(std::move(block.memory));
    }
    for (const auto& memory : ended) acquire(&memory->end);
    block.memory.reset();
}

}  // namespace shardstone::emulated
