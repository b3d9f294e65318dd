// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "collectives/device/memory.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/operation/layout.hpp"

namespace shardstone::collectives {

/// Locations of the blocks of one rank in a run, partly in the caller's memory, partly in its own,
/// so that a schedule need not know whether it runs in place.
class Workspace {
  public:
    /// `program` is that of `rank` among `size`. Its own memory is allocated from `memory`, which
    /// outlives the workspace.
    Workspace(const Operation& operation, const CollectiveSpec& spec, const RankProgram& program,
              int size, int rank, const Memory& memory = host_memory());

    const BlockLayout& layout() const noexcept { return layout_; }
    /// Elements of the rank's input and output when out of place.
    std::int64_t input_count() const noexcept { return input_.count; }
    std::int64_t output_count() const noexcept { return output_.count; }

    /// Copies the rank's input to where the schedule needs it.
    void begin(const void* input, void* output);
    /// Copies the rank's output to where the caller needs it.
    void finish();

    std::byte* at(Region region, std::int64_t offset_bytes) const noexcept {
        return bases_[static_cast<std::size_t>(region)] + offset_bytes;
    }

  private:
    std::byte*& base(Region region) { return bases_[static_cast<std::size_t>(region)]; }
    void begin_vector(const std::byte* input, std::byte* output);
    void begin_places(const std::byte* input, std::byte* output);
    void keep_own_share() const;
    std::byte* reserve(std::shared_ptr<std::byte>& own, std::int64_t count) const;
    void copy(std::byte* to, const std::byte* from, std::int64_t count) const;

    BlockLayout layout_;
    const Operation& operation_;
    const Memory& memory_;
    const std::vector<BlockRange> channels_;
    int size_;
    int rank_;
    std::int64_t element_bytes_;
    Extent input_, output_;
    std::array<std::byte*, 4> bases_{};
    std::byte* copy_out_to_ = nullptr;  ///< null when the result is in place
    std::shared_ptr<std::byte> own_vector_;
    std::shared_ptr<std::byte> own_input_;
    std::shared_ptr<std::byte> scratch_;
};

}  // namespace shardstone::collectives
