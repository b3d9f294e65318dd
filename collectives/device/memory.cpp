// SPDX-License-Identifier: BSD-3-Clause
// Ordinary host memory for the blocks of a collective, aligned to cache lines.
#include "collectives/device/memory.hpp"

#include <cstring>
#include <new>

namespace shardstone::collectives {

namespace {

class HostMemory : public Memory {
    std::shared_ptr<std::byte> allocate(std::int64_t size_bytes) const override {
        constexpr std::align_val_t line{64};
        auto* const memory =
            static_cast<std::byte*>(::operator new(static_cast<std::size_t>(size_bytes), line));
        return {memory, [](std::byte* data) { ::operator delete(data, line); }};
    }

    void copy(std::byte* to, const std::byte* from, std::int64_t size_bytes) const override {
        std::memcpy(to, from, static_cast<std::size_t>(size_bytes));
    }
};

}  // namespace

const Memory& host_memory() {
    static const HostMemory memory;
    return memory;
}

}  // namespace shardstone::collectives
