// SPDX-License-Identifier: BSD-3-Clause
#include "reference/step/volume.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "collectives/operation/algorithm.hpp"
#include "reference/strategies/tensor_parallel.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;
using Operation = GroupTransfer::Operation;
using What = GroupTransfer::What;

constexpr std::int64_t loss_bytes = 16;  // an exact sum
constexpr std::int64_t norm_bytes = 32;  // four limbs

/// A collective on `rows` rows of `row_bytes` bytes each; rows are not cut.
struct Traffic {
    Operation operation;
    std::int64_t rows;
    std::int64_t row_bytes;

    auto operator<=>(const Traffic&) const = default;
};

/// Counts one rank's bytes; the same collective is looked at only once.
class Counter {
  public:
    Counter(const StepSpec& spec, int rank, const GroupTopology& topology) : spec_(spec) {
        for (std::size_t kind = 0; kind < group_kinds; ++kind) {
            const auto group = static_cast<GroupKind>(kind);
            const auto members = group_of(spec.plan, group, rank);
            places_.push_back({topology(group), 0});
            while (members[static_cast<std::size_t>(places_.back().second)] != rank) {
                ++places_.back().second;
            }
        }
    }

    void add(GroupKind group, const Traffic& traffic) {
        const auto [known, is_new] = known_.try_emplace({group, traffic}, 0);
        if (is_new) known->second = count(group, traffic);
        total[static_cast<std::size_t>(group)] += known->second;
    }

    SentBytes total{};

  private:
    std::int64_t count(GroupKind group, const Traffic& traffic) const {
        const auto& [topology, rank] = places_[static_cast<std::size_t>(group)];
        if (topology.size() == 1) return 0;
        constexpr const char* names[]{"all_reduce", "reduce_scatter", "all_gather"};
        const bool whole = traffic.operation == Operation::all_reduce;
        const auto algorithm =
            coll::find_algorithm(names[static_cast<std::size_t>(traffic.operation)],
                                 whole ? spec_.communication.all_reduce : "ring");
        const std::int64_t unit = element_bytes(traffic.row_bytes);
        const std::int64_t per_row = traffic.row_bytes / unit;
        coll::CollectiveSpec spec{{traffic.rows * per_row, type_of(unit), {}}, 0, {}};
        for (int r = 0; !whole && r < topology.size(); ++r) {
            spec.shares.push_back(even_share(traffic.rows, topology.size(), r).count * per_row);
        }
        return coll::scheduled_bytes(algorithm, topology, rank, spec);
    }

    static std::int64_t element_bytes(std::int64_t row_bytes) { return row_bytes % 8 == 0 ? 8 : 4; }
    static ElementType type_of(std::int64_t bytes) {
        return bytes == 8 ? ElementType::fp64 : ElementType::fp32;
    }

    const StepSpec& spec_;
    std::vector<std::pair<coll::Topology, int>> places_;
    std::map<std::pair<GroupKind, Traffic>, std::int64_t> known_;
};

Traffic traffic_of(const GroupTransfer& transfer, const WireSizes& sizes) {
    switch (transfer.what) {
        case What::loss:
            return {transfer.operation, transfer.range.count, loss_bytes};
        case What::norm:
            return {transfer.operation, transfer.range.count, norm_bytes};
        case What::weights:
            return {transfer.operation, transfer.range.count, sizes.element};
        default:
            return {transfer.operation, transfer.range.count, sizes.gradient};
    }
}

}  // namespace

GroupTopology one_node(const ParallelPlan& plan, int rank) {
    return [=](GroupKind group) {
        return coll::Topology::one_node(static_cast<int>(group_of(plan, group, rank).size()));
    };
}

SentBytes scheduled_bytes(const StepSpec& spec, const StepProgram& program, int rank,
                          const WireSizes& sizes, const GroupTopology& topology) {
    Counter counter(spec, rank, topology);
    const ModelPart part = part_of(spec, rank);
    const std::int64_t stream_bytes =
        part.stream_rows(spec.batch.micro_tokens()).count * spec.model.channels * sizes.element;
    for (const Action& action : program.actions) {
        if (action.kind == Action::Kind::transfer) {
            counter.add(action.transfer.group, traffic_of(action.transfer, sizes));
        } else if (action.kind == Action::Kind::send) {
            counter.total[static_cast<std::size_t>(GroupKind::pipeline)] += stream_bytes;
        } else if (action.is_pass()) {
            const auto units = part.chunks[static_cast<std::size_t>(action.chunk)].units();
            const Unit& unit = units[static_cast<std::size_t>(action.unit)];
            for (const auto& one : tensor_transfers(spec, unit, action.kind)) {
                counter.add(GroupKind::tensor,
                            {one.operation, one.rows, one.columns * sizes.element});
            }
        }
    }
    return counter.total;
}

}  // namespace shardstone::reference
