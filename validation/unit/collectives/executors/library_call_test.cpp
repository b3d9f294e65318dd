// SPDX-License-Identifier: BSD-3-Clause
// The blocking calls of the MPI library, which the tests of all algorithms, who start and wait, do
// not come by: exact in place and not, with equal and uneven shares, at a root other than 0.
#include <gtest/gtest.h>

#include <numeric>

#include "collectives/executors/collective.hpp"
#include "validation/unit/collectives/executors/known_vectors.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

void expect_exact(const Operation& operation, const CollectiveSpec& spec, bool in_place) {
    SCOPED_TRACE(described(operation.name, "mpi", spec, in_place));
    KnownVectors vectors(operation, spec, in_place);
    Collective(world(), operation.name, "mpi", spec).run(vectors.input(), vectors.output());
    EXPECT_EQ(vectors.wrong_elements(), 0);
}

CollectiveSpec uneven(Sharing sharing, int root) {
    const int size = world().size();
    CollectiveSpec spec{{0, ElementType::fp32, Reduction::sum}, root, {}};
    const int shares = sharing == Sharing::by_rank ? size : size * size;
    for (int i = 0; i < shares; ++i) spec.shares.push_back(37 * i % 11 * 3);
    spec.vector.count = std::accumulate(spec.shares.begin(), spec.shares.end(), std::int64_t{0});
    return spec;
}

TEST(LibraryCall, TheBlockingCallIsExact) {
    const int last = world().size() - 1;
    for (const auto& name : operations()) {
        const Operation& operation = find_operation(name);
        const int root = operation.rooted ? last : 0;
        for (const bool in_place : {false, true}) {
            for (const ElementType type : {ElementType::fp32, ElementType::bf16}) {
                expect_exact(operation, {{50 * (last + 1), type, Reduction::sum}, root, {}},
                             in_place);
            }
            if (operation.sharing == Sharing::by_rank || operation.sharing == Sharing::by_pair) {
                expect_exact(operation, uneven(operation.sharing, root), in_place);
            }
        }
    }
}

TEST(LibraryCall, RefusesMoreElementsThanAnIntCounts) {
    for (const auto& name : operations()) {
        const std::int64_t count = (std::int64_t{1} << 31) * world().size();
        EXPECT_THROW(Collective(world(), name, "mpi", {{count, ElementType::fp32}, 0, {}}), Error)
            << name;
    }
}

}  // namespace
}  // namespace shardstone::validation
