// SPDX-License-Identifier: BSD-3-Clause
// Draws faults, runs the inference until it has decided, and counts what it got right.
#include "validation/interconnect/trials.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

namespace {

/// Random numbers of one trial, in order.
class Draws {
  public:
    Draws(std::uint64_t seed, std::uint64_t trial) : random_(seed, trial) {}
    int below(int bound) {
        return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound), next_++));
    }
    std::uint64_t seed() { return random_.bits(next_++); }

  private:
    RandomStream random_;
    std::uint64_t next_ = 0;
};

Component drawn(Culprit culprit, const SimulatedShape& shape, Draws& draws) {
    Component component{.culprit = culprit};
    const int rail = draws.below(shape.rails), node = draws.below(shape.nodes);
    switch (culprit) {
        case Culprit::port:
        case Culprit::port_up:
        case Culprit::port_down:
            component.leaf = node / shape.nodes_per_leaf * shape.rails + rail;
            component.uplink = draws.below(shape.uplinks);
            break;
        case Culprit::pair: {
            const int other = (node + 1 + draws.below(shape.nodes - 1)) % shape.nodes;
            component.sender = node * shape.rails + rail;
            component.receiver = other * shape.rails + rail;
            break;
        }
        case Culprit::node:
            component.node = node;
            break;
        default:
            component.node = node;
            component.rail = rail;
    }
    return component;
}

void inject(SimulatedCluster& cluster, std::span<const FaultsOfKind> faults,
            const SimulatedShape& shape, Draws& draws) {
    for (const auto& kind : faults) {
        for (int i = 0; i < kind.count; ++i) {
            Component component;
            do {
                component = drawn(kind.culprit, shape, draws);
            } while (std::ranges::any_of(cluster.faults(), [&](const InjectedFault& fault) {
                return at_one_place(fault.component, component);
            }));
            cluster.inject({component, kind.rate});
        }
    }
}

TrialCounts counted(const SimulatedCluster& cluster, const TrialEnd& end, double decided) {
    const auto& suspects = end.suspicion.suspects;
    TrialCounts counts{.trials = 1, .further_tests = end.further_tests};
    for (const auto& fault : cluster.faults()) {
        counts.faults += 1;
        counts.detected += std::ranges::any_of(suspects, [&](const Suspect& suspect) {
            return at_one_place(suspect.component, fault.component);
        });
        counts.localised += std::ranges::any_of(
            suspects, [&](const Suspect& suspect) { return suspect.component == fault.component; });
    }
    counts.false_alarms = std::ranges::any_of(suspects, [&](const Suspect& suspect) {
        return std::ranges::none_of(cluster.faults(), [&](const InjectedFault& fault) {
            return at_one_place(suspect.component, fault.component);
        });
    });
    counts.undecided = std::ranges::count_if(
        suspects, [&](const Suspect& suspect) { return suspect.probability < decided; });
    counts.all_right =
        counts.localised == counts.faults && suspects.size() == cluster.faults().size();
    return counts;
}

}  // namespace

bool at_one_place(const Component& one, const Component& other) {
    if (one.node >= 0 && one.node == other.node) {
        return one.rail < 0 || other.rail < 0 || one.rail == other.rail;
    }
    if (one.leaf >= 0) return one.leaf == other.leaf && one.uplink == other.uplink;
    return one.culprit == Culprit::pair && one == other;
}

TrialEnd run_until_decided(const SimulatedCluster& cluster, const TrialSettings& settings) {
    auto times = cluster.run_round_robin(settings.repetitions);
    TrialEnd end{.suspicion = find_suspects(cluster.places(), times, settings.suspicion)};
    int round = times.empty() ? 0 : times.back().round + 1;
    for (int batch = 0; batch < settings.most_batches; ++batch) {
        const auto tests = next_tests(cluster.places(), times, end.suspicion, settings.next);
        if (tests.empty()) break;
        for (const auto& test : tests) {
            times.push_back(cluster.run(test, round++, settings.repetitions));
        }
        end.further_tests += static_cast<int>(tests.size());
        end.suspicion = find_suspects(cluster.places(), times, settings.suspicion);
    }
    return end;
}

TrialCounts operator+(const TrialCounts& one, const TrialCounts& other) {
    return {.trials = one.trials + other.trials,
            .faults = one.faults + other.faults,
            .detected = one.detected + other.detected,
            .localised = one.localised + other.localised,
            .all_right = one.all_right + other.all_right,
            .false_alarms = one.false_alarms + other.false_alarms,
            .further_tests = one.further_tests + other.further_tests,
            .undecided = one.undecided + other.undecided};
}

TrialCounts run_trials(std::span<const FaultsOfKind> faults, const TrialSettings& settings,
                       int first, int count) {
    TrialCounts sum;
    for (int trial = first; trial < first + count; ++trial) {
        const auto number = static_cast<std::uint64_t>(trial);
        Draws draws(settings.seed, number);
        SimulatedCluster cluster(settings.shape, settings.noise, draws.seed());
        inject(cluster, faults, settings.shape, draws);
        sum = sum + counted(cluster, run_until_decided(cluster, settings), settings.next.decided);
    }
    return sum;
}

}  // namespace shardstone::validation
