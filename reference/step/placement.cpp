// SPDX-License-Identifier: BSD-3-Clause
#include "reference/step/placement.hpp"

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

bool same_group(const ParallelPlan& plan, GroupKind kind, const Coordinates& a,
                const Coordinates& b) {
    const int last = plan.pipeline - 1;
    const auto at_an_end = [last](const Coordinates& c) {
        return c.pipeline == 0 || c.pipeline == last;
    };
    switch (kind) {
        case GroupKind::world:
            return true;
        case GroupKind::data:
            return a.tensor == b.tensor && a.pipeline == b.pipeline;
        case GroupKind::tensor:
            return a.data == b.data && a.pipeline == b.pipeline;
        case GroupKind::pipeline:
            return a.data == b.data && a.tensor == b.tensor;
        case GroupKind::tied:
            return a == b ||
                   (a.data == b.data && a.tensor == b.tensor && at_an_end(a) && at_an_end(b));
    }
    return false;
}

}  // namespace

Coordinates coordinates_of(const ParallelPlan& plan, int rank) {
    SHARDSTONE_EXPECTS(rank >= 0 && rank < plan.ranks());
    return {.data = rank / plan.tensor % plan.data,
            .tensor = rank % plan.tensor,
            .pipeline = rank / (plan.tensor * plan.data)};
}

int rank_at(const ParallelPlan& plan, const Coordinates& at) {
    return (at.pipeline * plan.data + at.data) * plan.tensor + at.tensor;
}

std::string to_string(GroupKind kind) {
    constexpr const char* names[]{"world", "data", "tensor", "pipeline", "tied"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<int> group_of(const ParallelPlan& plan, GroupKind kind, int rank) {
    const Coordinates at = coordinates_of(plan, rank);
    std::vector<int> members;
    for (int other = 0; other < plan.ranks(); ++other) {
        if (same_group(plan, kind, at, coordinates_of(plan, other))) members.push_back(other);
    }
    return members;
}

}  // namespace shardstone::reference
