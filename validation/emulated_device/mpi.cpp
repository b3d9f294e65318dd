// SPDX-License-Identifier: BSD-3-Clause
// A double of an MPI that takes memory of GPUs. The MPI below it would touch that memory as the
// host does, so its messages are copies. Such an MPI knows no streams: it reads when a send is
// called, and writes when a test finds that a message is there, whatever streams have still to do.
#include <mpi.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/sanitizers.hpp"

namespace shardstone::emulated {

namespace {

/// The copy that MPI has of a message.
struct Letter {
    std::vector<std::byte> bytes;
    void* to = nullptr;  ///< where it belongs on the device; null: it was sent from there
};

/// Sends that are complete at once may share a request.
std::multimap<MPI_Request, Letter>& under_way() {
    static std::multimap<MPI_Request, Letter> letters;
    return letters;
}

bool is_on_device(const void* data) {
    const std::lock_guard lock(one_call_at_a_time());
    return device_allocation(data) != nullptr;
}

std::size_t bytes_of(int count, MPI_Datatype type) {
    int size_bytes = 0;
    PMPI_Type_size(type, &size_bytes);
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(size_bytes);
}

void copy_from_device(std::vector<std::byte>& bytes, const void* from) {
    const std::lock_guard lock(one_call_at_a_time());
    const DeviceMemoryOpen open;
    note_read(from, bytes.size());
    std::memcpy(bytes.data(), from, bytes.size());
}

void copy_to_device(void* to, const std::vector<std::byte>& bytes) {
    const std::lock_guard lock(one_call_at_a_time());
    const DeviceMemoryOpen open;
    note_write(to, bytes.size());
    std::memcpy(to, bytes.data(), bytes.size());
}

void deliver(MPI_Request request) {
    const auto found = under_way().find(request);
    if (found == under_way().end()) return;
    if (found->second.to != nullptr) copy_to_device(found->second.to, found->second.bytes);
    under_way().erase(found);
}

}  // namespace

}  // namespace shardstone::emulated

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

int MPIX_Query_cuda_support() {
    return 1;
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
    if (!is_on_device(data)) return PMPI_Isend(data, count, type, peer, tag, comm, request);
    Letter letter{std::vector<std::byte>(bytes_of(count, type))};
    copy_from_device(letter.bytes, data);
    const int code = PMPI_Isend(letter.bytes.data(), count, type, peer, tag, comm, request);
    under_way().emplace(*request, std::move(letter));
    return code;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
    if (!is_on_device(data)) return PMPI_Irecv(data, count, type, peer, tag, comm, request);
    Letter letter{std::vector<std::byte>(bytes_of(count, type)), data};
    const int code = PMPI_Irecv(letter.bytes.data(), count, type, peer, tag, comm, request);
    under_way().emplace(*request, std::move(letter));
    return code;
}

int MPI_Testsome(int count, MPI_Request* requests, int* finished, int* which,
                 MPI_Status* statuses) {
    const std::vector<MPI_Request> before(requests, requests + count);
    const int code = PMPI_Testsome(count, requests, finished, which, statuses);
    for (int i = 0; i < *finished; ++i) deliver(before[static_cast<std::size_t>(which[i])]);
    return code;
}

}  // extern "C"
