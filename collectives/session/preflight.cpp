// SPDX-License-Identifier: BSD-3-Clause
// Memory, descriptors, threads and clocks checked on every rank before a run that may take hours.
#include "collectives/session/preflight.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "collectives/cluster/process.hpp"
#include "kernels/base/available_memory.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/threads.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::collectives {

namespace {

constexpr int files_of_our_own = 16;  // outputs, their journal, records of failures, a window

/// Beyond what MPI has taken: the least model and a page for each message.
constexpr std::int64_t least_memory_bytes = std::int64_t{16} << 20;
/// That watch for ranks that stand still.
constexpr int threads_of_our_own = 2;

/// What a limit of the process counts as soon as a thread starts, whatever it uses of it.
std::int64_t stack_bytes() {
    pthread_attr_t usual;
    std::size_t bytes = 0;
    if (pthread_attr_init(&usual) != 0) return 0;
    pthread_attr_getstacksize(&usual, &bytes);
    pthread_attr_destroy(&usual);
    return static_cast<std::int64_t>(bytes);
}

void require_some_memory(int ranks_on_node) {
    const AvailableMemory memory = available_memory();
    const auto room = memory.for_each_of(ranks_on_node);
    if (!room) return;
    const bool is_of_process = memory.of_process && room->name == memory.of_process->name;
    const std::int64_t least_bytes =
        least_memory_bytes + (is_of_process ? threads_of_our_own * stack_bytes() : 0);
    require(room->bytes >= least_bytes, [&] {
        return fmt::format(
            "only {} of memory are left for each rank ({}), and {} is the least: "
            "raise the limit, or start fewer ranks on a node",
            format_size(room->bytes), room->name, format_size(least_bytes));
    });
}

int open_descriptors() {
    std::error_code ignored;
    const std::filesystem::directory_iterator all("/proc/self/fd", ignored);
    return static_cast<int>(std::distance(begin(all), end(all)));
}

/// A connection each way to every other rank, where MPI talks over sockets.
long wanted_descriptors(int open, int ranks) {
    return open + files_of_our_own + 2L * (ranks - 1);
}

std::optional<std::string> check_descriptors(int ranks) {
    const int open = open_descriptors();
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
    const auto wanted = static_cast<rlim_t>(wanted_descriptors(open, ranks));
    if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = std::min(wanted, limit.rlim_max);
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    const rlim_t most = std::min<rlim_t>(limit.rlim_cur, 1L << 30);  // "unlimited" is more
    return judge_descriptors(static_cast<long>(most), open, ranks);
}

void require_threads() {
    start_thread([] {}).join();
}

/// What this rank has to say; throws Error naming it where it cannot run.
std::string check_rank(const Communicator& world) {
    const auto& topology = world.found_topology();
    const int node = topology.node_of(world.rank());
    try {
        require_some_memory(static_cast<int>(topology.ranks_on(node).size()));
        require_threads();
        return check_descriptors(world.size()).value_or("");
    } catch (const Error& error) {
        fail(fmt::format("rank {} on {}: {}", world.rank(), node_name(), error.what()));
    }
}

double clock_s() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

/// Before the year that this was written in: an emptied battery.
std::string check_date(double now_s) {
    constexpr double january_2024_s = 1'704'067'200.0;
    return now_s < january_2024_s ? "the clock says that it is before 2024: set it" : "";
}

struct Clocks {
    std::vector<double> offsets_s;
    bool backward = false;
};

Clocks compare_clocks(const Communicator& world) {
    std::array<double, 2> mine{clock_s(), 0.0};
    world.barrier();
    mine[1] = clock_s();
    const auto all = world.all_gather(mine);
    std::vector<double> before_s, after_s;
    for (std::size_t rank = 0; rank < all.size() / 2; ++rank) {
        before_s.push_back(all[2 * rank]);
        after_s.push_back(all[2 * rank + 1]);
    }
    return {proved_clock_offsets(before_s, after_s), mine[1] < mine[0]};
}

/// The first rank of each node speaks of the node, each of itself.
std::string own_words(const Communicator& world, const std::string& of_rank, const Clocks& clocks,
                      const Leftovers& leftovers) {
    const auto& topology = world.found_topology();
    const bool speaks = topology.ranks_on(topology.node_of(world.rank())).front() == world.rank();
    std::string lines;
    const auto say = [&](const std::string& text) {
        if (text.empty()) return;
        lines += fmt::format("{}rank {} on {}: {}", lines.empty() ? "" : "\n", world.rank(),
                             node_name(), text);
    };
    say(of_rank);
    if (!speaks) return lines;
    const double offset_s = clocks.offsets_s[static_cast<std::size_t>(world.rank())];
    say(clock_warning(offset_s).value_or(""));
    say(check_date(clock_s()));
    if (clocks.backward) say("the clock ran backward: times in logs and journals are misleading");
    for (const auto& path : leftovers.unproved) {
        say(fmt::format(
            "'{0}' seems to be left over from a killed run: if no job of yours runs there, rm {0}",
            path.string()));
    }
    return lines;
}

std::vector<std::string> lines_of(const std::vector<std::string>& texts) {
    std::vector<std::string> lines;
    for (const auto& text : texts) {
        for (std::size_t begin = 0; begin < text.size();) {
            const auto end = std::min(text.find('\n', begin), text.size());
            lines.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    return lines;
}

}  // namespace

std::optional<std::string> judge_descriptors(long most, int open, int ranks) {
    require(most >= open + files_of_our_own, [&] {
        return fmt::format(
            "may have {} files open and has {}, with no {} left for outputs: raise "
            "ulimit -n",
            most, open, files_of_our_own);
    });
    const long wanted = wanted_descriptors(open, ranks);
    if (most >= wanted) return std::nullopt;
    return fmt::format(
        "may have {} files open, and {} ranks that communicate over sockets may need {}: raise "
        "ulimit -n",
        most, ranks, wanted);
}

std::optional<std::string> clock_warning(double offset_s) {
    constexpr double most_apart_s = 2.0;
    if (std::abs(offset_s) <= most_apart_s) return std::nullopt;
    return fmt::format(
        "the clock is at least {:.1f} s {} the others': times of this node in logs are misleading; "
        "set it "
        "(chronyc, ntpdate)",
        std::abs(offset_s), offset_s > 0.0 ? "ahead of" : "behind");
}

std::vector<double> proved_clock_offsets(std::span<const double> before_s,
                                         std::span<const double> after_s) {
    const auto middle = [&](std::size_t rank) { return before_s[rank] + after_s[rank]; };
    std::vector<std::size_t> order(before_s.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, middle);
    const std::size_t reference = order[(order.size() - 1) / 2];
    std::vector<double> offsets_s;
    for (std::size_t rank = 0; rank < before_s.size(); ++rank) {
        const double least = before_s[rank] - after_s[reference];
        const double most = after_s[rank] - before_s[reference];
        offsets_s.push_back(least > 0.0 ? least : std::min(most, 0.0));
    }
    return offsets_s;
}

PreflightFindings preflight(const Communicator& world) {
    const std::string of_rank = world.agree([&] { return check_rank(world); });
    const auto& topology = world.found_topology();
    const bool speaks = topology.ranks_on(topology.node_of(world.rank())).front() == world.rank();
    PreflightFindings found;
    if (speaks) found.leftovers = clear_leftovers();
    const Clocks clocks = compare_clocks(world);
    found.warnings = lines_of(world.gather(own_words(world, of_rank, clocks, found.leftovers)));
    return found;
}

}  // namespace shardstone::collectives
