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

/// Use of the buffers of a point.
struct BufferUse {
    bool in_place = true;
    bool checked = true;  ///< otherwise inputs are zero, and outputs are not checked
    Rotation rotation;
};

/// The input and output of one collective, or several of them used in turn, ready to be checked
/// after any run: before a run they contain the input and, in place of the result, bytes that
/// cannot be one (NaN in every floating type).
class Buffers {
  public:
    /// In the memory that suits the algorithm best. Collective; `data` must outlive this object.
    Buffers(collectives::Communicator& communicator, const collectives::Algorithm& algorithm,
            const KnownData& data, std::int64_t element_bytes, const BufferUse& use);

    const void* input() const { return input_at(turn_); }
    void* output() const { return use_.in_place ? input_at(turn_) : output_at(turn_); }

    /// To be called before every run: advances to the next buffers, and restores the last ones, so
    /// that all others have passed through the caches before they are used again.
    void next();

    /// To be called after `data` has switched to other values: reinitialises the current buffers
    /// with these.
    void renew();

    /// Number of wrong elements in this rank's newest result, and of changed elements in its input.
    std::int64_t wrong_elements() const;

    /// Number of buffers used in turn; equal on all ranks.
    std::int64_t rotated() const { return rotated_; }

  private:
    std::byte* input_at(std::int64_t turn) const { return inputs_.get() + turn * input_stride_; }
    std::byte* output_at(std::int64_t turn) const { return outputs_.get() + turn * output_stride_; }
    void make_pristine();
    void write_all(std::byte* to, std::int64_t stride, const std::vector<std::byte>& contents);
    void put(std::byte* to, const std::vector<std::byte>& bytes) const;
    /// The contents, in memory that the host can read.
    const std::byte* seen(const std::byte* from, std::int64_t size_bytes) const;
    void restore(std::int64_t turn) const;

    const KnownData& data_;
    BufferUse use_;
    std::int64_t element_bytes_;
    std::int64_t input_bytes_, output_bytes_;    ///< of this rank; no output if in place
    std::int64_t input_stride_, output_stride_;  ///< equal on all ranks
    std::int64_t rotated_ = 1;
    std::int64_t turn_ = 0;
    bool used_ = false;
    std::function<void(void*, const void*, std::int64_t)> copy_;  ///< VectorMemory::copy
    std::vector<std::byte> pristine_;                             ///< the original input
    std::vector<std::byte> poison_;        ///< for outputs that the host cannot write
    mutable std::vector<std::byte> seen_;  ///< of those, the copy read by the host
    std::shared_ptr<std::byte> inputs_, outputs_;
};

}  // namespace shardstone::benchmarks
