// SPDX-License-Identifier: BSD-3-Clause
// A double of NCCL, of what we call and no more, for ranks of MPI with an emulated device each. It
// calls MPI itself, not its double, and in the name of a stream: what MPI does with its own memory
// is nothing that streams are to be ordered for.
#include <nccl.h>

#include <algorithm>
#include <cstring>

#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/copies.hpp"
#include "validation/emulated_device/nccl_operations.hpp"
#include "validation/emulated_device/nccl_reduction.hpp"
#include "validation/emulated_device/sanitizers.hpp"
#include "validation/emulated_device/streams.hpp"

namespace shardstone::emulated {

namespace {

/// A function of NCCL, by its name and what it does if it was not ordered to fail.
template <class Body>
ncclResult_t nccl_call(const char* name, Body body) {
    const std::lock_guard lock(one_call_at_a_time());
    if (general_failure() != cudaSuccess) return ncclUnhandledCudaError;
    if (ordered_failure(name) != cudaSuccess) return ncclSystemError;
    return body();
}

bool is_usable(const ncclComm* comm) {
    return comm != nullptr && !comm->is_aborted;
}

int bytes_of_message(std::size_t bytes) {
    return static_cast<int>(bytes);  // no test sends 2 GiB
}

/// As of copies, when it is enqueued.
void expect_device(const char* call, const void* data, std::size_t bytes) {
    if (bytes > 0) place_of(call, data, {bytes}, true);
}

void read_into(Flight& flight, const void* data, std::size_t bytes) {
    note_read(data, bytes);
    flight.sent.resize(bytes);
    if (bytes > 0) std::memcpy(flight.sent.data(), data, bytes);
}

void write(void* data, const void* from, std::size_t bytes) {
    note_write(data, bytes);
    if (bytes > 0) std::memcpy(data, from, bytes);
}

/// What a rank gives and gets in a collective; a rank may give or get nothing.
struct Exchange {
    const char* name;
    ncclComm_t comm;
    cudaStream_t stream;
    const void* from;        ///< or null
    std::size_t sent_bytes;  ///< of each rank, the same on all
    void* to;                ///< or null
    std::size_t received_bytes;
};

/// A collective in which all ranks see what all give: `finish` makes the result of it.
template <class Finish>
ncclResult_t submit_collective(const Exchange& one, Finish finish) {
    if (!is_usable(one.comm)) return ncclInvalidArgument;
    if (one.from != nullptr) expect_device(one.name, one.from, one.sent_bytes);
    if (one.to != nullptr) expect_device(one.name, one.to, one.received_bytes);
    const auto begin = [one](Flight& flight) {
        flight.sent.resize(one.sent_bytes);
        if (one.from != nullptr) read_into(flight, one.from, one.sent_bytes);
        flight.arrived.resize(one.sent_bytes * static_cast<std::size_t>(one.comm->size));
        const int bytes = bytes_of_message(one.sent_bytes);
        const Quiet in_mpi;
        PMPI_Iallgather(flight.sent.data(), bytes, MPI_BYTE, flight.arrived.data(), bytes, MPI_BYTE,
                        one.comm->ranks, &flight.request);
    };
    return submit({one.name, one.stream, begin, [one, finish](Flight& flight) {
                       if (one.to != nullptr) finish(flight.arrived.data());
                   }});
}

/// The vectors of all ranks reduced, of which this rank gets `share` elements from `first` on.
ncclResult_t submit_reduction(const Exchange& one, std::size_t count, std::size_t first,
                              std::size_t share, ncclDataType_t type, ncclRedOp_t operation) {
    return submit_collective(one, [=](const std::byte* all) {
        std::vector<std::byte> reduced(count * size_of(type));
        reduce(reduced.data(), all, count, one.comm->size, type, operation);
        write(one.to, reduced.data() + first * size_of(type), share * size_of(type));
    });
}

}  // namespace

}  // namespace shardstone::emulated

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

const char* ncclGetErrorString(ncclResult_t code) {
    return code == ncclSuccess ? "no error" : "an error of the double";
}

