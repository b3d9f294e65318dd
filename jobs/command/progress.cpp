// SPDX-License-Identifier: BSD-3-Clause
// The line on stderr that says how far a long command is.
#include "jobs/command/progress.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "kernels/base/clock.hpp"
#include "kernels/base/threads.hpp"

namespace shardstone::command {

namespace {

constexpr double between_lines_s = 3.0;
/// Longer, so that the thread that works speaks where it can: it knows what is new.
constexpr double silence_s = 4.0;

}  // namespace

ProgressLine::ProgressLine(bool speaks, std::string what)
    : begin_s_(now_s()), what_(std::move(what)), last_s_(begin_s_) {
    if (!speaks) return;
    thread_ = start_thread([this] { repeat(); });
}

ProgressLine::~ProgressLine() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard held(mutex_);
        ends_ = true;
    }
    ended_.notify_one();
    thread_.join();
}

bool ProgressLine::due() {
    if (!thread_.joinable()) return false;
    const std::lock_guard held(mutex_);
    return now_s() - last_s_ >= between_lines_s;
}

void ProgressLine::say(const std::string& what) {
    if (!thread_.joinable()) return;
    const std::lock_guard held(mutex_);
    what_ = what;
    if (now_s() - last_s_ >= between_lines_s) print();
}

void ProgressLine::told(const std::string& what) {
    if (!thread_.joinable()) return;
    const std::lock_guard held(mutex_);
    what_ = what;
    last_s_ = now_s();
}

void ProgressLine::print() {
    last_s_ = now_s();
    fmt::print(stderr, "shardstone: {:.0f} s: {}\n", last_s_ - begin_s_, what_);
}

void ProgressLine::repeat() {
    std::unique_lock held(mutex_);
    while (!ends_) {
        const double silent_s = now_s() - last_s_;
        if (silent_s >= silence_s) {
            print();
        } else {
            ended_.wait_for(held, std::chrono::duration<double>(silence_s - silent_s));
        }
    }
}

}  // namespace shardstone::command
