// SPDX-License-Identifier: BSD-3-Clause
// What runs next: the host waits for something, and streams go on in the order of the settings.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "validation/emulated_device/clock.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/sanitizers.hpp"
#include "validation/emulated_device/settings.hpp"
#include "validation/emulated_device/streams.hpp"

namespace shardstone::emulated {

namespace {

bool can_run(const CUstream_st& stream) {
    if (stream.queue.empty()) return false;
    const MarkPointer& awaited = stream.queue.front().awaits;
    return awaited == nullptr || awaited->is_reached;
}

/// In the name of the stream, for the race detector.
bool run(CUstream_st& stream, Work& work) {
    void* const host = current_line_of_execution();
    continue_on(stream.line_of_execution);
    acquire(work.issued.get());
    if (work.awaits != nullptr) acquire(work.awaits.get());
    const bool has_run = !work.run || work.run();
    if (work.reaches != nullptr) release(work.reaches.get());
    release(&stream.work_so_far);
    continue_on(host);
    return has_run;
}

/// Runs the first work of a stream; false if it is still in flight.
bool step(CUstream_st& stream) {
    const Quiet quiet;
    Work& work = stream.queue.front();
    if (!run(stream, work)) return false;
    stream.time_s = std::max(stream.time_s, work.issued_s);
    if (work.awaits != nullptr) stream.time_s = std::max(stream.time_s, work.awaits->time_s);
    const double times_as_long = stream.device == settings().slow_device ? 2.0 : 1.0;
    stream.time_s += times_as_long * work.duration_s;
    if (work.reaches != nullptr) {
        work.reaches->is_reached = true;
        work.reaches->time_s = stream.time_s;
    }
    if (settings().trace) {
        std::fputs(
            fmt::format("emulated device: stream {}: {}\n", stream.number, work.name).c_str(),
            stderr);
    }
    stream.queue.pop_front();
    return true;
}

std::vector<CUstream_st*> streams_that_can_run() {
    std::vector<CUstream_st*> found;
    for (const auto& stream : all_streams()) {
        if (can_run(*stream)) found.push_back(stream.get());
    }
    return found;
}

/// The stream that has to go on so that the target can; null if it waits in a circle.
CUstream_st* needed_by(CUstream_st* target) {
    for (std::size_t i = 0; i <= all_streams().size(); ++i) {
        if (can_run(*target)) return target;
        if (target->queue.empty()) return nullptr;
        target = target->queue.front().awaits->stream;
    }
    return nullptr;
}

CUstream_st* choose(const std::vector<CUstream_st*>& able, CUstream_st* target) {
    switch (settings().streams) {
        case StreamOrder::random:
            return able[random_numbers()() % able.size()];
        case StreamOrder::others: {
            const auto other = std::ranges::find_if(able, [=](auto* one) { return one != target; });
            return other == able.end() ? able.front() : *other;
        }
        case StreamOrder::issue:
            return *std::ranges::min_element(
                able, {}, [](const CUstream_st* one) { return one->queue.front().serial; });
        default:
            return needed_by(target);
    }
}

[[noreturn]] void explain_stop(const char* why) {
    std::string text;
    for (const auto& stream : all_streams()) {
        if (stream->queue.empty()) continue;
        text += fmt::format("; stream {} is at {}", stream->number, stream->queue.front().name);
    }
    fault(why + text);
}

/// One piece of work, or, when that has been in flight for long, of each stream: the device itself
/// would have gone on with the others by now.
bool go_on(CUstream_st* target, bool has_waited) {
    const auto able = streams_that_can_run();
    if (able.empty()) explain_stop("streams wait for what never comes");
    if (!has_waited) {
        CUstream_st* const chosen = choose(able, target);
        if (chosen == nullptr) explain_stop("streams wait for each other");
        return step(*chosen);
    }
    const auto moved = std::ranges::count_if(able, [](CUstream_st* one) { return step(*one); });
    return moved > 0;
}

/// Those that would do more than find themselves in flight, in the order in which they are tried.
std::vector<CUstream_st*> streams_that_can_move() {
    auto able = streams_that_can_run();
    std::erase_if(able, [](const CUstream_st* one) {
        const Quiet quiet;
        const Run& asked = one->queue.front().could_move;
        return asked && !asked();
    });
    if (settings().streams == StreamOrder::random) std::ranges::shuffle(able, random_numbers());
    if (settings().streams == StreamOrder::others) std::ranges::reverse(able);
    return able;
}

/// One piece of work; false if all are in flight, or if it reached an event that the host looks at.
bool move_one_of(const std::vector<CUstream_st*>& able) {
    for (CUstream_st* const one : able) {
        const MarkPointer reached = one->queue.front().reaches;
        if (step(*one)) return reached == nullptr || !reached->is_looked_at;
    }
    return false;
}

/// Pieces of work that run at most when the host looks whether an event has been reached: one, so
/// that what it does too early meets as little done as can be, and more with each look of a host
/// that only waits, since opening the memory of devices takes longer than most of them.
int pieces_of_this_look() {
    constexpr int most = 256;
    static unsigned long serial_then = 0;
    static int pieces = 1;
    pieces =
        std::exchange(serial_then, last_serial()) == last_serial() ? std::min(2 * pieces, most) : 1;
    return pieces;
}

/// For a message of another rank, which may need this core to send it.
void wait_a_moment(bool has_waited) {
    constexpr auto nap = std::chrono::microseconds(50);
    if (has_waited) {
        std::this_thread::sleep_for(nap);
    } else {
        sched_yield();
    }
}

}  // namespace

void advance(cudaStream_t target, const std::function<bool()>& is_done) {
    using Clock = std::chrono::steady_clock;
    constexpr int patience = 200;
    constexpr auto longest_flight = std::chrono::seconds(60);
    if (is_done()) return;
    const DeviceMemoryOpen open;
    int tries = 0;
    Clock::time_point since;
    while (!is_done()) {
        if (go_on(target, tries > patience)) {
            tries = 0;
            continue;
        }
        if (tries++ == 0) since = Clock::now();
        if (Clock::now() - since > longest_flight) explain_stop("no progress for a minute");
        wait_a_moment(tries > patience);
    }
    check_ends_of_allocations();
}

void finish(cudaStream_t stream) {
    advance(stream, [=] { return stream->queue.empty(); });
    acquire(&stream->work_so_far);
    host_reaches(stream->time_s);
}

void finish_all(int device, bool blocking_only) {
    for (std::size_t i = 0; i < all_streams().size(); ++i) {
        CUstream_st* const stream = all_streams()[i].get();
        const bool is_blocking = (stream->flags & cudaStreamNonBlocking) == 0;
        if (stream->device == device && (is_blocking || !blocking_only)) finish(stream);
    }
}

void progress() {
    std::optional<DeviceMemoryOpen> open;
    for (int left = pieces_of_this_look(); left > 0; --left) {
        const auto able = streams_that_can_move();
        if (able.empty()) return;
        if (!open) open.emplace();
        if (!move_one_of(able)) return;
    }
}

}  // namespace shardstone::emulated
