// SPDX-License-Identifier: BSD-3-Clause
// Main of every GoogleTest program that runs on several ranks: a failure on any rank fails all, and
// each failing rank prints its failures under its own number. One that waits for ever says where.
#include "validation/unit/mpi_test_main.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "collectives/session/session.hpp"

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

/// Ends a program that runs longer than SHARDSTONE_TEST_LIMIT_S says, which is less than ctest
/// waits: every rank names the test that it is in. Without that variable it lets all go on.
class Watchdog {
  public:
    explicit Watchdog(int rank) : rank_(rank) {
        const char* limit = std::getenv("SHARDSTONE_TEST_LIMIT_S");
        if (limit != nullptr) thread_ = std::thread([this, limit] { watch(std::atof(limit)); });
    }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog() {
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

  private:
    void watch(double limit_s) {
        std::unique_lock lock(mutex_);
        const std::chrono::duration<double> limit(limit_s);
        if (changed_.wait_for(lock, limit, [this] { return done_; })) return;
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        const std::string where =
            test == nullptr ? "between its tests or after them, for other ranks"
                            : std::string("in ") + test->test_suite_name() + "." + test->name() +
                                  ", " + test->file() + ":" + std::to_string(test->line());
        std::fprintf(stderr, "rank %d: has not come to an end in %g s; it waits %s\n", rank_,
                     limit_s, where.c_str());
        // The first rank to end takes the others with it: let them speak.
        std::this_thread::sleep_for(std::chrono::seconds(1));
        std::_Exit(1);
    }

    int rank_;
    bool done_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;
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
        const validation::Watchdog watchdog(world.rank());
        auto& listeners = testing::UnitTest::GetInstance()->listeners();
        if (!world.is_root()) delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new validation::RankPrinter);
        const int failed = RUN_ALL_TESTS();
        return world.max(failed) > 0 ? 1 : 0;
    });
}
