// SPDX-License-Identifier: BSD-3-Clause
// The threads of a block as fibers: who goes on, and the barrier of all.
#include "validation/emulated_device/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "validation/emulated_device/sanitizers.hpp"
#include "validation/emulated_device/settings.hpp"

namespace shardstone::emulated {

ThreadIndex thread_index, block_index;
dim3 block_dim, grid_dim;

namespace {

Block* block = nullptr;

/// Lines of execution for the threads of a stream's blocks. Making one costs the race detector a
/// millisecond and a megabyte, so that blocks take them over. No streams have one in common: it
/// would order them, and what one line does is no race.
class ThreadLines {
  public:
    ThreadLines() = default;
    ~ThreadLines() { std::ranges::for_each(all_, end_line_of_fibers); }
    ThreadLines(const ThreadLines&) = delete;
    ThreadLines& operator=(const ThreadLines&) = delete;

    /// Neighbouring blocks have none in common either: by its barriers a block would be ordered
    /// behind all that such a line had come to know.
    void* line_for(const Thread& thread, const Block& of) {
        if (!settings().races_in_kernels) return idle_or_new();
        auto& lines = of_blocks_.at(of.number % 2);
        while (lines.size() <= thread.id) lines.push_back(new_one());
        return lines[thread.id];
    }
    /// Its thread has ended.
    void retire(void* line) {
        if (!settings().races_in_kernels) idle_.push_back(line);
    }

  private:
    void* new_one() { return all_.emplace_back(new_line_of_execution()); }
    void* idle_or_new() {
        if (idle_.empty()) return new_one();
        void* const line = idle_.back();
        idle_.pop_back();
        return line;
    }

    std::vector<void*> all_, idle_;
    std::array<std::vector<void*>, 2> of_blocks_;  ///< even ones, odd ones; by thread
};

/// Of the stream with this line.
std::shared_ptr<ThreadLines>& thread_lines(void* stream_line) {
    static std::map<void*, std::shared_ptr<ThreadLines>> all;
    auto& lines = all[stream_line];
    if (lines == nullptr) lines = std::make_shared<ThreadLines>();
    return lines;
}

void* line_of_execution_of(const Thread& thread) {
    if (!has_thread_sanitizer) return nullptr;
    return thread_lines(block->scheduler.line_of_execution)->line_for(thread, *block);
}

void run_thread() {
    acquire(&block->memory->start);
    block->kernel->body();
    release(&block->memory->end);
    give_way(Wait::finished, Where::current());
}

void open_barrier() {
    block->at_barrier = 0;
    ++block->barriers;
    for (Thread& thread : block->threads) {
        if (thread.wait == Wait::block) make_ready(thread);
    }
}

/// A barrier alone holds up nobody: it opens when all that have not ended are there.
[[noreturn]] void explain_deadlock() {
    for (Thread& thread : block->threads) {
        if (thread.wait != Wait::warp) continue;
        block->running = &thread;
        thread_index = thread.index;
        thread_fault("deadlock: lanes that the mask names have ended or wait elsewhere",
                     thread.where);
    }
    fault("deadlock of a block");
}

/// Leaves `from` for the next thread that can go on, if that is not the one which runs.
void go_on(Fiber& from) {
    Thread& thread = block->threads[block->ready.take()];
    if (&thread.fiber == &from) return;
    block->running = &thread;
    thread_index = thread.index;
    if (!thread.has_started) {
        thread.fiber = new_fiber(run_thread, line_of_execution_of(thread));
        thread.has_started = true;
    }
    switch_fibers(from, thread.fiber, false);
}

void end(Thread& thread) {
    if (has_thread_sanitizer) {
        thread_lines(block->scheduler.line_of_execution)->retire(thread.fiber.line_of_execution);
    }
    retire(thread.fiber);
    --block->alive;
    // Threads that have ended do not hold up the others.
    if (block->at_barrier > 0 && block->at_barrier == block->alive) open_barrier();
}

}  // namespace

void end_thread_lines(void* stream_line) {
    if (has_thread_sanitizer) thread_lines(stream_line).reset();
}

void share_thread_lines(void* stream_line, void* with) {
    if (has_thread_sanitizer) thread_lines(stream_line) = thread_lines(with);
}

Block* running_block() {
    return block;
}

void run_block(Block& to_run) {
    block = &to_run;
    release(&block->memory->start);
    while (block->alive > 0) {
        if (block->ready.empty()) explain_deadlock();
        go_on(block->scheduler);
        if (block->running->wait == Wait::finished) end(*block->running);
    }
    block = nullptr;
}

void give_way(Wait wait, const Where& where) {
    Thread& thread = *block->running;
    thread.wait = wait;
    thread.where = where;
    // The scheduler frees the stack that a thread ended on, and tells why nobody can go on.
    const bool ends = wait == Wait::finished;
    if (ends || block->ready.empty()) return switch_fibers(thread.fiber, block->scheduler, ends);
    go_on(thread.fiber);
}

void make_ready(Thread& thread) {
    thread.wait = Wait::none;
    block->ready.add(thread.id);
}

unsigned lane() {
    return block->running->id % lanes;
}

std::string text_of_running_thread() {
    if (block == nullptr) return "outside of any kernel";
    return fmt::format("kernel {}, block ({},{},{}), thread ({},{},{})",
                       name_of_kernel(block->kernel->function), block_index.x, block_index.y,
                       block_index.z, thread_index.x, thread_index.y, thread_index.z);
}

void sync_block(Where where) {
    const Quiet quiet;
    char* const barrier = &block->memory->barrier[block->barriers % 2];
    release(barrier);
    Thread& thread = *block->running;
    if (block->at_barrier == 0) {
        block->barrier = where;
    } else if (!is_same(block->barrier, where)) {
        thread_fault("divergent __syncthreads, others are at " + text_of(block->barrier), where);
    }
    if (++block->at_barrier == block->alive) {
        open_barrier();
        make_ready(thread);
        give_way(Wait::none, where);
    } else {
        give_way(Wait::block, where);
    }
    acquire(barrier);
}

void before_atomic() {
    if (settings().threads != ThreadOrder::random || random_numbers()() % 8 != 0) return;
    const Quiet quiet;
    make_ready(*block->running);
    give_way(Wait::none, Where::current());
}

void fence() {
    acquire(block->fenced.get());
    release(block->fenced.get());
}

}  // namespace shardstone::emulated