ncclResult_t ncclGetVersion(int* version) {
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char* ncclGetLastError(ncclComm_t) {
    return "";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    return nccl_call("ncclGetUniqueId", [&] {
        *id = new_id();
        return ncclSuccess;
    });
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
    return nccl_call("ncclCommInitRank", [&] {
        if (size < 1 || rank < 0 || rank >= size) return ncclInvalidArgument;
        *comm = new ncclComm{ranks_of(id, size, rank), rank, size};
        return ncclSuccess;
    });
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    return nccl_call("ncclCommDestroy", [&] {
        MPI_Comm_free(&comm->ranks);
        delete comm;
        return ncclSuccess;
    });
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
    return nccl_call("ncclCommAbort", [&] {
        comm->is_aborted = true;
        return ncclSuccess;
    });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* code) {
    return nccl_call("ncclCommGetAsyncError", [&] {
        *code = is_usable(comm) ? ncclSuccess : ncclInternalError;
        return ncclSuccess;
    });
}

ncclResult_t ncclGroupStart() {
    return nccl_call("ncclGroupStart", [] {
        begin_group();
        return ncclSuccess;
    });
}

ncclResult_t ncclGroupEnd() {
    return nccl_call("ncclGroupEnd", end_group);
}

// Synchronous, so that what nobody receives is not taken for sent.
ncclResult_t ncclSend(const void* data, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
    return nccl_call("ncclSend", [&] {
        if (!is_usable(comm) || peer < 0 || peer >= comm->size) return ncclInvalidArgument;
        const std::size_t bytes = count * size_of(type);
        expect_device("ncclSend", data, bytes);
        const auto begin = [=](Flight& flight) {
            read_into(flight, data, bytes);
            const Quiet in_mpi;
            PMPI_Issend(flight.sent.data(), bytes_of_message(bytes), MPI_BYTE, peer, 0, comm->ranks,
                        &flight.request);
        };
        return submit({"ncclSend", stream, begin, [](Flight&) {}});
    });
}

ncclResult_t ncclRecv(void* data, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    return nccl_call("ncclRecv", [&] {
        if (!is_usable(comm) || peer < 0 || peer >= comm->size) return ncclInvalidArgument;
        const std::size_t bytes = count * size_of(type);
        expect_device("ncclRecv", data, bytes);
        const auto begin = [=](Flight& flight) {
            flight.arrived.resize(bytes);
            const Quiet in_mpi;
            PMPI_Irecv(flight.arrived.data(), bytes_of_message(bytes), MPI_BYTE, peer, 0,
                       comm->ranks, &flight.request);
        };
        return submit({"ncclRecv", stream, begin,
                       [=](Flight& flight) { write(data, flight.arrived.data(), bytes); }});
    });
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
    return nccl_call("ncclAllReduce", [&] {
        const std::size_t bytes = count * size_of(type);
        return submit_reduction({"ncclAllReduce", comm, stream, from, bytes, to, bytes}, count, 0,
                                count, type, operation);
    });
}

ncclResult_t ncclReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t operation, int root, ncclComm_t comm, cudaStream_t stream) {
    return nccl_call("ncclReduce", [&] {
        const std::size_t bytes = count * size_of(type);
        void* const result = is_usable(comm) && comm->rank == root ? to : nullptr;
        return submit_reduction({"ncclReduce", comm, stream, from, bytes, result, bytes}, count, 0,
                                count, type, operation);
    });
}

ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t share, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
    return nccl_call("ncclReduceScatter", [&] {
        if (!is_usable(comm)) return ncclInvalidArgument;
        const std::size_t count = share * static_cast<std::size_t>(comm->size);
        const std::size_t first = share * static_cast<std::size_t>(comm->rank);
        return submit_reduction({"ncclReduceScatter", comm, stream, from, count * size_of(type), to,
                                 share * size_of(type)},
                                count, first, share, type, operation);
    });
}

ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
    return nccl_call("ncclBroadcast", [&] {
        if (!is_usable(comm)) return ncclInvalidArgument;
        const std::size_t bytes = count * size_of(type);
        const void* const given = comm->rank == root ? from : nullptr;
        return submit_collective({"ncclBroadcast", comm, stream, given, bytes, to, bytes},
                                 [=](const std::byte* all) {
                                     write(to, all + static_cast<std::size_t>(root) * bytes, bytes);
                                 });
    });
}

ncclResult_t ncclAllGather(const void* from, void* to, std::size_t share, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
    return nccl_call("ncclAllGather", [&] {
        if (!is_usable(comm)) return ncclInvalidArgument;
        const std::size_t bytes = share * size_of(type);
        const std::size_t all_bytes = bytes * static_cast<std::size_t>(comm->size);
        return submit_collective({"ncclAllGather", comm, stream, from, bytes, to, all_bytes},
                                 [=](const std::byte* all) { write(to, all, all_bytes); });
    });
}

ncclResult_t ncclGather(const void* from, void* to, std::size_t share, ncclDataType_t type,
                        int root, ncclComm_t comm, cudaStream_t stream) {
    return nccl_call("ncclGather", [&] {
        if (!is_usable(comm)) return ncclInvalidArgument;
        const std::size_t bytes = share * size_of(type);
        const std::size_t all_bytes = bytes * static_cast<std::size_t>(comm->size);
        void* const result = comm->rank == root ? to : nullptr;
        return submit_collective({"ncclGather", comm, stream, from, bytes, result, all_bytes},
                                 [=](const std::byte* all) { write(to, all, all_bytes); });
    });
}

ncclResult_t ncclScatter(const void* from, void* to, std::size_t share, ncclDataType_t type,
                         int root, ncclComm_t comm, cudaStream_t stream) {
    return nccl_call("ncclScatter", [&] {
        if (!is_usable(comm)) return ncclInvalidArgument;
        const std::size_t bytes = share * size_of(type);
        const auto size = static_cast<std::size_t>(comm->size);
        const std::size_t place = static_cast<std::size_t>(root) * size * bytes +
                                  static_cast<std::size_t>(comm->rank) * bytes;
        const void* const given = comm->rank == root ? from : nullptr;
        return submit_collective({"ncclScatter", comm, stream, given, size * bytes, to, bytes},
                                 [=](const std::byte* all) { write(to, all + place, bytes); });
    });
}

ncclResult_t ncclAlltoAll(const void* from, void* to, std::size_t share, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t stream) {
    return nccl_call("ncclAlltoAll", [&] {
        if (!is_usable(comm)) return ncclInvalidArgument;
        const std::size_t bytes = share * size_of(type);
        const auto size = static_cast<std::size_t>(comm->size);
        const auto rank = static_cast<std::size_t>(comm->rank);
        return submit_collective(
            {"ncclAlltoAll", comm, stream, from, size * bytes, to, size * bytes},
            [=](const std::byte* all) {
                for (std::size_t sender = 0; sender < size; ++sender) {
                    write(static_cast<std::byte*>(to) + sender * bytes,
                          all + (sender * size + rank) * bytes, bytes);
                }
            });
    });
}

}  // extern "C"
