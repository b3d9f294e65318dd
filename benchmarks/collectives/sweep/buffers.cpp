// SPDX-License-Identifier: BSD-3-Clause
// Buffers take turns to defeat the caches, and are poisoned so that a missed write shows.
#include "benchmarks/collectives/sweep/buffers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "collectives/device/devices.hpp"
#include "collectives/executors/collective.hpp"
#include "results/record/environment.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::byte poison{0xff};

std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count);
}

/// Room for the longest buffer of any rank, in whole cache lines.
std::int64_t stride_of(const collectives::Communicator& communicator, std::int64_t size_bytes) {
    const auto longest =
        static_cast<std::int64_t>(communicator.max(static_cast<double>(size_bytes)));
    constexpr std::int64_t line = collectives::block_grain_bytes;
    return (longest + line - 1) / line * line;
}

/// Of the outermost level, over all its caches.
std::int64_t last_level_cache_bytes() {
    std::int64_t level = 0;
    std::int64_t size_bytes = 0;
    const auto machine = results::machine_description();
    for (const auto& cache : machine.at("caches")) {
        const auto of_these = cache.at("level").get<std::int64_t>();
        if (of_these < level) continue;
        if (of_these > level) size_bytes = 0;
        level = of_these;
        size_bytes += cache.at("size_bytes").get<std::int64_t>() * cache.at("count").get<int>();
    }
    return size_bytes;
}

/// What a rank has of it: its GPU's, or its share of its node's.
std::int64_t cache_bytes_of_rank(const collectives::Communicator& communicator, bool is_on_gpu) {
    if (is_on_gpu) return collectives::list_devices().devices.at(0).cache_bytes;
    return last_level_cache_bytes() / communicator.topology().largest_node();
}

/// So many that the buffers of a rank, or of a node's ranks together, are twice the last-level
/// caches.
std::int64_t buffers_beyond_caches(const collectives::Communicator& communicator,
                                   std::int64_t stride_bytes, bool is_on_gpu) {
    const std::int64_t wanted = 2 * cache_bytes_of_rank(communicator, is_on_gpu);
    const std::int64_t buffers = wanted / std::max<std::int64_t>(stride_bytes, 1) + 1;
    return static_cast<std::int64_t>(communicator.max(static_cast<double>(buffers)));
}

}  // namespace

Buffers::Buffers(collectives::Communicator& communicator, const collectives::Algorithm& algorithm,
                 const KnownData& data, std::int64_t element_bytes, const BufferUse& use)
    : data_(data),
      use_(use),
      element_bytes_(element_bytes),
      input_bytes_((use.in_place ? data.in_place_count() : data.input_count()) * element_bytes),
      output_bytes_(use.in_place ? 0 : data.output_count() * element_bytes),
      input_stride_(stride_of(communicator, input_bytes_)),
      output_stride_(stride_of(communicator, output_bytes_)),
      rotated_(use.rotation.buffers > 0
                   ? use.rotation.buffers
                   : buffers_beyond_caches(communicator, input_stride_ + output_stride_,
                                           algorithm.memory.allocate != nullptr)),
      copy_(algorithm.memory.copy) {
    const auto make = [&](std::int64_t stride) {
        return collectives::make_buffer(communicator, algorithm, rotated_ * stride);
    };
    inputs_ = make(input_stride_);
    if (!use.in_place) outputs_ = make(output_stride_);
    make_pristine();
    if (copy_) poison_.assign(bytes(output_bytes_), poison);
    if (!copy_) {
        for (std::int64_t turn = 0; turn < rotated_; ++turn) {
            put(input_at(turn), pristine_);
            restore(turn);
        }
        return;
    }
    write_all(inputs_.get(), input_stride_, pristine_);
    if (!use.in_place) write_all(outputs_.get(), output_stride_, poison_);
}

/// Many at a time, since a copy to a GPU takes microseconds, and there may be a million buffers.
void Buffers::write_all(std::byte* to, std::int64_t stride,
                        const std::vector<std::byte>& contents) {
    constexpr std::int64_t most_bytes = 16 << 20;
    const std::int64_t at_once =
        std::clamp<std::int64_t>(most_bytes / std::max<std::int64_t>(stride, 1), 1, rotated_);
    if (at_once == 1) {
        for (std::int64_t turn = 0; turn < rotated_; ++turn) put(to + turn * stride, contents);
        return;
    }
    std::vector<std::byte> several(bytes(at_once * stride));
    for (std::int64_t turn = 0; turn < at_once; ++turn) {
        std::ranges::copy(contents, several.begin() + turn * stride);
    }
    for (std::int64_t turn = 0; turn < rotated_; turn += at_once) {
        several.resize(bytes(std::min(at_once, rotated_ - turn) * stride));
        put(to + turn * stride, several);
    }
}

void Buffers::make_pristine() {
    pristine_.assign(bytes(input_bytes_), std::byte{0});
    if (!use_.checked) return;
    std::ranges::fill(pristine_, poison);
    data_.fill(pristine_.data(), use_.in_place);
}

void Buffers::put(std::byte* to, const std::vector<std::byte>& bytes) const {
    if (copy_) {
        copy_(to, bytes.data(), std::ssize(bytes));
    } else {
        std::ranges::copy(bytes, to);
    }
}

const std::byte* Buffers::seen(const std::byte* from, std::int64_t size_bytes) const {
    if (!copy_) return from;
    seen_.resize(bytes(size_bytes));
    copy_(seen_.data(), from, size_bytes);
    return seen_.data();
}

void Buffers::restore(std::int64_t turn) const {
    if (use_.in_place) {
        put(input_at(turn), pristine_);
    } else if (copy_) {
        put(output_at(turn), poison_);
    } else {
        std::fill_n(output_at(turn), bytes(output_bytes_), poison);
    }
}

void Buffers::next() {
    if (used_ && use_.checked) restore(turn_);
    if (used_) turn_ = (turn_ + 1) % rotated_;
    used_ = true;
}

void Buffers::renew() {
    make_pristine();
    put(input_at(turn_), pristine_);
    restore(turn_);
}

std::int64_t Buffers::wrong_elements() const {
    const std::byte* const result = use_.in_place ? input_at(turn_) : output_at(turn_);
    std::int64_t wrong = data_.wrong_elements(
        seen(result, use_.in_place ? input_bytes_ : output_bytes_), use_.in_place);
    if (use_.in_place) return wrong;
    const std::byte* const input = seen(input_at(turn_), input_bytes_);
    for (std::int64_t at = 0; at < input_bytes_; at += element_bytes_) {
        wrong += std::memcmp(input + at, pristine_.data() + at, bytes(element_bytes_)) != 0;
    }
    return wrong;
}

}  // namespace shardstone::benchmarks
