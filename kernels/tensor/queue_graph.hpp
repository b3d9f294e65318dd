// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/tensor/cuda.hpp"

namespace shardstone {

/// The work of a function as a CUDA graph: the GPU gets all of it at once, knows beforehand what
/// follows on what, and needs less time between kernels than a host that gives them one by one.
///
/// What is enqueued is noted anew each time, since the host may give other values (rates, scales,
/// the places of what it copies); as long as the work has the same shape, the executable graph
/// only takes these values over. Nothing may be awaited, read or allocated on the GPU meanwhile.
class QueueGraph {
  public:
    explicit QueueGraph(CudaQueue queue);
    QueueGraph(const QueueGraph&) = delete;
    QueueGraph& operator=(const QueueGraph&) = delete;
    ~QueueGraph();

    /// Notes what `enqueue` gives to the queue, and to streams that wait for it and that it waits
    /// for again. Whatever `enqueue` throws leaves nothing noted.
    void note(const std::function<void()>& enqueue);
    /// Enqueues what was noted last.
    void launch();
    /// Whether the GPU has run all that was launched.
    bool has_run() const;
    /// How often the executable graph had to be made: 1 if all that was noted had one shape.
    std::int64_t times_made() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Which note() is under way, counted from 1; 0 if none is. What waits in host memory for a copy
/// that is being noted must stay until that has run.
std::uint64_t noting_of_graph() noexcept;

}  // namespace shardstone
