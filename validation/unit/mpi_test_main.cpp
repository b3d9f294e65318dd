// SPDX-License-Identifier: BSD-3-Clause
// Main of every GoogleTest program that runs on several ranks: a failure on any rank fails all, and
// each failing rank prints its failures under its own number.
#include "validation/unit/mpi_test_main.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "collectives/cluster/session.hpp"

namespace shardstone::validation {

namespace {

collectives::Communicator* world_of_tests = nullptr;

class RankPrinter : public testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.failed()) return;
        std::fprintf(stderr, "rank %d: %s:%d: %s\n", world_of_tests->rank(),
                     result.file_name() == nullptr ? "?" : result.file_name(), result.line_number(),
                     result.summary());
    }
};

}  // namespace

collectives::Communicator& world() {
    return *world_of_tests;
}

}  // namespace shardstone::validation

int main(int argc, char** argv) {
    using namespace shardstone;
    testing::InitGoogleTest(&argc, argv);
    return collectives::run_session([](collectives::Communicator& world) {
        validation::world_of_tests = &world;
        auto& listeners = testing::UnitTest::GetInstance()->listeners();
        if (!world.is_root()) delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new validation::RankPrinter);
        const int failed = RUN_ALL_TESTS();
        return world.max(failed) > 0 ? 1 : 0;
    });
}
