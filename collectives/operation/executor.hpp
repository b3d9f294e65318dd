// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/waiting.hpp"

namespace shardstone::collectives {

/// Runs one prepared collective any number of times, one run at a time.
///
/// Data: for an in-place collective `input` and `output` are the same address, of the whole vector,
/// with each rank's share, if there are shares, at its own offset; an all-to-all replaces the data
/// for the other ranks by the data from them. Otherwise `input` holds only this rank's input and
/// `output` receives only its output (Collective::input_count(), output_count()); they do not
/// overlap, and the input is not changed.
class Executor : public Awaited {
  public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    /// Starts the run; never blocks. The memory remains the caller's and must remain valid until
    /// done.
    virtual void start(const void* input, void* output) = 0;
    /// In place.
    void start(void* buffer) { start(buffer, buffer); }

    enum class Progress : std::uint8_t { none, some, done };
    /// Makes all progress that is possible without blocking. Returns `done` once this rank's result
    /// is complete, and from then on.
    virtual Progress progress() = 0;

    /// Runs from start to done, for a caller with nothing else to do.
    virtual void run(const void* input, void* output);
    void run(void* buffer) { run(buffer, buffer); }
    /// Calls progress() until done; yields the core in between.
    virtual void wait();

    /// Bytes handed to the messaging library since construction.
    virtual std::int64_t bytes_sent() const noexcept = 0;
};

}  // namespace shardstone::collectives
