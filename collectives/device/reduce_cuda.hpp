// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "collectives/reduction/reduction.hpp"

namespace shardstone::collectives {

/// The operation of reduce_function() on arrays in the memory of the device, enqueued in the
/// stream: bitwise the same result, since both use the same element types and operations (except
/// for the payload of a NaN). The arrays are aligned to their element type.
using DeviceReduceFunction = void (*)(void* mine, const void* theirs, std::int64_t count,
                                      cudaStream_t stream);

DeviceReduceFunction device_reduce_function(ElementType type, Reduction reduction);

}  // namespace shardstone::collectives
