// SPDX-License-Identifier: BSD-3-Clause
// Functions of the CUDA runtime: device memory that several processes of a host share. Its pages
// are those of a file without a name, which the others open by process and descriptor, so that
// nothing is left behind.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>

#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/settings.hpp"

namespace shardstone::emulated {

namespace {

constexpr std::uint64_t seal = 0x73686172'64697063;

/// What is in a handle.
struct Passport {
    std::uint64_t sealed;
    std::uint64_t inode;  ///< of the file: a descriptor may serve another one by now
    std::uint64_t bytes;
    std::int32_t process, file, device;
};
static_assert(sizeof(Passport) <= sizeof(cudaIpcMemHandle_t));

/// Memory of other processes, by its handle.
struct Opened {
    void* data;
    int times;
};
std::map<std::string, Opened>& opened() {
    static std::map<std::string, Opened> all;
    return all;
}

std::uint64_t inode_of(int file) {
    struct stat status {};
    return fstat(file, &status) == 0 ? status.st_ino : 0;
}

cudaError_t describe(cudaIpcMemHandle_t& handle, void* memory) {
    const Allocation* const found = device_allocation(memory);
    const bool is_own = found != nullptr && found->data == memory && found->state == State::live &&
                        !found->is_foreign;
    if (!is_own) return cudaErrorInvalidValue;
    const int file = share_on_device(memory);
    const Passport passport{seal, inode_of(file), found->bytes, getpid(), file, found->device};
    handle = {};
    std::memcpy(&handle, &passport, sizeof passport);
    return cudaSuccess;
}

/// A descriptor of its own for the file, with a lock, or -1.
int file_of(const Passport& passport) {
    const auto path = fmt::format("/proc/{}/fd/{}", passport.process, passport.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return -1;
    if (inode_of(file) == passport.inode && flock(file, LOCK_SH | LOCK_NB) == 0) return file;
    close(file);
    return -1;
}

cudaError_t open_memory(void** memory, const cudaIpcMemHandle_t& handle) {
    Passport passport{};
    std::memcpy(&passport, &handle, sizeof passport);
    if (passport.sealed != seal) return cudaErrorInvalidResourceHandle;
    if (passport.process == getpid()) return cudaErrorDeviceUninitialized;
    if (passport.device >= settings().devices) return cudaErrorInvalidDevice;
    if (!settings().peers && passport.device != current_device()) {
        return cudaErrorPeerAccessUnsupported;
    }
    Opened& open = opened()[std::string(handle.reserved, sizeof handle.reserved)];
    if (open.times == 0) {
        const int file = file_of(passport);
        if (file < 0) return cudaErrorInvalidResourceHandle;
        open.data = map_on_device(file, passport.bytes, passport.device);
    }
    ++open.times;
    *memory = open.data;
    return cudaSuccess;
}

cudaError_t close_memory(void* memory) {
    for (auto& [handle, open] : opened()) {
        if (open.times == 0 || open.data != memory) continue;
        if (--open.times == 0) unmap_on_device(memory);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

}  // namespace

}  // namespace shardstone::emulated

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
    return call("cudaIpcGetMemHandle", [&] { return describe(*handle, memory); });
}

cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned flags) {
    return call("cudaIpcOpenMemHandle", [&] {
        if (flags != cudaIpcMemLazyEnablePeerAccess) return cudaErrorInvalidValue;
        return open_memory(memory, handle);
    });
}

cudaError_t cudaIpcCloseMemHandle(void* memory) {
    return call("cudaIpcCloseMemHandle", [&] { return close_memory(memory); });
}

}  // extern "C"
