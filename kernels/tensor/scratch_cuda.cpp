// SPDX-License-Identifier: BSD-3-Clause
// Each stream's scratch memory.
#include <map>
#include <utility>

#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/scratch.hpp"

namespace shardstone {

float* scratch(CudaQueue queue, std::int64_t count, ScratchOf use) {
    // Never freed: when static objects are destroyed, the driver may have gone.
    static auto& of_streams =
        *new std::map<std::pair<CUstream_st*, ScratchOf>, Buffer<float, Cuda>>;
    Buffer<float, Cuda>& mine = of_streams[{queue.stream(), use}];
    if (mine.size() < count) mine = Buffer<float, Cuda>(count);
    return mine.data();
}

}  // namespace shardstone
