// SPDX-License-Identifier: BSD-3-Clause
// Operations of NCCL's double: messages of MPI, begun and ended in the order of a stream.
#pragma once

#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

struct ncclComm {
    MPI_Comm ranks = MPI_COMM_NULL;
    int rank = 0, size = 1;
    bool is_aborted = false;
};

namespace shardstone::emulated {

/// An operation between its beginning, when its data are read, and its end, when what arrived is
/// written: whoever does not wait for the end reads what was there before.
struct Flight {
    std::vector<std::byte> sent, arrived;
    MPI_Request request = MPI_REQUEST_NULL;
};

struct Operation {
    std::string name;
    cudaStream_t stream;
    std::function<void(Flight&)> begin;
    std::function<void(Flight&)> end;
};

/// Between these, operations are collected; the outermost end enqueues them. All of one stream are
/// one piece of its work: they begin together, and it goes on when all of them have ended.
void begin_group();
ncclResult_t end_group();
/// Enqueued at once if there is no group. What would wait for itself on a GPU, as two ranks that
/// both send first outside a group, gets stuck here, too.
ncclResult_t submit(Operation operation);

/// The communicator that ranks of MPI_COMM_WORLD form, which all call this with one id, made by
/// `rank` 0 of them. Blocks until all have.
MPI_Comm ranks_of(const ncclUniqueId& id, int size, int rank);
ncclUniqueId new_id();

}  // namespace shardstone::emulated
