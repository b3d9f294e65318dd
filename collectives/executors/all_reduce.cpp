// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/executors/all_reduce.hpp"

#include <fmt/format.h>

#include "collectives/all_reduce/registry.hpp"
#include "collectives/executors/executor.hpp"
#include "collectives/executors/point_to_point.hpp"
#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

namespace {

std::unique_ptr<Executor> make_executor(Communicator& communicator, std::string_view name,
                                        const VectorSpec& vector) {
    require(vector.count >= 0, [&] {
        return fmt::format("an all-reduce of {} elements: give 0 or more", vector.count);
    });
    const AllReduceAlgorithm algorithm = find_all_reduce(name);
    if (!algorithm.has_schedule()) return algorithm.direct(communicator, vector);
    RankProgram program = algorithm.program(communicator.topology(), communicator.rank());
    const int segments = segments_for(algorithm, vector.size_bytes());
    if (segments > 1) program = segmented(program, segments);
    return make_point_to_point(communicator, program, vector);
}

}  // namespace

AllReduce::AllReduce(Communicator& communicator, std::string_view algorithm, std::int64_t count,
                     ElementType type, Reduction reduction)
    : executor_(make_executor(communicator, algorithm, {count, type, reduction})), count_(count) {}

AllReduce::AllReduce(AllReduce&&) noexcept = default;
AllReduce& AllReduce::operator=(AllReduce&&) noexcept = default;
AllReduce::~AllReduce() = default;

void AllReduce::start(void* buffer) {
    executor_->start(buffer);
}

bool AllReduce::progress() {
    return executor_->progress() == Executor::Progress::done;
}

void AllReduce::wait() {
    executor_->wait();
}

void AllReduce::run(void* buffer) {
    executor_->run(buffer);
}

std::int64_t AllReduce::count() const noexcept {
    return count_;
}

std::int64_t AllReduce::bytes_sent() const noexcept {
    return executor_->bytes_sent();
}

}  // namespace shardstone::collectives
