// SPDX-License-Identifier: BSD-3-Clause
// The block that runs: its threads, what they wait for, and the memory they share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "validation/emulated_device/fibers.hpp"
#include "validation/emulated_device/kernel.hpp"
#include "validation/emulated_device/ready_threads.hpp"
#include "validation/emulated_device/threads.hpp"

namespace shardstone::emulated {

struct AsyncCopy {
    void* to;
    const void* from;
};

enum class Wait { none, block, warp, finished };

struct Thread {
    unsigned id = 0;
    ThreadIndex index;
    Fiber fiber;
    bool has_started = false;
    Wait wait = Wait::none;
    Where where;                                 ///< it waits
    std::vector<std::vector<AsyncCopy>> copies;  ///< its groups; the last one is open
};

/// A set of lanes that meet again and again, each time in the other half of what is given.
struct Meeting {
    unsigned mask = 0, arrived = 0, times = 0;
    Where where;
    Exchanged given[2];
};

/// What is gone when the block has ended. The race detector knows order by addresses, so that new
/// memory makes blocks unordered.
class BlockMemory {
  public:
    explicit BlockMemory(std::size_t dynamic_bytes);
    ~BlockMemory();
    BlockMemory(const BlockMemory&) = delete;
    BlockMemory& operator=(const BlockMemory&) = delete;

    void* variable(std::size_t bytes, const Where& where);
    void* dynamic() const { return dynamic_; }

    char start = 0, end = 0, barrier[2] = {0, 0};  ///< what the race detector knows order by

  private:
    struct Variable {
        Where where;
        void* data;
        std::size_t bytes;
    };
    std::vector<Variable> variables_;
    void* dynamic_;
    std::size_t total_bytes_;
};

struct Block {
    const Kernel* kernel = nullptr;
    std::vector<Thread> threads;
    std::vector<std::vector<std::unique_ptr<Meeting>>> meetings;  ///< by warp
    std::unique_ptr<BlockMemory> memory;
    ReadyThreads ready;
    Fiber scheduler;
    std::unique_ptr<char> fenced;  ///< of the kernel: what fences order, for the race detector
    Thread* running = nullptr;
    unsigned alive = 0, at_barrier = 0, barriers = 0;
    Where barrier;             ///< at which those are
    unsigned long number = 0;  ///< of the kernel's so far
};

/// The one whose threads run, or null.
Block* running_block();

/// Runs the threads of a block until all have ended.
void run_block(Block& block);

/// The stream with this line of execution, and all of its threads', has ended.
void end_thread_lines(void* stream_line);
/// What runs in this stream comes after all that has run in the other, which waits for it before it
/// goes on: threads of both may be one to the race detector.
void share_thread_lines(void* stream_line, void* with);

/// The running thread gives way; it goes on when it has been made ready, with Wait::none at once.
void give_way(Wait wait, const Where& where);
void make_ready(Thread& thread);

/// "kernel NAME, block (0,0,0), thread (3,0,0)".
std::string text_of_running_thread();

/// Runs all blocks of the kernel.
void run_kernel(const Kernel& kernel);

}  // namespace shardstone::emulated
