// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/waiting.hpp"

namespace shardstone::collectives {

/// Runs one prepared collective any number of times, one run at a time.
///
/// Data: `input` and `output` are one address for a collective in place. Then they are the whole
/// vector, with each rank's share, where there are shares, at its own place in it; an all-to-all
/// replaces what the rank has for the others by what it gets from them. Otherwise `input` holds
/// just what this rank has, `output` receives just what it gets (Collective::input_count(),
/// output_count()), they do not overlap, and the input is not changed.
class Executor : public Awaited {
  public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    /// Begins. The memory stays the caller's and must stay put until done; never waits.
    virtual void start(const void* input, void* output) = 0;
    /// In place.
    void start(void* buffer) { start(buffer, buffer); }

    enum class Progress : std::uint8_t { none, some, done };
    /// Moves on what can be moved on without waiting. `done` once this rank's result is complete,
    /// and from then on.
    virtual Progress progress() = 0;

    /// From start to done, in the way a caller with nothing else to do would have it.
    virtual void run(const void* input, void* output);
    void run(void* buffer) { run(buffer, buffer); }
    /// progress() until done; the core is given away in between.
    virtual void wait();

    /// Bytes handed to the messaging library since construction.
    virtual std::int64_t bytes_sent() const noexcept = 0;
};

}  // namespace shardstone::collectives
