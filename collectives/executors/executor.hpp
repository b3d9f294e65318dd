// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/cluster/communicator.hpp"
#include "collectives/executors/reduction.hpp"
#include "kernels/base/element_type.hpp"

namespace shardstone::collectives {

/// The vector that a reducing collective works on.
struct VectorSpec {
    std::int64_t count = 0;
    ElementType type = ElementType::fp32;
    Reduction reduction = Reduction::sum;

    std::int64_t size_bytes() const {
        return count * static_cast<std::int64_t>(element_size(type));
    }
};

/// Runs one prepared in-place collective any number of times, one run at a time.
class Executor {
  public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    /// Begins on `buffer`, which stays the caller's and must stay put until done; never waits.
    virtual void start(void* buffer) = 0;

    enum class Progress : std::uint8_t { none, some, done };
    /// Moves on what can be moved on without waiting. `done` once this rank's result is complete,
    /// and from then on.
    virtual Progress progress() = 0;

    /// From start to done, in the way a caller with nothing else to do would have it.
    virtual void run(void* buffer);
    /// progress() until done; the core is given away in between.
    void wait();

    /// Bytes handed to the messaging library since construction.
    virtual std::int64_t bytes_sent() const noexcept = 0;
};

}  // namespace shardstone::collectives
