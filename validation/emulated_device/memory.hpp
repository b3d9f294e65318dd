// SPDX-License-Identifier: BSD-3-Clause
// Memory of the emulated devices: pages of their own, closed to the host, between pages that
// nothing can touch; addresses are never used again. Bytes that nobody wrote are 0xff, a NaN in
// every type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace shardstone::emulated {

/// Ordered allocations exist from their call, may be touched when their stream has come to them,
/// and no more when it has come to where they are freed.
enum class State { promised, live, freed };

struct Allocation {
    char* data = nullptr;
    std::size_t bytes = 0;
    int device = 0;
    State state = State::promised;
    int file = -1;            ///< that its pages are of, so that processes can share them
    bool is_foreign = false;  ///< another process allocated it
};

/// Memory that can be touched when it has been opened; null if the device has not so much left.
void* allocate_on_device(std::size_t bytes, int device);
void open_allocation(void* data);
void free_on_device(void* data);
/// What an address belongs to, freed or not, the end of an allocation being its own; or null.
const Allocation* device_allocation(const void* address);
std::int64_t device_bytes_in_use(int device);

/// Moves live memory into a file without a name, which other processes can map: its descriptor,
/// which stays open until the memory is freed.
int share_on_device(void* data);
/// Maps memory of that size which another process has shared. Takes over the descriptor, by whose
/// lock the other process knows of it.
void* map_on_device(int file, std::size_t bytes, int device);
void unmap_on_device(void* data);

/// Device memory may be touched while one of these exists: kernels and copies run.
class DeviceMemoryOpen {
  public:
    DeviceMemoryOpen();
    ~DeviceMemoryOpen();
    DeviceMemoryOpen(const DeviceMemoryOpen&) = delete;
    DeviceMemoryOpen& operator=(const DeviceMemoryOpen&) = delete;
};
/// Nor while one of these does: the host's function runs as work of a stream.
class DeviceMemoryClosed {
  public:
    DeviceMemoryClosed();
    ~DeviceMemoryClosed();
    DeviceMemoryClosed(const DeviceMemoryClosed&) = delete;
    DeviceMemoryClosed& operator=(const DeviceMemoryClosed&) = delete;

  private:
    int depth_;
};

/// Faults if something was written beyond the end of an allocation, by a few bytes. Device memory
/// is open.
void check_ends_of_allocations();

/// Why this address of the devices' memory could not be touched; empty if it is not one of theirs.
std::string explain_access(const void* address);

/// From now on a wrong access to device memory is a fault with its reason, not just SIGSEGV.
void explain_wrong_accesses();

/// Pinned memory of the host, which devices can reach.
void* allocate_pinned(std::size_t bytes);
/// Faults unless it is pinned memory.
void free_pinned(void* data);
/// The one that an address is within: just behind it may be other memory of the host.
const Allocation* pinned_allocation(const void* address);

}  // namespace shardstone::emulated
