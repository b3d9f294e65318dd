// SPDX-License-Identifier: BSD-3-Clause
// A double of an MPI that takes memory of GPUs. The MPI below it would touch that memory as the
// host does, so its messages are copies. Such an MPI knows no streams: it reads when a send is
// called, and writes when a test finds that a message is there, whatever streams have still to do.
// Nobody may change what is being sent, and what is being received has no value yet; in pinned
// memory, too.
#include <fmt/format.h>
#include <mpi.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/sanitizers.hpp"
#include "validation/emulated_device/settings.hpp"

namespace shardstone::emulated {

namespace {

/// The copy that MPI has of a message.
struct Letter {
    std::vector<std::byte> bytes;
    void* place = nullptr;  ///< where it comes from or belongs
    bool arrives = false;
};

/// Sends that are complete at once may share a request.
std::multimap<MPI_Request, Letter>& under_way() {
    static std::multimap<MPI_Request, Letter> letters;
    return letters;
}

bool devices_reach(const void* data) {
    const std::lock_guard lock(one_call_at_a_time());
    const bool on_device = device_allocation(data) != nullptr;
    if (on_device && !settings().mpi_takes_memory) fault("MPI: it takes no memory of a GPU");
    return on_device || pinned_allocation(data) != nullptr;
}

std::size_t bytes_of(int count, MPI_Datatype type) {
    int size_bytes = 0;
    PMPI_Type_size(type, &size_bytes);
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(size_bytes);
}

/// `act` may touch the memory of devices.
template <class Act>
void with_open_memory(Act act) {
    const std::lock_guard lock(one_call_at_a_time());
    const DeviceMemoryOpen open;
    act();
}

void deliver(MPI_Request request) {
    const auto found = under_way().find(request);
    if (found == under_way().end()) return;
    const Letter letter = std::move(found->second);
    under_way().erase(found);
    with_open_memory([&] {
        if (letter.arrives) {
            note_write(letter.place, letter.bytes.size());
            std::memcpy(letter.place, letter.bytes.data(), letter.bytes.size());
        } else if (std::memcmp(letter.place, letter.bytes.data(), letter.bytes.size()) != 0) {
            fault(fmt::format("MPI: a message of {} B was changed while it was sent",
                              letter.bytes.size()));
        }
    });
}

}  // namespace

}  // namespace shardstone::emulated

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

int MPIX_Query_cuda_support() {
    return settings().mpi_takes_memory ? 1 : 0;
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
    if (!devices_reach(data)) return PMPI_Isend(data, count, type, peer, tag, comm, request);
    Letter letter{std::vector<std::byte>(bytes_of(count, type)), const_cast<void*>(data)};
    with_open_memory([&] {
        note_read(data, letter.bytes.size());
        std::memcpy(letter.bytes.data(), data, letter.bytes.size());
    });
    // As if each were too long to be buffered.
    const int code = PMPI_Issend(letter.bytes.data(), count, type, peer, tag, comm, request);
    under_way().emplace(*request, std::move(letter));
    return code;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
    if (!devices_reach(data)) return PMPI_Irecv(data, count, type, peer, tag, comm, request);
    Letter letter{std::vector<std::byte>(bytes_of(count, type)), data, true};
    with_open_memory([&] {
        note_write(data, letter.bytes.size());
        std::memset(data, 0xff, letter.bytes.size());
    });
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
