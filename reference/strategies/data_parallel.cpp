// SPDX-License-Identifier: BSD-3-Clause
#include "reference/strategies/data_parallel.hpp"

#include <algorithm>

#include "collectives/cluster/waiting.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

static_assert(sizeof(ExactPair) == 2 * sizeof(double), "sums are reduced as pairs of FP64");

/// Bytes that this rank's schedule sends for one all-reduce of `count` elements.
std::int64_t volume_bytes(const coll::Communicator& communicator, const coll::Algorithm& algorithm,
                          std::int64_t count, ElementType type) {
    const coll::CollectiveSpec spec{{count, type, coll::Reduction::sum}, 0, {}};
    return coll::scheduled_bytes(algorithm, communicator.topology(), communicator.rank(), spec);
}

/// What one gradient of a bucket looks like on the wire.
struct Wire {
    ElementType type;
    std::int64_t words;
};

Wire wire_of(bool reproducible) {
    return reproducible ? Wire{ElementType::fp64, 2} : Wire{ElementType::fp32, 1};
}

constexpr Wire loss_wire{ElementType::fp64, 2};

}  // namespace

DataParallel::DataParallel(coll::Communicator& communicator, const Options& options,
                           std::vector<Bucket> buckets, std::span<float> gradients)
    : buckets_(std::move(buckets)),
      gradients_(gradients),
      sums_(options.reproducible ? gradients.size() : 0),
      term_limit_(exact_term_limit(options.terms)),
      in_flight_(buckets_.size(), false),
      loss_reduction_(communicator, options.all_reduce, loss_wire.words, loss_wire.type,
                      coll::Reduction::sum) {
    const auto algorithm = coll::find_algorithm("all_reduce", options.all_reduce);
    const auto [type, words] = wire_of(options.reproducible);
    for (const Bucket& bucket : buckets_) {
        const std::int64_t count = bucket.count * words;
        reductions_.emplace_back(communicator, options.all_reduce, count, type,
                                 coll::Reduction::sum);
        bucket_bytes_ += volume_bytes(communicator, algorithm, count, type);
    }
    loss_bytes_ = volume_bytes(communicator, algorithm, loss_wire.words, loss_wire.type);
    bytes_visible_ = algorithm.has_schedule();
}

void DataParallel::begin_step() {
    std::ranges::fill(gradients_, 0.0F);
    std::ranges::fill(sums_, ExactPair{});
    begin_loss();
    summed_ = 0;
}

void DataParallel::gradients_final(std::int64_t n) {
    if (sums_.empty()) return;
    const auto first = static_cast<std::size_t>(summed_);
    const auto count = static_cast<std::size_t>(n - summed_);
    const auto piece = gradients_.subspan(first, count);
    add_exactly(piece, term_limit_, std::span(sums_).subspan(first, count));
    std::ranges::fill(piece, 0.0F);  // the next micro-batch starts from nothing
    summed_ = n == std::ssize(gradients_) ? 0 : n;
}

void* DataParallel::buffer_of(const Bucket& bucket) {
    const auto first = static_cast<std::size_t>(bucket.first);
    if (sums_.empty()) return gradients_.data() + first;
    return sums_.data() + first;
}

void DataParallel::start_bucket(std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    reductions_[i].start(buffer_of(buckets_[i]));
    in_flight_[i] = true;
}

void DataParallel::finish_bucket(const Bucket& bucket) {
    if (sums_.empty()) return;
    const auto first = static_cast<std::size_t>(bucket.first);
    const auto count = static_cast<std::size_t>(bucket.count);
    round_sums(std::span(sums_).subspan(first, count), gradients_.subspan(first, count));
}

void DataParallel::wait_bucket(std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    for (coll::Waiter waiter; in_flight_[i]; waiter.idle()) progress();
    finish_bucket(buckets_[i]);
}

void DataParallel::start_loss() {
    loss_reduction_.start(&loss_);
    loss_in_flight_ = true;
}

double DataParallel::wait_loss() {
    loss_reduction_.wait();
    loss_in_flight_ = false;
    return loss_.value();
}

void DataParallel::progress() {
    if (loss_in_flight_) loss_in_flight_ = !loss_reduction_.progress();
    for (std::size_t i = 0; i < reductions_.size(); ++i) {
        if (!in_flight_[i] || !reductions_[i].progress()) continue;
        in_flight_[i] = false;
        arrived_(static_cast<std::int64_t>(i));
    }
}

std::int64_t DataParallel::bytes_sent() const {
    std::int64_t total = loss_reduction_.bytes_sent();
    for (const auto& reduction : reductions_) total += reduction.bytes_sent();
    return total;
}

std::int64_t DataParallel::sums_bytes() const {
    return std::ssize(sums_) * static_cast<std::int64_t>(sizeof(ExactPair));
}

}  // namespace shardstone::reference
