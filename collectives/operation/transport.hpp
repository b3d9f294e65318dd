// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/operation/executor.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

struct Algorithm;

/// Creates the executor of an algorithm on given data. Collective.
using ExecutorMaker = std::function<std::unique_ptr<Executor>(Communicator&, const Algorithm&,
                                                              const CollectiveSpec&)>;

/// Required memory of the vectors.
struct VectorMemory {
    /// Allocates a buffer of this many bytes in the memory in which the ranks perform best; empty:
    /// any memory will do. Collective.
    std::function<std::shared_ptr<std::byte>(Communicator&, std::int64_t size_bytes)> allocate;

    /// Copies bytes to, from or within such a buffer, and waits for completion; empty: the host can
    /// read and write it like any other memory.
    std::function<void(void* to, const void* from, std::int64_t size_bytes)> copy;
};

/// The reason, in one line, why ranks cannot run something; an empty text: they can. Equal on all
/// ranks. Collective. Without a function: it runs anywhere.
using Obstacle = std::function<std::string(Communicator&)>;

/// Carries the messages of a schedule from rank to rank. Any algorithm with a schedule runs over
/// any transport: "ring" over MPI, "over_shared_memory:ring".
struct Transport {
    std::string name;     ///< "shared_memory"
    std::string summary;  ///< after the algorithm's name: "with its messages ..."
    ExecutorMaker carry;
    VectorMemory memory;
    Obstacle obstacle;
    /// Algorithm::in_stream of what it carries.
    bool in_stream = false;
    /// Whether messages inside a node pass through shared memory, at a different cost from MPI's.
    bool through_shared_memory = false;
    /// Memory that it keeps after growing vectors have been run, in vectors of the largest size.
    int kept_vectors = 0;
};

/// A namespace-scope `const TransportRegistration` in a file of its own is all that a new transport
/// needs: every algorithm of every operation can then be named over it.
class TransportRegistration {
  public:
    explicit TransportRegistration(Transport transport);
};

/// The default, which is not named: point-to-point messages over MPI.
constexpr std::string_view plain_transport = "mpi";

/// Sorted by name; never destroyed.
std::vector<const Transport*> transports();

/// The transport of this name. Precondition: it exists.
const Transport& find_transport(std::string_view name);

/// An algorithm's full name over a transport: "over_shared_memory:ring"; over the plain one "ring".
std::string name_over(const Transport& transport, std::string_view algorithm);

/// A full name in its parts: the transport after "over_", unless it is the default, and the rest.
struct NameParts {
    const Transport* transport = nullptr;  ///< none: a name without one
    std::string_view algorithm;
};
NameParts take_apart(std::string_view name);

}  // namespace shardstone::collectives
