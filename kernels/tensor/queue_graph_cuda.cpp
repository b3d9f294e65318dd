// SPDX-License-Identifier: BSD-3-Clause
// Captured work of the queue of computations, its executable graph updated from one to the next.
#include <cuda_runtime_api.h>

#include "kernels/base/check_cuda.hpp"
#include "kernels/tensor/queue_graph.hpp"

namespace shardstone {

namespace {

std::uint64_t notings = 0;
bool is_noting = false;

/// A graph as it was captured, which an executable one is made of.
class Captured {
  public:
    explicit Captured(cudaStream_t stream) : stream_(stream) {
        // Relaxed: pinned memory for what the host gives may still be allocated.
        SHARDSTONE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        ++notings;
        is_noting = true;
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    ~Captured() {
        if (is_noting) {  // an exception is on its way, which says more than this could
            cudaStreamEndCapture(stream_, &graph_);
            is_noting = false;
        }
        if (graph_ != nullptr) cudaGraphDestroy(graph_);
    }

    cudaGraph_t end() {
        is_noting = false;
        SHARDSTONE_CUDA(cudaStreamEndCapture(stream_, &graph_));
        return graph_;
    }

  private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
};

}  // namespace

struct QueueGraph::State {
    cudaStream_t stream;
    cudaGraphExec_t executable = nullptr;
    cudaEvent_t end = nullptr;
    std::int64_t times_made = 0;

    bool take_over(cudaGraph_t graph) {
        if (executable == nullptr) return false;
        cudaGraphExecUpdateResultInfo info{};
        const cudaError_t code = cudaGraphExecUpdate(executable, graph, &info);
        if (code == cudaSuccess) return true;
        cudaGetLastError();  // another shape, which is no error
        if (code != cudaErrorGraphExecUpdateFailure) check_cuda(code, "cudaGraphExecUpdate");
        SHARDSTONE_CUDA(cudaGraphExecDestroy(executable));
        executable = nullptr;
        return false;
    }
};

QueueGraph::QueueGraph(CudaQueue queue) : state_(new State{queue.stream()}) {
    SHARDSTONE_CUDA(cudaEventCreateWithFlags(&state_->end, cudaEventDisableTiming));
}

QueueGraph::~QueueGraph() {
    cudaEventDestroy(state_->end);
    if (state_->executable != nullptr) cudaGraphExecDestroy(state_->executable);
}

void QueueGraph::note(const std::function<void()>& enqueue) {
    Captured captured(state_->stream);
    enqueue();
    const cudaGraph_t graph = captured.end();
    if (state_->take_over(graph)) return;
    SHARDSTONE_CUDA(cudaGraphInstantiate(&state_->executable, graph, 0));
    ++state_->times_made;
}

void QueueGraph::launch() {
    SHARDSTONE_CUDA(cudaGraphLaunch(state_->executable, state_->stream));
    SHARDSTONE_CUDA(cudaEventRecord(state_->end, state_->stream));
}

bool QueueGraph::has_run() const {
    const cudaError_t code = cudaEventQuery(state_->end);
    if (code != cudaErrorNotReady) check_cuda(code, "cudaEventQuery");
    return code == cudaSuccess;
}

std::int64_t QueueGraph::times_made() const {
    return state_->times_made;
}

std::uint64_t noting_of_graph() noexcept {
    return is_noting ? notings : 0;
}

}  // namespace shardstone
