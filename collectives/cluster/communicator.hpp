// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/topology.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

struct ClusterDescription;

/// The MPI state needed by executors; its definition, and mpi.h, stay inside collectives/.
struct NativeCommunicator;

/// A group of ranks that can communicate. Movable, not copyable; owns its MPI communicator.
///
/// The helpers here are for set-up, agreement and harness, not for bulk data. They are built on
/// point-to-point messages, and every wait yields the core (waiting.hpp), because MPICH's own
/// blocking collectives never yield: one of them in a loop stalls all neighbours if there are more
/// ranks than cores. All of them are collective: every rank calls them in the same order.
class Communicator {
  public:
    explicit Communicator(std::unique_ptr<NativeCommunicator> native);
    Communicator(Communicator&&) noexcept;
    Communicator& operator=(Communicator&&) noexcept;
    ~Communicator();

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    bool is_root() const noexcept { return rank_ == 0; }
    /// The node of each rank: as detected when the communicator was created, unless declared since.
    const Topology& topology() const noexcept { return topology_; }
    /// As detected, regardless of declarations.
    const Topology& found_topology() const noexcept { return found_topology_; }
    /// Declares nodes other than those detected, equally on all ranks. The topology has size()
    /// ranks.
    void declare_topology(const Topology& topology) { topology_ = topology.as_declared(); }
    /// Description of the machine's speed, for algorithms that choose by it: typical figures until
    /// declared otherwise, equally on all ranks. Parts of this communicator inherit it.
    const ClusterDescription& cluster() const noexcept { return *cluster_; }
    void declare_cluster(ClusterDescription cluster);
    NativeCommunicator& native() const noexcept { return *native_; }

    /// A communicator of the ranks with the same `color`, in rank order. For set-up: it blocks in
    /// MPI.
    Communicator split(int color) const;

    /// Returns on no rank before every rank has entered (dissemination, ceil(log2 P) steps).
    void barrier() const;

    /// The maximum, minimum or sum over ranks, equal on all of them. The sum is taken in rank
    /// order.
    double max(double value) const;
    double min(double value) const;
    double sum(double value) const;

    /// Rank 0's bytes on every rank; all ranks pass the same size.
    void broadcast(std::span<std::byte> data) const;
    std::string broadcast(const std::string& text) const;

    /// The texts of all ranks in rank order on rank 0; empty elsewhere.
    std::vector<std::string> gather(const std::string& text) const;
    /// The same on every rank.
    std::vector<std::string> all_gather(const std::string& text) const;
    /// Equal-length vectors of all ranks, one after another in rank order, on every rank.
    std::vector<double> all_gather(std::span<const double> values) const;

    /// Runs `body` on every rank. If it throws an Error on any, all ranks throw AgreedError with
    /// the message and code of the lowest failing rank, so that bad input ends a job in an orderly
    /// way. For set-up steps whose body does not communicate.
    template <class Body>
    auto agree(Body&& body) const;

  private:
    /// The exception of `body`: its message and code, or none.
    struct Failure {
        std::string message;
        ExitCode code = ExitCode::well;
    };
    void raise_if_any(const Failure& own) const;

    std::unique_ptr<NativeCommunicator> native_;
    int rank_ = 0;
    int size_ = 1;
    Topology found_topology_;
    Topology topology_;
    std::shared_ptr<const ClusterDescription> cluster_;
};

template <class Body>
auto Communicator::agree(Body&& body) const {
    Failure failure;
    if constexpr (std::is_void_v<decltype(body())>) {
        try {
            body();
        } catch (const Error& error) {
            failure = {error.what(), error.code()};
        }
        raise_if_any(failure);
    } else {
        std::unique_ptr<decltype(body())> result;
        try {
            result = std::make_unique<decltype(body())>(body());
        } catch (const Error& error) {
            failure = {error.what(), error.code()};
        }
        raise_if_any(failure);
        return std::move(*result);
    }
}

}  // namespace shardstone::collectives
