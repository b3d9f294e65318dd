// SPDX-License-Identifier: BSD-3-Clause
// Fibers on Boost.Context, with what the sanitizers want to know of them.
#include "validation/emulated_device/fibers.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <unordered_map>
#include <vector>

#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/sanitizers.hpp"

namespace shardstone::emulated {

namespace {

namespace context = boost::context::detail;

constexpr std::size_t fiber_stack_bytes = (has_thread_sanitizer ? 64 : 256) * 1024;
void (*entry_of_next)() = nullptr;
Fiber* running = nullptr;
std::vector<char*> free_stacks, all_stacks;
std::unordered_map<void*, char*> stacks_of_lines;

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

/// With a page below it that nothing can touch.
char* map_stack() {
    void* memory = mmap(nullptr, fiber_stack_bytes + page_bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page_bytes(), PROT_NONE) != 0) {
        fault("no memory for the stack of a thread");
    }
    char* stack = static_cast<char*>(memory) + page_bytes();
    all_stacks.push_back(stack);
    return stack;
}

/// To the race detector a stack belongs to one line of execution: fibers of the same line follow
/// each other, those of others would seem to race for it.
char* stack_of_line(void* line_of_execution) {
    char*& stack = stacks_of_lines[line_of_execution];
    if (stack == nullptr) stack = map_stack();
    return stack;
}

char* take_stack() {
    if (free_stacks.empty()) return map_stack();
    char* stack = free_stacks.back();
    free_stacks.pop_back();
    unpoison(stack, fiber_stack_bytes);
    return stack;
}

void resumed(context::transfer_t from) {
    static_cast<Fiber*>(from.data)->context = from.fctx;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(running->fake_stack, nullptr, nullptr);
#endif
}

void begin(context::transfer_t from) {
    resumed(from);
    entry_of_next();
}

}  // namespace

Fiber running_as_fiber() {
    Fiber fiber;
    fiber.line_of_execution = current_line_of_execution();
    if (has_address_sanitizer) {
        pthread_attr_t attributes;
        void* stack = nullptr;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &stack, &fiber.stack_bytes);
        pthread_attr_destroy(&attributes);
        fiber.stack = static_cast<char*>(stack);
    }
    return fiber;
}

Fiber new_fiber(void (*entry)(), void* line_of_execution) {
    entry_of_next = entry;
    Fiber fiber;
    fiber.stack = has_thread_sanitizer ? stack_of_line(line_of_execution) : take_stack();
    fiber.stack_bytes = fiber_stack_bytes;
    fiber.context =
        context::make_fcontext(fiber.stack + fiber_stack_bytes, fiber_stack_bytes, begin);
    fiber.line_of_execution = line_of_execution;
    return fiber;
}

void switch_fibers(Fiber& from, Fiber& to, [[maybe_unused]] bool for_good) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake_stack, to.stack, to.stack_bytes);
#endif
    continue_on(to.line_of_execution);
    running = &to;
    resumed(context::jump_fcontext(to.context, &from));
}

void retire(Fiber& fiber) {
    if (!has_thread_sanitizer) free_stacks.push_back(fiber.stack);
    fiber.stack = nullptr;
}

void end_line_of_fibers(void* line_of_execution) {
    const auto found = stacks_of_lines.extract(line_of_execution);
    if (!found.empty()) {
        std::erase(all_stacks, found.mapped());
        munmap(found.mapped() - page_bytes(), fiber_stack_bytes + page_bytes());
    }
    end_line_of_execution(line_of_execution);
}

bool is_stack_overflow(const void* address) {
    return std::ranges::any_of(all_stacks, [=](const char* stack) {
        return address < stack && address >= stack - page_bytes();
    });
}

}  // namespace shardstone::emulated
