// SPDX-License-Identifier: BSD-3-Clause
// Signals that ask to stop are noted, so that a run can write what it has.
#include "kernels/base/interrupt.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "kernels/base/failure_log.hpp"
#include "kernels/base/fixed_text.hpp"

namespace shardstone {

namespace {

volatile std::sig_atomic_t interrupt_noted = 0;
std::atomic<std::int64_t> noted_at_ms = 0;
volatile std::sig_atomic_t is_one_of_several = 0;
const char* volatile stops_after = "";

std::atomic<void (*)(int)> when_stopped = nullptr;

struct Fault {
    int signal;
    struct sigaction before;
};
std::array<Fault, 5> faults{
    {{SIGSEGV, {}}, {SIGBUS, {}}, {SIGILL, {}}, {SIGFPE, {}}, {SIGABRT, {}}}};

const char* name_of(int signal) {
    switch (signal) {
        case SIGINT:
            return "SIGINT";
        case SIGTERM:
            return "SIGTERM";
        case SIGHUP:
            return "SIGHUP";
        case SIGSEGV:
            return "SIGSEGV (a wrong address)";
        case SIGBUS:
            return "SIGBUS (a file shrank or memory is gone)";
        case SIGILL:
            return "SIGILL (an instruction that this processor lacks)";
        case SIGFPE:
            return "SIGFPE (a wrong division)";
        default:
            return "SIGABRT";
    }
}

void say(const char* what, int signal, ExitCode code) {
    FixedText<200> reason;
    reason.add(what).add(" by ").add(name_of(signal));
    note_failure(reason.c_str(), code);
    say_failure(reason.c_str(), is_one_of_several != 0);
    let_stderr_drain();
}

/// Of what a launcher or a terminal sends to all ranks, rank 0 speaks for all; of what came to this
/// process alone nobody else knows.
bool is_to_speak(const siginfo_t& signal) {
    const bool came_to_all = signal.si_code == SI_KERNEL || signal.si_pid == ::getppid();
    return speaking_rank() == 0 || !came_to_all;
}

extern "C" void end_process(int signal, siginfo_t* info, void*) {
    constexpr useconds_t until_said_us = 500'000;  // or the launcher ends who speaks as well
    if (is_to_speak(*info)) {
        say("stopped", signal, ExitCode::interrupted);
    } else {
        ::usleep(until_said_us);
    }
    if (const auto action = when_stopped.load()) action(number_of(ExitCode::interrupted));
    ::_exit(number_of(ExitCode::interrupted));
}

std::int64_t now_ms() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// Who signals a whole job at once reaches its ranks twice: themselves, and by way of the launcher.
constexpr std::int64_t same_request_ms = 500;

extern "C" void note_interrupt(int signal, siginfo_t* info, void* context) {
    if (interrupt_noted != 0) {
        if (now_ms() - noted_at_ms < same_request_ms) return;
        end_process(signal, info, context);
    }
    noted_at_ms = now_ms();
    interrupt_noted = 1;
    if (!is_to_speak(*info)) return;
    FixedText<400> answer;
    answer.add(name_of(signal)).add(": stopping after ").add(stops_after);
    answer.add(" (a second one stops it at once)");
    say_failure(answer.c_str(), speaking_rank() != 0);
}

/// Says so and leaves the rest to who would have been told.
extern "C" void say_fault(int signal) {
    const auto* found = std::ranges::find(faults, signal, &Fault::signal);
    if (found != faults.end()) ::sigaction(signal, &found->before, nullptr);
    if (signal == SIGABRT && is_one_of_several != 0) {
        say("ended by MPI, which has lost another rank (or by an error of ours),", signal,
            ExitCode::lost_rank);
    } else {
        say("killed", signal, ExitCode::our_bug);
    }
    ::raise(signal);  // held back until this handler has returned
}

/// Gives the calling thread a second stack for its signal handlers. oneDNN's products with AVX-512
/// (2.6.3) leave nothing below the stack pointer alone: a handler that runs there writes over what
/// a product is at, and the heap is found broken later (seen: 3 of 16 trainings that were
/// interrupted).
void use_a_stack_of_their_own() {
    constexpr std::size_t bytes = 64 << 10;
    alignas(16) static std::array<std::byte, bytes> memory;
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    ::sigaltstack(&stack, nullptr);
}

void call(void (*handler)(int), int signal, int flags, struct sigaction* before = nullptr) {
    struct sigaction action = {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = flags | SA_ONSTACK;
    ::sigaction(signal, &action, before);
}

void answer(void (*handler)(int, siginfo_t*, void*), int signal, int flags,
            struct sigaction* before = nullptr) {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = flags | SA_SIGINFO | SA_ONSTACK;
    ::sigaction(signal, &action, before);
}

}  // namespace

void say_how_signals_end_it(bool several_ranks) {
    use_a_stack_of_their_own();
    is_one_of_several = several_ranks ? 1 : 0;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before = {};
        answer(end_process, signal, 0, &before);
        if (before.sa_handler == SIG_IGN) ::sigaction(signal, &before, nullptr);  // as nohup has it
    }
    for (Fault& fault : faults) {
        struct sigaction before = {};
        call(say_fault, fault.signal, 0, &before);
        if (before.sa_handler != say_fault) fault.before = before;
    }
}

void do_when_stopped(void (*action)(int code)) {
    when_stopped = action;
}

void catch_interrupts(const char* after) {
    use_a_stack_of_their_own();
    stops_after = after;
    for (const int signal : {SIGINT, SIGTERM}) answer(note_interrupt, signal, SA_RESTART);
}

bool interrupted() noexcept {
    return interrupt_noted != 0;
}

}  // namespace shardstone
