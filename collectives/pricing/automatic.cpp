// SPDX-License-Identifier: BSD-3-Clause
// "auto", for every operation: the algorithm that the cost model, calibrated on the machine at hand
// (Communicator::declare_cluster), expects to be the fastest for these data on these ranks. Chosen
// on one rank when the collective is made. After the tables of measurements in R. Thakur, R.
// Rabenseifner and W. Gropp, "Optimization of collective communication operations in MPICH", Int.
// J. High Performance Computing Applications 19(1), 2005, which draw fixed lines between sizes
// where this compares predictions.
//
// Steps and volume: those of what it takes.
#include <fmt/format.h>

#include "collectives/operation/algorithm.hpp"
#include "collectives/pricing/choice.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::string chosen(const Communicator& communicator, const Operation& operation,
                   const CollectiveSpec& spec) {
    std::string name;
    if (communicator.is_root()) {
        const auto ranked =
            predictions(operation, communicator.topology(), spec, communicator.cluster());
        if (!ranked.empty()) name = ranked.front().algorithm;
    }
    name = communicator.broadcast(name);
    require(!name.empty(), [&] {
        return fmt::format("auto: no {} algorithm suits these nodes and shares", operation.name);
    });
    return name;
}

Algorithm choice() {
    Algorithm algorithm;
    algorithm.name = automatic;
    algorithm.summary = "what the cost model expects to be the fastest, and why";
    algorithm.direct = [](Communicator& communicator, const Algorithm& itself,
                          const CollectiveSpec& spec) {
        const Operation& operation = *itself.operation;
        const std::string name = chosen(communicator, operation, spec);
        return make_executor(communicator, find_algorithm(operation, name), spec);
    };
    return algorithm;
}

const AlgorithmRegistration for_every_operation(choice());

}  // namespace

}  // namespace shardstone::collectives
