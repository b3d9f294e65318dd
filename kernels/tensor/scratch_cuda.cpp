// SPDX-License-Identifier: BSD-3-Clause
// Each stream's scratch memory.
#include <map>

#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/scratch.hpp"

namespace shardstone {

float* scratch(CudaQueue queue, std::int64_t count) {
    // Never freed: when static objects are destroyed, the driver may have gone.
    static auto& of_streams = *new std::map<CUstream_st*, Buffer<float, Cuda>>;
    Buffer<float, Cuda>& mine = of_streams[queue.stream()];
    if (mine.size() < count) mine = Buffer<float, Cuda>(count);
    return mine.data();
}

}  // namespace shardstone
