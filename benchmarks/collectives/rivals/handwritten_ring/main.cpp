// SPDX-License-Identifier: BSD-3-Clause
// What running a schedule costs over a hand-written loop of the same ring, on the ranks at hand:
//   handwritten_ring SIZE_BYTES...                times both in turns, prints the paired ratio
//   handwritten_ring --count WHICH ITERATIONS     runs one at 4 B, to be counted by callgrind
// Each pair is one batch of runs of either, in changing order; its time is the maximum over ranks.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "benchmarks/collectives/rivals/handwritten_ring/ring.hpp"
#include "benchmarks/harness/start_line.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/session/session.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"

namespace {

/// While instructions are counted an empty look is never returned: how often a rank looks in vain
/// is chance, and would drown what is to be compared. Never inlined, so that callgrind sees it.
bool patient = false;

}  // namespace

extern "C" [[gnu::noipa]] int MPI_Testsome(int incount, MPI_Request* requests, int* outcount,
                                           int* indices, MPI_Status* statuses) {
    int code = PMPI_Testsome(incount, requests, outcount, indices, statuses);
    while (patient && code == MPI_SUCCESS && *outcount == 0) {
        code = PMPI_Testsome(incount, requests, outcount, indices, statuses);
    }
    return code;
}

/// Callgrind counts inside this function only.
extern "C" [[gnu::noipa]] void shardstone_counted_runs(const std::function<void()>& run,
                                                       int iterations) {
    for (int i = 0; i < iterations; ++i) run();
}

namespace {

using namespace shardstone;
using collectives::Communicator;
using Run = std::function<void()>;

constexpr int pairs = 1000;

/// Both ways to run the ring, on vectors of zeros.
struct Rivals {
    Rivals(Communicator& world, std::int64_t count)
        : executor(world, "ring", count, ElementType::fp32, collectives::Reduction::sum),
          handwritten(world, count),
          vector(static_cast<std::size_t>(count)) {}

    collectives::AllReduce executor;
    rivals::HandwrittenRing handwritten;
    std::vector<float> vector;
};

/// Median, with its interval, of time(a) / time(b) over pairs of batches.
std::string paired_ratio(const Communicator& world, int batch, const Run& a, const Run& b) {
    benchmarks::StartLine start_line(world);
    const auto time_s = [&](const Run& run) {
        start_line.wait();
        const double begin_s = now_s();
        for (int i = 0; i < batch; ++i) run();
        return now_s() - begin_s;
    };
    std::vector<double> mine;
    for (int pair = 0; pair < pairs; ++pair) {
        const bool a_first = pair % 2 == 0;
        const double first_s = time_s(a_first ? a : b);
        const double second_s = time_s(a_first ? b : a);
        mine.push_back(a_first ? first_s : second_s);
        mine.push_back(a_first ? second_s : first_s);
    }
    const auto all = world.all_gather(mine);
    for (std::size_t i = 0; i < all.size(); ++i) {
        double& place = mine[i % mine.size()];
        place = std::max(place, all[i]);
    }
    std::vector<double> ratios, a_s, b_s;
    for (std::size_t i = 0; i < mine.size(); i += 2) {
        a_s.push_back(mine[i] / batch);
        b_s.push_back(mine[i + 1] / batch);
        ratios.push_back(mine[i] / mine[i + 1]);
    }
    const auto interval = median_interval(ratios).value();
    return fmt::format("{:.3f} [{:.3f}, {:.3f}] ({} / {})", median(ratios), interval.low,
                       interval.high, format_time(median(a_s)), format_time(median(b_s)));
}

void compare(Communicator& world, std::int64_t size_bytes) {
    Rivals rivals(world, size_bytes / static_cast<std::int64_t>(sizeof(float)));
    const Run executor = [&] { rivals.executor.run(rivals.vector.data()); };
    const Run handwritten = [&] { rivals.handwritten.run(rivals.vector.data()); };
    const int batch = size_bytes < 16384 ? 64 : 4;
    const auto same = paired_ratio(world, batch, handwritten, handwritten);
    const auto ratio = paired_ratio(world, batch, executor, handwritten);
    if (!world.is_root()) return;
    fmt::print("{}: executor / hand-written {}; hand-written / itself {}\n",
               format_size(size_bytes), ratio, same);
}

int count(Communicator& world, const std::string& which, int iterations) {
    require(which == "executor" || which == "handwritten",
            [&] { return fmt::format("--count {}: use executor or handwritten", which); });
    Rivals rivals(world, 1);
    Run run = [&] { rivals.executor.run(rivals.vector.data()); };
    if (which == "handwritten") run = [&] { rivals.handwritten.run(rivals.vector.data()); };
    patient = true;
    run();  // what is set up by the first message is no part of the count
    shardstone_counted_runs(run, iterations);
    patient = false;
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    return collectives::run_session([&](Communicator& world) {
        if (words.size() == 3 && words[0] == "--count") {
            return count(world, words[1], std::atoi(words[2].c_str()));
        }
        require(!words.empty(), "give sizes, or --count executor|handwritten ITERATIONS");
        for (const std::string& word : words) compare(world, parse_size_bytes(word));
        return 0;
    });
}
