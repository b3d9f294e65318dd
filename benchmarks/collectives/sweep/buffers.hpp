// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "benchmarks/collectives/known_data.hpp"
#include "benchmarks/collectives/sweep/plan.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

/// How the buffers of a point are used.
struct BufferUse {
    bool in_place = true;
    bool checked = true;  ///< else zeros go in, and nobody looks at what comes out
    Rotation rotation;
};

/// The input and output of one collective, or several of them that take turns, ready to be checked
/// after any run: what was there before a run is the input and, where the result is to be, bytes
/// that are none (not a number in every floating type).
class Buffers {
  public:
    /// In the memory that the algorithm works best on. Collective; `data` outlives this object.
    Buffers(collectives::Communicator& communicator, const collectives::Algorithm& algorithm,
            const KnownData& data, std::int64_t element_bytes, const BufferUse& use);

    const void* input() const { return input_at(turn_); }
    void* output() const { return use_.in_place ? input_at(turn_) : output_at(turn_); }

    /// Before every run: the next buffers' turn, and the last ones made as they were, so that as
    /// many others as there are have been through the caches since.
    void next();

    /// After `data` was given other values: makes the buffers whose turn it is as new with these.
    void renew();

    /// Elements of this rank's newest result that are wrong, and of its input that were changed.
    std::int64_t wrong_elements() const;

    /// How many take turns; equal on all ranks.
    std::int64_t rotated() const { return rotated_; }

  private:
    std::byte* input_at(std::int64_t turn) const { return inputs_.get() + turn * input_stride_; }
    std::byte* output_at(std::int64_t turn) const { return outputs_.get() + turn * output_stride_; }
    void make_pristine();
    void put(std::byte* to, const std::vector<std::byte>& bytes) const;
    /// What is there, where the host can read it.
    const std::byte* seen(const std::byte* from, std::int64_t size_bytes) const;
    void restore(std::int64_t turn) const;

    const KnownData& data_;
    BufferUse use_;
    std::int64_t element_bytes_;
    std::int64_t input_bytes_, output_bytes_;    ///< of this rank; no output where in place
    std::int64_t input_stride_, output_stride_;  ///< equal on all ranks
    std::int64_t rotated_ = 1;
    std::int64_t turn_ = 0;
    bool used_ = false;
    std::function<void(void*, const void*, std::int64_t)> copy_;  ///< VectorMemory::copy
    std::vector<std::byte> pristine_;                             ///< the input as it was given
    std::vector<std::byte> poison_;        ///< for outputs that the host cannot write
    mutable std::vector<std::byte> seen_;  ///< of those, what the host looks at
    std::shared_ptr<std::byte> inputs_, outputs_;
};

}  // namespace shardstone::benchmarks
