// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/base/error.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/queue_graph.hpp"
#include "reference/trainer/exchange_of.hpp"

namespace shardstone::reference {

/// Gives a whole step to the device at once, where its memory space has graphs: not on cores.
template <class Space>
class StepGraph {
  public:
    explicit StepGraph(typename Space::Queue) {}
    void run(ExchangeOf<Space>&, const std::function<void()>&, double) {
        SHARDSTONE_EXPECTS(false);
    }
};

template <>
class StepGraph<Cuda> {
  public:
    explicit StepGraph(CudaQueue queue) : queue_(queue) {}

    /// The work that `enqueue` gives to the GPU, collectives included; returns when it has run.
    /// `longest_s`: of the steps so far.
    void run(DeviceExchange& exchange, const std::function<void()>& enqueue, double longest_s) {
        if (!graph_) graph_.emplace(queue_);
        exchange.begin_noting();
        graph_->note([&] {
            enqueue();
            exchange.end_noting();
        });
        graph_->launch();
        exchange.wait_for_graph([this] { return graph_->has_run(); }, longest_s);
    }
    /// QueueGraph::times_made().
    std::int64_t times_made() const { return graph_ ? graph_->times_made() : 0; }

  private:
    CudaQueue queue_;
    std::optional<QueueGraph> graph_;
};

}  // namespace shardstone::reference
