// SPDX-License-Identifier: BSD-3-Clause
// Events between the stream of computations and that of an NCCL communicator.
#include <algorithm>
#include <memory>
#include <vector>

#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/nccl/context_cuda.hpp"
#include "collectives/executors/stream_order.hpp"

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
        auto event =
            std::ranges::find_if(events_, [](const auto& one) { return one.use_count() == 1; });
        if (event == events_.end()) event = events_.insert(event, std::make_shared<CudaEvent>());
        (*event)->record(context_->stream().get());
        return *event;
    }

    // A stream has noted what it waits for when the call returns: the event can be recorded anew.
    void computations_wait(const Mark& mark) override { event_of(mark).hold_up(computations_); }

    bool reached(const Mark& mark) const override { return event_of(mark).reached(); }

    void check() const override { context_->check(); }

  private:
    static CudaEvent& event_of(const Mark& mark) { return *static_cast<CudaEvent*>(mark.get()); }

    std::shared_ptr<NcclContext> context_;
    cudaStream_t computations_;
    CudaEvent computed_;
    /// Kept, so that only the first steps make some.
    std::vector<std::shared_ptr<CudaEvent>> events_;
};

const StreamOrderSource source([](Communicator& communicator, CUstream_st* computations) {
    return std::make_unique<NcclStreamOrder>(communicator, computations);
});

}  // namespace

}  // namespace shardstone::collectives
