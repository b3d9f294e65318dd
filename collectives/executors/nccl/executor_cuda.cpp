// SPDX-License-Identifier: BSD-3-Clause
// A collective enqueued on a CUDA stream, with host data copied to the device and back.
#include "collectives/executors/nccl/executor_cuda.hpp"

#include <algorithm>

#include "collectives/operation/layout.hpp"

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
    : context_(ready_context(communicator)), memory_(context_->stream()) {
    const int size = communicator.size();
    const RankRole role{size, spec.root, communicator.rank()};
    const BlockLayout layout(spec, operation.sharing,
                             {{0, natural_blocks(operation.sharing, size)}}, size);
    const std::int64_t element_bytes = spec.vector.element_bytes();
    input_.size_bytes = layout.span_of(operation.before, role).count * element_bytes;
    output_.size_bytes = layout.span_of(operation.after, role).count * element_bytes;
    in_place_.size_bytes = layout.same_on_all_ranks()
                               ? spec.vector.size_bytes()
                               : std::max(input_.size_bytes, output_.size_bytes);
}

std::byte* NcclExecutor::Stand::take(const DeviceMemory& device) {
    if (memory == nullptr) memory = device.allocate(size_bytes);
    return memory.get();
}

const std::byte* NcclExecutor::on_device(const void* input, Stand& stand) {
    const auto* const given = static_cast<const std::byte*>(input);
    if (stand.size_bytes == 0 || !is_host_memory(given)) return given;
    copy_anywhere(stand.take(memory_), given, stand.size_bytes);
    return stand.memory.get();
}

std::byte* NcclExecutor::result_on_device(void* output) {
    if (output_.size_bytes == 0 || !is_host_memory(output)) return static_cast<std::byte*>(output);
    host_result_ = output;
    result_ = &output_;
    return output_.take(memory_);
}

void NcclExecutor::start(const void* input, void* output) {
    context_->use_device();
    host_result_ = nullptr;
    done_ = false;
    if (input != output) {
        enqueue(on_device(input, input_), result_on_device(output));
    } else {
        const auto* const buffer = on_device(input, in_place_);
        if (buffer != input) {
            host_result_ = output;
            result_ = &in_place_;
        }
        enqueue(buffer, const_cast<std::byte*>(buffer));  // the caller's own output
    }
    end_.record(context_->stream().get());
}

Executor::Progress NcclExecutor::progress() {
    if (done_) return Progress::done;
    if (!end_.reached()) {
        context_->check();
        return Progress::none;
    }
    if (host_result_ != nullptr) {
        context_->use_device();
        copy_anywhere(host_result_, result_->memory.get(), result_->size_bytes);
    }
    done_ = true;
    return Progress::done;
}

}  // namespace shardstone::collectives
