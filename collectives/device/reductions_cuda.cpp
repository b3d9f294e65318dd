// SPDX-License-Identifier: BSD-3-Clause
// Reductions on the rank's GPU by the kernels of collectives, enqueued one after another.
#include <memory>

#include "collectives/device/reduce_cuda.hpp"
#include "collectives/device/reductions.hpp"
#include "collectives/device/runtime_cuda.hpp"

namespace shardstone::collectives {

namespace {

std::shared_ptr<std::byte> zeros(std::int64_t size_bytes, cudaStream_t stream) {
    auto memory = device_memory(size_bytes);
    SHARDSTONE_CUDA(cudaMemsetAsync(memory.get(), 0, static_cast<std::size_t>(size_bytes), stream));
    return memory;
}

std::function<void(int)> make_reductions(ElementType type, Reduction reduction,
                                         std::int64_t count) {
    const auto stream = std::make_shared<const CudaStream>();
    const auto size_bytes = count * static_cast<std::int64_t>(element_size(type));
    const auto mine = zeros(size_bytes, stream->get()), theirs = zeros(size_bytes, stream->get());
    const DeviceReduceFunction reduce = device_reduce_function(type, reduction);
    return [=](int times) {
        for (int i = 0; i < times; ++i) reduce(mine.get(), theirs.get(), count, stream->get());
        SHARDSTONE_CUDA(cudaStreamSynchronize(stream->get()));
    };
}

const DeviceReductions registration(make_reductions);

}  // namespace

}  // namespace shardstone::collectives
