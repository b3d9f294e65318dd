// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "reference/step/memory_model.hpp"
#include "reference/step/pricing/machine.hpp"
#include "reference/step/pricing/pass_work.hpp"
#include "reference/step/timeline.hpp"
#include "reference/step/wire_format.hpp"

namespace shardstone::reference {

/// The costs of a plan on a machine. Passes: their work (pass_work.hpp) over the machine's rates.
/// Norm and update: the bytes read and written over the memory's rate. Messages and transfers: the
/// collectives' own cost model (collectives/pricing/choice.hpp) with the schedule of the actual
/// algorithm on the group's nodes; groups of a kind share the NICs evenly, and messages of
/// different kinds slow down neither each other nor the passes. An algorithm without a schedule,
/// whose time cannot be known, is priced as a ring.
class PlanCosts : public StepCosts {
  public:
    /// The spec is valid. Throws Error if the machine has too few ranks for the plan.
    PlanCosts(const StepSpec& spec, const Machine& machine, const MemoryOptions& options);

    double compute_s(int rank, const Action& action) const override;
    double message_s(int sender, const Action& send) const override;
    double transfer_s(int member, const GroupTransfer& transfer) const override;

    const Machine& machine() const { return machine_; }
    const WireFormat& format() const { return format_; }

  private:
    using Key = std::pair<GroupTransfer, std::vector<int>>;  ///< and its ranks' nodes
    using PassKey = std::pair<Unit::Kind, Pass>;             ///< units of a kind are alike
    /// What a rank holds, and its passes that have been priced.
    struct Rank {
        ModelPart part;
        ParameterCounts counts;
        std::vector<std::vector<Unit>> units;  ///< by chunk
        mutable std::map<PassKey, UnitWork> known;
    };

    PassWork work_of(int rank, const Action& pass) const;
    double priced_s(const GroupTransfer& transfer, const collectives::Topology& topology) const;
    std::int64_t owned_parameters(int rank) const;
    double norm_bytes(int rank) const;
    double tensor_norms_bytes(int rank) const;
    double update_bytes(int rank) const;
    const ModelPart& part(int rank) const { return ranks_[static_cast<std::size_t>(rank)].part; }
    const collectives::ClusterDescription& cluster(GroupKind kind) const {
        return clusters_[index_of(kind)];
    }

    StepSpec spec_;
    Sharding sharding_;
    Machine machine_;
    MemoryOptions options_;
    WireFormat format_;
    std::vector<Rank> ranks_;
    std::vector<collectives::ClusterDescription> clusters_;  ///< as each kind of group meets it
    mutable std::map<Key, double> known_;
};

}  // namespace shardstone::reference
