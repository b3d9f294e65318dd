// SPDX-License-Identifier: BSD-3-Clause
// One collective bound to its buffers and known data, ready to be timed and checked.
#include "benchmarks/collectives/sweep/contender.hpp"

#include <algorithm>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

Contender::Contender(collectives::Communicator& communicator,
                     const collectives::Algorithm& algorithm,
                     const collectives::CollectiveSpec& spec, const BufferUse& use)
    : communicator_(communicator),
      data_(*algorithm.operation, spec, communicator.size(), communicator.rank()),
      collective_(communicator, algorithm, spec),
      buffers_(communicator, algorithm, data_, spec.vector.element_bytes(), use) {}

Work Contender::work() {
    return {[this] { collective_.run(buffers_.input(), buffers_.output()); },
            [this] {
                buffers_.next();
                ++runs_;
            }};
}

std::int64_t Contender::wrong_elements() const {
    return static_cast<std::int64_t>(
        communicator_.sum(static_cast<double>(buffers_.wrong_elements())));
}

void Contender::run_again() {
    const Work once = work();
    once.prepare();
    data_.renew();
    buffers_.renew();
    once.run();
}

double Contender::bytes_sent_per_run() const {
    return communicator_.max(static_cast<double>(collective_.bytes_sent())) /
           static_cast<double>(std::max<std::int64_t>(runs_, 1));
}

}  // namespace shardstone::benchmarks
