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

/// Makes what runs an algorithm on given data. Collective.
using ExecutorMaker = std::function<std::unique_ptr<Executor>(Communicator&, const Algorithm&,
                                                              const CollectiveSpec&)>;

/// Where vectors are to be.
struct VectorMemory {
    /// Makes a buffer of so many bytes in the memory that is needed to show what the ranks can;
    /// empty: any memory will do. Collective.
    std::function<std::shared_ptr<std::byte>(Communicator&, std::int64_t size_bytes)> allocate;

    /// Copies so many bytes to or from such a buffer, or within it, and waits for that; empty: the
    /// host reads and writes it like any other memory.
    std::function<void(void* to, const void* from, std::int64_t size_bytes)> copy;
};

/// Why ranks cannot run something, in one line; empty text: they can. Equal on all ranks.
/// Collective. No function: it runs anywhere.
using Obstacle = std::function<std::string(Communicator&)>;

/// How the messages of a schedule get from rank to rank. Any algorithm with a schedule goes over
/// any transport: "ring" over MPI, "over_shared_memory:ring".
struct Transport {
    std::string name;     ///< "shared_memory"
    std::string summary;  ///< after the algorithm's name: "with its messages ..."
    ExecutorMaker carry;
    VectorMemory memory;
    Obstacle obstacle;
    /// Whether messages inside a node pass through shared memory, at another price than MPI's.
    bool through_shared_memory = false;
};

/// A namespace-scope `const TransportRegistration` in a file of its own is all that a new transport
/// needs: every algorithm of every operation can then be named over it.
class TransportRegistration {
  public:
    explicit TransportRegistration(Transport transport);
};

/// The one that needs not be named: point-to-point messages over MPI.
constexpr std::string_view plain_transport = "mpi";

/// Sorted by name; they live for ever.
std::vector<const Transport*> transports();

/// The transport of that name; it is known.
const Transport& find_transport(std::string_view name);

/// An algorithm's full name over a transport: "over_shared_memory:ring"; over the plain one "ring".
std::string name_over(const Transport& transport, std::string_view algorithm);

/// A full name taken apart: what stands after "over_", if that is a transport that must be named,
/// and the rest.
struct NameParts {
    const Transport* transport = nullptr;  ///< none: a name without one
    std::string_view algorithm;
};
NameParts take_apart(std::string_view name);

}  // namespace shardstone::collectives
