// SPDX-License-Identifier: BSD-3-Clause
// The plain way to finish a collective: look for progress, and idle when there is none.
#include "collectives/operation/executor.hpp"

#include "collectives/cluster/waiting.hpp"

namespace shardstone::collectives {

void Executor::run(const void* input, void* output) {
    start(input, output);
    wait();
}

void Executor::wait() {
    Waiter waiter(this);
    while (true) {
        switch (progress()) {
            case Progress::done:
                return;
            case Progress::some:
                waiter.busy();
                break;
            case Progress::none:
                waiter.idle();
                break;
        }
    }
}

}  // namespace shardstone::collectives
