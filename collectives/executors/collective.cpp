// SPDX-License-Identifier: BSD-3-Clause
// A collective as its users hold it: the data checked, and the algorithm's executor made and run.
#include "collectives/executors/collective.hpp"

#include <fmt/format.h>

#include "collectives/device/memory.hpp"
#include "collectives/executors/averaging.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/executor.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::collectives {

namespace {

void require_data(const Algorithm& algorithm, const CollectiveSpec& spec, int size) {
    const std::string& operation = algorithm.operation->name;
    require(spec.vector.count >= 0, [&] {
        return fmt::format("{} of {} elements: give 0 or more", operation, spec.vector.count);
    });
    require(spec.root >= 0 && spec.root < size, [&] {
        return fmt::format("root {} of {}: give a rank from 0 to {}", spec.root, operation,
                           size - 1);
    });
    const bool equal = spec.shares.empty() && spec.vector.count % size == 0;
    require(equal || !algorithm.equal_shares_only, [&] {
        return fmt::format(
            "{} {} takes equal shares only: give {} elements as a multiple of {}, or "
            "use another algorithm",
            operation, algorithm.name, spec.vector.count, size);
    });
}

std::unique_ptr<Executor> make_checked(Communicator& communicator, const Algorithm& algorithm,
                                       const CollectiveSpec& spec) {
    require_data(algorithm, spec, communicator.size());
    const Operation& operation = *algorithm.operation;
    const bool averages = operation.reduces && spec.vector.reduction == Reduction::avg;
    require(!averages || !algorithm.memory.copy, [&] {
        return algorithm.name + " cannot take an avg, which the host divides: give sum, max or min";
    });
    auto executor = make_executor(communicator, algorithm, spec);
    if (!averages) return executor;
    return make_averaging(std::move(executor), operation, spec, communicator.size(),
                          communicator.rank());
}

}  // namespace

std::shared_ptr<std::byte> make_buffer(Communicator& communicator, const Algorithm& algorithm,
                                       std::int64_t size_bytes) {
    const auto& allocate = algorithm.memory.allocate;
    return allocate ? allocate(communicator, size_bytes) : host_memory().allocate(size_bytes);
}

Collective::Collective(Communicator& communicator, const Algorithm& algorithm,
                       const CollectiveSpec& spec)
    : executor_(make_checked(communicator, algorithm, spec)),
      action_(fmt::format("{} {}, {}", algorithm.operation->name, algorithm.name,
                          format_size(spec.vector.size_bytes()))) {}

Collective::Collective(Communicator& communicator, std::string_view operation,
                       std::string_view algorithm, const CollectiveSpec& spec)
    : Collective(communicator, find_algorithm(operation, algorithm), spec) {}

Collective::Collective(Collective&&) noexcept = default;
Collective& Collective::operator=(Collective&&) noexcept = default;
Collective::~Collective() = default;

void Collective::start(const void* input, void* output) {
    action_.begin();
    executor_->start(input, output);
}

bool Collective::progress() {
    const Executor::Progress progress = executor_->progress();
    has_moved_ = progress != Executor::Progress::none;
    return progress == Executor::Progress::done;
}

void Collective::wait() {
    executor_->wait();
}

std::string Collective::waits_for() const {
    return executor_->waits_for();
}

void Collective::run(const void* input, void* output) {
    action_.begin();
    executor_->run(input, output);
}

std::int64_t Collective::bytes_sent() const noexcept {
    return executor_->bytes_sent();
}

AllReduce::AllReduce(Communicator& communicator, std::string_view algorithm, std::int64_t count,
                     ElementType type, Reduction reduction)
    : Collective(communicator, "all_reduce", algorithm, {{count, type, reduction}, 0, {}}),
      count_(count) {}

}  // namespace shardstone::collectives
