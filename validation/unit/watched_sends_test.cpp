// SPDX-License-Identifier: BSD-3-Clause
// The program's own MPI_Isend, found before that of the library, which it calls by its other name.
// MPI is called without its header: handles are integers or pointers, of a register in both cases.
#include "validation/unit/watched_sends.hpp"

#include <cstdint>
#include <utility>

namespace shardstone::validation {

namespace {

WatchedSends* watching = nullptr;

}  // namespace

WatchedSends::WatchedSends(Look look) : look_(std::move(look)) {
    watching = this;
}

WatchedSends::~WatchedSends() {
    watching = nullptr;
}

const void* WatchedSends::pass_on(std::span<const std::byte> data, int to) {
    LeavingMessage message{data, to};
    look_(message);
    if (message.in_place.empty()) return data.data();
    return altered_.emplace_back(std::move(message.in_place)).data();
}

}  // namespace shardstone::validation

extern "C" int PMPI_Isend(const void* data, int count, std::uintptr_t type, int to, int tag,
                          std::uintptr_t communicator, void* request);
extern "C" int PMPI_Type_size(std::uintptr_t type, int* size_bytes);

extern "C" int MPI_Isend(const void* data, int count, std::uintptr_t type, int to, int tag,
                         std::uintptr_t communicator, void* request) {
    if (auto* const watch = shardstone::validation::watching; watch != nullptr) {
        int element_bytes = 0;
        PMPI_Type_size(type, &element_bytes);
        const auto size_bytes =
            static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes);
        data = watch->pass_on({static_cast<const std::byte*>(data), size_bytes}, to);
    }
    return PMPI_Isend(data, count, type, to, tag, communicator, request);
}
