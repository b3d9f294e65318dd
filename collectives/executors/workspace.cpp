// SPDX-License-Identifier: BSD-3-Clause
// Copies in and out that let one schedule run in place or not, on whole vectors or on shares.
#include "collectives/executors/workspace.hpp"

namespace shardstone::collectives {

Workspace::Workspace(const Operation& operation, const CollectiveSpec& spec,
                     const RankProgram& program, int size, int rank, const Memory& memory)
    : layout_(spec, operation.sharing, program.channels, size),
      operation_(operation),
      memory_(memory),
      channels_(program.channels),
      size_(size),
      rank_(rank),
      element_bytes_(spec.vector.element_bytes()) {
    const RankRole role{size, spec.root, rank};
    input_ = layout_.span_of(operation.before, role);
    output_ = layout_.span_of(operation.after, role);
    if (moves_data(operation.sharing)) {
        base(Region::scratch) = reserve(scratch_, layout_.length(rank, Region::scratch));
    }
}

/// Memory of our own, taken when it is first needed.
std::byte* Workspace::reserve(std::shared_ptr<std::byte>& own, std::int64_t count) const {
    if (own == nullptr) own = memory_.allocate(count * element_bytes_);
    return own.get();
}

void Workspace::copy(std::byte* to, const std::byte* from, std::int64_t count) const {
    if (count > 0) memory_.copy(to, from, count * element_bytes_);
}

void Workspace::begin(const void* input, void* output) {
    const auto* const from = static_cast<const std::byte*>(input);
    auto* const to = static_cast<std::byte*>(output);
    if (moves_data(operation_.sharing)) {
        begin_places(from, to);
    } else {
        begin_vector(from, to);
    }
}

void Workspace::begin_vector(const std::byte* input, std::byte* output) {
    if (input == output) {
        base(Region::vector) = output;
        return;
    }
    const std::int64_t whole = layout_.length(rank_, Region::vector);
    const bool output_is_whole = output_.count == whole;
    base(Region::vector) = output_is_whole ? output : reserve(own_vector_, whole);
    copy_out_to_ = output_is_whole ? nullptr : output;
    copy(at(Region::vector, input_.begin * element_bytes_), input, input_.count);
}

void Workspace::begin_places(const std::byte* input, std::byte* output) {
    base(Region::input) = const_cast<std::byte*>(input);  // schedules only send from there
    base(Region::output) = output;
    if (input == output) {
        // What is still to be sent would be overwritten: a copy is sent.
        base(Region::input) = reserve(own_input_, input_.count);
        copy(base(Region::input), input, input_.count);
    }
    if (operation_.sharing == Sharing::by_pair) keep_own_share();
}

void Workspace::keep_own_share() const {
    for (const BlockRange owned : channels_) {
        const Extent from = layout_.at(rank_, owned.first + rank_);
        const Extent to = layout_.at(rank_, owned.first + size_ + rank_);
        copy(at(to.region, to.begin * element_bytes_), at(from.region, from.begin * element_bytes_),
             from.count);
    }
}

void Workspace::finish() {
    if (copy_out_to_ == nullptr) return;
    copy(copy_out_to_, at(Region::vector, output_.begin * element_bytes_), output_.count);
    copy_out_to_ = nullptr;
}

}  // namespace shardstone::collectives
