// SPDX-License-Identifier: BSD-3-Clause
// A collective enqueued on a CUDA stream as a whole, and the end of the stream.
#include "collectives/executors/nccl/executor_cuda.hpp"

#include <utility>

namespace shardstone::collectives {

namespace {

std::shared_ptr<NcclContext> ready_context(Communicator& communicator) {
    auto context = NcclContext::of(communicator);
    context->use_device();  // before members that are of the device
    return context;
}

}  // namespace

NcclExecutor::NcclExecutor(Communicator& communicator, const Operation& operation,
                           const CollectiveSpec& spec)
    : NcclExecutor(communicator, operation, spec, ready_context(communicator)) {}

NcclExecutor::NcclExecutor(const Communicator& communicator, const Operation& operation,
                           const CollectiveSpec& spec, std::shared_ptr<NcclContext> context)
    : DeviceExecutor(communicator, operation, spec, {context->device(), context->shared_stream()}),
      context_(std::move(context)) {}

void NcclExecutor::begin(const std::byte* input, std::byte* output) {
    enqueue(input, output);
    end_.record(stream());
}

Executor::Progress NcclExecutor::advance() {
    if (end_.reached()) return Progress::done;
    context_->check();
    return Progress::none;
}

}  // namespace shardstone::collectives
