// SPDX-License-Identifier: BSD-3-Clause
// Groups of operations as work of streams, and how ranks find each other.
#include "validation/emulated_device/nccl_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/runtime.hpp"
#include "validation/emulated_device/sanitizers.hpp"

namespace shardstone::emulated {

namespace {

int depth = 0;
std::vector<Operation> collected;

/// All operations of a group on one stream.
class Piece {
  public:
    explicit Piece(std::vector<Operation> operations)
        : operations_(std::move(operations)), flights_(operations_.size()) {}

    /// As emulated::Run; a graph may run it again.
    bool run() {
        if (!std::exchange(has_begun_, true)) {
            for (std::size_t i = 0; i < operations_.size(); ++i) operations_[i].begin(flights_[i]);
        }
        if (!have_landed()) return false;
        for (std::size_t i = 0; i < operations_.size(); ++i) operations_[i].end(flights_[i]);
        flights_.assign(operations_.size(), {});
        has_begun_ = false;
        return true;
    }

    bool could_move() { return !has_begun_ || have_landed(); }

  private:
    /// All are asked, so that all move on.
    bool have_landed() {
        bool all = true;
        for (Flight& flight : flights_) {
            int is_here = 1;
            const Quiet in_mpi;
            PMPI_Test(&flight.request, &is_here, MPI_STATUS_IGNORE);
            all = all && is_here != 0;
        }
        return all;
    }

    std::vector<Operation> operations_;
    std::vector<Flight> flights_;
    bool has_begun_ = false;
};

void enqueue_all(std::vector<Operation> operations) {
    while (!operations.empty()) {
        const cudaStream_t stream = operations.front().stream;
        const auto others =
            std::stable_partition(operations.begin(), operations.end(),
                                  [=](const Operation& one) { return one.stream == stream; });
        std::vector<Operation> own(std::make_move_iterator(operations.begin()),
                                   std::make_move_iterator(others));
        operations.erase(operations.begin(), others);
        const std::string name = own.front().name;
        const auto piece = std::make_shared<Piece>(std::move(own));
        Work work;
        work.name = name;
        work.run = [piece] { return piece->run(); };
        work.could_move = [piece] { return piece->could_move(); };
        work.duration_s = duration_of_other_work_s;
        enqueue(checked(stream), std::move(work));
    }
}

struct Id {
    int root;    ///< of MPI_COMM_WORLD
    int serial;  ///< of those that it has made
};

Id read(const ncclUniqueId& id) {
    Id read{};
    std::memcpy(&read, id.internal, sizeof read);
    return read;
}

/// Ranks of MPI_COMM_WORLD by their rank among those of the id.
std::vector<int> gather_at_root(const Id& id, int size, int rank, int tag) {
    std::vector<int> ranks(static_cast<std::size_t>(size), -1);
    int own = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (own != id.root) {
        const int mine[2] = {rank, own};
        MPI_Send(mine, 2, MPI_INT, id.root, tag, MPI_COMM_WORLD);
        MPI_Recv(ranks.data(), size, MPI_INT, id.root, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return ranks;
    }
    if (rank != 0) fault("NCCL: a unique id was not made by rank 0 of its communicator");
    ranks[0] = own;
    for (int i = 1; i < size; ++i) {
        int one[2];
        MPI_Recv(one, 2, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (one[0] < 1 || one[0] >= size || ranks[static_cast<std::size_t>(one[0])] >= 0) {
            fault(fmt::format("NCCL: rank {} of a communicator of {} is there twice or cannot be",
                              one[0], size));
        }
        ranks[static_cast<std::size_t>(one[0])] = one[1];
    }
    for (int i = 1; i < size; ++i) {
        MPI_Send(ranks.data(), size, MPI_INT, ranks[static_cast<std::size_t>(i)], tag,
                 MPI_COMM_WORLD);
    }
    return ranks;
}

}  // namespace

void begin_group() {
    ++depth;
}

ncclResult_t end_group() {
    if (depth == 0) return ncclInvalidUsage;
    if (--depth == 0) enqueue_all(std::exchange(collected, {}));
    return ncclSuccess;
}

ncclResult_t submit(Operation operation) {
    begin_group();
    collected.push_back(std::move(operation));
    return end_group();
}

ncclUniqueId new_id() {
    static int serial = 0;
    Id made{0, serial++};
    MPI_Comm_rank(MPI_COMM_WORLD, &made.root);
    ncclUniqueId id{};
    std::memcpy(id.internal, &made, sizeof made);
    return id;
}

MPI_Comm ranks_of(const ncclUniqueId& id, int size, int rank) {
    // Nobody else sends anything in MPI_COMM_WORLD itself.
    constexpr int first_tag = 20'000, tags = 10'000;
    const Id given = read(id);
    const int tag = first_tag + given.serial % tags;
    const auto ranks = gather_at_root(given, size, rank, tag);
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, size, ranks.data(), &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &made);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return made;
}

}  // namespace shardstone::emulated
