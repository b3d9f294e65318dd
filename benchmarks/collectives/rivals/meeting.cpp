// SPDX-License-Identifier: BSD-3-Clause
// Processes of any MPI library meet in a shared file: common starts, maxima and clock round trips.
#include "benchmarks/collectives/rivals/meeting.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "collectives/cluster/waiting.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::rivals {

namespace {

using collectives::SharedRounds;

int number_from_environment(const char* variable) {
    const char* const value = std::getenv(variable);
    require(value != nullptr, [&] {
        return fmt::format("{} is not set: start this program through mpiexec", variable);
    });
    return std::atoi(value);
}

/// Growing a file to the size that it has, or has from another process, changes nothing: whoever
/// comes first makes the zeros that everyone starts from.
void* map(const std::string& path, std::size_t size_bytes) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    require(file >= 0, [&] {
        return fmt::format("{}: {}: the driver makes this file", path, std::strerror(errno));
    });
    const bool grown = ftruncate(file, static_cast<off_t>(size_bytes)) == 0;
    void* const memory =
        grown ? mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    close(file);
    require(memory != MAP_FAILED, [&] {
        return fmt::format("{}: {}: put it where {} bytes can be mapped", path,
                           std::strerror(errno), size_bytes);
    });
    return memory;
}

}  // namespace

Extent place_from_launcher() {
    return {number_from_environment("PMI_RANK"), number_from_environment("PMI_SIZE")};
}

Meeting::Meeting(const std::string& path, Extent place, std::function<void()> while_asleep)
    : place_(place),
      while_asleep_(std::move(while_asleep)),
      mapped_bytes_(sizeof(SharedRounds::Shared) + sizeof(Ball) +
                    static_cast<std::size_t>(place.size) * benchmarks::most_values_compared *
                        sizeof(double)),
      memory_(map(path, mapped_bytes_)),
      rounds_(*static_cast<SharedRounds::Shared*>(memory_), place.size) {
    // Not the cores that this process may use: a launcher may have bound each rank to one.
    collectives::Waiter::configure(place.size, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

Meeting::~Meeting() {
    munmap(memory_, mapped_bytes_);
}

Meeting::Ball& Meeting::ball() const {
    return *reinterpret_cast<Ball*>(static_cast<std::byte*>(memory_) +
                                    sizeof(SharedRounds::Shared));
}

double Meeting::round_trip_s() {
    constexpr int tries = 8;
    if (place_.size < 2 || place_.rank > 1 || !collectives::Waiter::own_core()) return 0.0;
    const std::atomic_ref<std::int64_t> thrown(ball().thrown), returned(ball().returned);
    double least_s = std::numeric_limits<double>::infinity();
    for (int attempt = 0; attempt < tries; ++attempt) {
        ++throws_;
        const double start_s = now_s();
        if (place_.rank == 0) {
            thrown.store(throws_, std::memory_order_release);
            while (returned.load(std::memory_order_acquire) < throws_) collectives::relax_core();
        } else {
            while (thrown.load(std::memory_order_acquire) < throws_) collectives::relax_core();
            returned.store(throws_, std::memory_order_release);
        }
        least_s = std::min(least_s, now_s() - start_s);
    }
    return place_.rank == 0 ? least_s : 0.0;
}

double* Meeting::values_of(int rank) const {
    auto* const first = reinterpret_cast<double*>(static_cast<std::byte*>(memory_) +
                                                  sizeof(SharedRounds::Shared) + sizeof(Ball));
    return first + static_cast<std::size_t>(rank) * benchmarks::most_values_compared;
}

void Meeting::line_up() {
    const std::int64_t round = rounds_.current();
    rounds_.arrive();
    collectives::wait_for_news(
        rounds_.bell(), [&] { return rounds_.complete(round); }, [&] { while_asleep_(); });
}

std::vector<double> Meeting::maxima(std::span<const double> mine) {
    require(mine.size() <= benchmarks::most_values_compared, [&] {
        return fmt::format("{} values to compare at a time: {} at most", mine.size(),
                           benchmarks::most_values_compared);
    });
    std::ranges::copy(mine, values_of(place_.rank));
    line_up();
    std::vector<double> largest(mine.begin(), mine.end());
    for (int rank = 0; rank < place_.size; ++rank) {
        const double* const theirs = values_of(rank);
        for (std::size_t i = 0; i < mine.size(); ++i) {
            largest[i] = std::max(largest[i], theirs[i]);
        }
    }
    line_up();  // nobody writes the next values before all have read these
    return largest;
}

}  // namespace shardstone::rivals
