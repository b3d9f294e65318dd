// SPDX-License-Identifier: BSD-3-Clause
// Events between the stream of computations and that of an NCCL communicator.
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "collectives/executors/nccl/context_cuda.hpp"
#include "collectives/executors/stream_order.hpp"
#include "kernels/base/timed_event_cuda.hpp"

namespace shardstone::collectives {

namespace {

class NcclStreamOrder : public StreamOrder {
  public:
    NcclStreamOrder(Communicator& communicator, cudaStream_t computations)
        : context_(NcclContext::of(communicator)), computations_(computations) {
        context_->use_device();
    }

    void collectives_wait() override {
        computed_.record(computations_);
        computed_.hold_up(context_->stream().get());
    }

    Mark mark() override {
        std::shared_ptr<CudaEvent> event;
        if (free_.empty()) {
            event = std::make_shared<CudaEvent>();
        } else {
            event = std::move(free_.back());
            free_.pop_back();
        }
        event->record(context_->stream().get());
        return event;
    }

    // A stream has noted what it waits for when the call returns: the event can be recorded anew.
    void computations_wait(Mark mark) override {
        auto event = std::static_pointer_cast<CudaEvent>(std::move(mark));
        if (waits_ == wait_times_.size()) wait_times_.emplace_back();
        WaitTime& time = wait_times_[waits_++];
        time.begin.record(computations_);
        event->hold_up(computations_);
        time.end.record(computations_);
        free_.push_back(std::move(event));
    }

    double held_up_s() override {
        double total_s = 0.0;
        for (std::size_t i = 0; i < waits_; ++i) {
            total_s += wait_times_[i].end.since_s(wait_times_[i].begin);
        }
        waits_ = 0;
        return total_s;
    }

    void check() const override { context_->check(); }

  private:
    struct WaitTime {
        TimedEvent begin, end;
    };

    std::shared_ptr<NcclContext> context_;
    cudaStream_t computations_;
    CudaEvent computed_;
    std::vector<std::shared_ptr<CudaEvent>> free_;
    std::deque<WaitTime> wait_times_;  ///< kept, so that only the first steps make events
    std::size_t waits_ = 0;            ///< of these, since the last held_up_s()
};

const StreamOrderSource source([](Communicator& communicator, CUstream_st* computations) {
    return std::make_unique<NcclStreamOrder>(communicator, computations);
});

}  // namespace

}  // namespace shardstone::collectives
