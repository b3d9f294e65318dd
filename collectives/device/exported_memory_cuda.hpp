// SPDX-License-Identifier: BSD-3-Clause
// Memory of a GPU that the other processes of its host can open (CUDA IPC).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace shardstone::collectives {

struct ExportedMemory {
    std::shared_ptr<std::byte> data;
    cudaIpcMemHandle_t handle;  ///< of its first byte
};

/// Uninitialised memory of the current device, nobody else's until the last owner of `data` lets go
/// of it. It then serves others of this process, and is freed when the process ends only: other
/// processes may have it open, and to free it before they have closed it is undefined. So of
/// growing sizes, each at least twice the one before, a process holds twice the largest. One thread
/// uses them. Local. Throws Error if there is no such memory.
ExportedMemory exported_memory(std::int64_t size_bytes);

/// The address at which copies of this process reach memory that another one exported. Opened once,
/// and open until the process ends. The current device has access to that which the memory is on.
/// Local. Throws Error if it cannot be opened.
std::byte* open_exported(const cudaIpcMemHandle_t& handle);

}  // namespace shardstone::collectives
