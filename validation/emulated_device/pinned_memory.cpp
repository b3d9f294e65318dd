// SPDX-License-Identifier: BSD-3-Clause
// Pinned memory of the host: ordinary memory that is known by its addresses.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/memory.hpp"

namespace shardstone::emulated {

namespace {

std::map<const char*, Allocation>& pinned() {
    static std::map<const char*, Allocation> all;
    return all;
}

}  // namespace

void* allocate_pinned(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    void* data = nullptr;
    if (posix_memalign(&data, alignment, std::max<std::size_t>(bytes, 1)) != 0) return nullptr;
    std::memset(data, 0xff, bytes);
    pinned()[static_cast<char*>(data)] = {static_cast<char*>(data), bytes, 0, State::live};
    return data;
}

void free_pinned(void* data) {
    if (pinned().erase(static_cast<char*>(data)) == 0) fault("memory is freed that is not pinned");
    std::free(data);
}

const Allocation* pinned_allocation(const void* address) {
    const auto* const wanted = static_cast<const char*>(address);
    auto after = pinned().upper_bound(wanted);
    if (after == pinned().begin()) return nullptr;
    const Allocation& allocation = (--after)->second;
    return wanted < allocation.data + allocation.bytes ? &allocation : nullptr;
}

}  // namespace shardstone::emulated
