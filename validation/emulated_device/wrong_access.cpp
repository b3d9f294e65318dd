// SPDX-License-Identifier: BSD-3-Clause
// SIGSEGV in device memory is told as the fault it is.
#include <fmt/format.h>

#include <csignal>

#include "validation/emulated_device/block.hpp"
#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/memory.hpp"

namespace shardstone::emulated {

namespace {

struct sigaction handler_before;

// The signal was raised by an access of this thread, never within an allocation of the C library or
// within our own bookkeeping, so that ordinary functions may be called.
void explain(int, siginfo_t* signal, void*) {
    const void* const address = signal->si_addr;
    const bool in_kernel = running_block() != nullptr;
    if (in_kernel && is_stack_overflow(address)) {
        fault("a thread's stack is full: " + text_of_running_thread());
    }
    const std::string why = explain_access(address);
    if (!why.empty()) {
        fault(in_kernel
                  ? fmt::format("access to device memory {}: {}", why, text_of_running_thread())
                  : fmt::format("access to device memory by the host: {}", why));
    }
    sigaction(SIGSEGV, &handler_before, nullptr);  // and the access is tried again
}

}  // namespace

void explain_wrong_accesses() {
    constexpr std::size_t stack_bytes = 256 * 1024;
    static char stack[stack_bytes];  // what overflows is the stack of a fiber
    stack_t present{};
    sigaltstack(nullptr, &present);
    if ((present.ss_flags & SS_DISABLE) != 0) {
        stack_t ours{};
        ours.ss_sp = stack;
        ours.ss_size = sizeof stack;
        sigaltstack(&ours, nullptr);
    }
    struct sigaction action {};
    action.sa_sigaction = explain;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &handler_before);
}

}  // namespace shardstone::emulated
