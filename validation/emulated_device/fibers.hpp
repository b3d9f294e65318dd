// SPDX-License-Identifier: BSD-3-Clause
// Fibers: lines of execution with stacks of their own, of which one runs until it gives way.
#pragma once

#include <cstddef>

namespace shardstone::emulated {

struct Fiber {
    void* context = nullptr;  ///< where it goes on
    char* stack = nullptr;    ///< its lowest address
    std::size_t stack_bytes = 0;
    void* fake_stack = nullptr;         ///< of the address sanitizer
    void* line_of_execution = nullptr;  ///< of the thread sanitizer
};

/// The caller's own line of execution as a fiber, to be switched back to.
Fiber running_as_fiber();

/// A fiber that will call `entry`, which never returns: it switches away for good.
Fiber new_fiber(void (*entry)(), void* line_of_execution);

/// Goes on with `to` until something switches to `from` again; never, if it goes for good.
void switch_fibers(Fiber& from, Fiber& to, bool for_good);

/// Gives the stack of a fiber that will not run any more to the next one.
void retire(Fiber& fiber);

/// No fiber will run on this line of execution any more: it ends, and its stack with it.
void end_line_of_fibers(void* line_of_execution);

/// Whether the address is just below a fiber's stack, which has then been too small.
bool is_stack_overflow(const void* address);

}  // namespace shardstone::emulated
