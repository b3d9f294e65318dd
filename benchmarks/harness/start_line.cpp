// SPDX-License-Identifier: BSD-3-Clause
// The start of an iteration: through shared memory on a single node, by a barrier across nodes.
#include "benchmarks/harness/start_line.hpp"

namespace shardstone::benchmarks {

StartLine::StartLine(const collectives::Communicator& communicator) : communicator_(communicator) {
    if (communicator.topology().nodes() == 1) shared_.emplace(communicator);
}

void StartLine::wait() {
    shared_ ? shared_->wait() : communicator_.barrier();
}

}  // namespace shardstone::benchmarks
