// SPDX-License-Identifier: BSD-3-Clause
// Collectives on a GPU may be given data in ordinary memory: copied to the device and back.
#include "collectives/executors/gpu/executor_cuda.hpp"

#include <algorithm>
#include <utility>

#include "collectives/operation/layout.hpp"

namespace shardstone::collectives {

DeviceExecutor::DeviceExecutor(const Communicator& communicator, const Operation& operation,
                               const CollectiveSpec& spec, DeviceLane lane)
    : lane_(std::move(lane)), memory_(*lane_.stream) {
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

std::byte* DeviceExecutor::Stand::take(const DeviceMemory& device) {
    if (memory == nullptr) memory = device.allocate(size_bytes);
    return memory.get();
}

const std::byte* DeviceExecutor::on_device(const void* input, Stand& stand) {
    const auto* const given = static_cast<const std::byte*>(input);
    if (stand.size_bytes == 0 || !is_host_memory(given)) return given;
    copy_anywhere(stand.take(memory_), given, stand.size_bytes);
    return stand.memory.get();
}

std::byte* DeviceExecutor::result_on_device(void* output) {
    if (output_.size_bytes == 0 || !is_host_memory(output)) return static_cast<std::byte*>(output);
    host_result_ = output;
    result_ = &output_;
    return output_.take(memory_);
}

void DeviceExecutor::use_device() const {
    SHARDSTONE_CUDA(cudaSetDevice(lane_.device));
}

void DeviceExecutor::start(const void* input, void* output) {
    use_device();
    host_result_ = nullptr;
    done_ = false;
    if (input != output) {
        begin(on_device(input, input_), result_on_device(output));
        return;
    }
    const auto* const buffer = on_device(input, in_place_);
    if (buffer != input) {
        host_result_ = output;
        result_ = &in_place_;
    }
    begin(buffer, const_cast<std::byte*>(buffer));  // the caller's own output
}

Executor::Progress DeviceExecutor::progress() {
    if (done_) return Progress::done;
    use_device();
    const Progress made = advance();
    if (made != Progress::done) return made;
    if (host_result_ != nullptr) {
        copy_anywhere(host_result_, result_->memory.get(), result_->size_bytes);
    }
    done_ = true;
    return Progress::done;
}

}  // namespace shardstone::collectives
