// SPDX-License-Identifier: BSD-3-Clause
// The pieces that ranks own of weights, gradients and moments are gathered into the whole model.
#include "reference/trainer/model_state.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>

#include "kernels/base/error.hpp"
#include "kernels/tensor/arrays.hpp"

namespace shardstone::reference {

namespace {

template <class Real>
using Field = std::vector<Real> ModelState<Real>::*;

template <class Real>
constexpr std::array<Field<Real>, 4> state_fields{
    &ModelState<Real>::weights, &ModelState<Real>::gradients, &ModelState<Real>::first_moments,
    &ModelState<Real>::second_moments};
constexpr std::array<const char*, 4> state_field_names{"weight", "gradient", "first moment",
                                                       "second moment"};

/// Identifies the elements that follow in a packed message.
struct PackedHeader {
    std::int64_t field, tensor, first, count;
};

template <class Real, class Space>
std::vector<Real> state_values(Trainer<Real, Space>& trainer, std::size_t field,
                               const Range& range) {
    if (field == 0) return trainer.optimizer().weights(range);
    const auto values = field == 1   ? trainer.memory().gradients(range)
                        : field == 2 ? trainer.optimizer().first_moments(range)
                                     : trainer.optimizer().second_moments(range);
    return read_array<Real>(trainer.queue(), values.data(),
                            static_cast<std::int64_t>(values.size()));
}

template <class T>
void append_values(std::string& bytes, const T* values, std::size_t count) {
    bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

/// Appends what the rank owns of one local tensor, piece by piece.
template <class Real, class Space>
void pack_tensor(Trainer<Real, Space>& trainer, const ParameterInfo& tensor, std::int64_t number,
                 std::string& bytes) {
    for (const Range& range : trainer.memory().owned().within({tensor.offset, tensor.count})) {
        const std::int64_t first = range.first - tensor.offset;
        for (std::size_t field = 0; field < state_field_names.size(); ++field) {
            const auto values = state_values(trainer, field, range);
            if (values.empty()) continue;
            for (const TensorPiece& piece : tensor.pieces()) {
                const std::int64_t from = std::max(first, piece.local);
                const std::int64_t to = std::min(first + range.count, piece.local + piece.count);
                if (from >= to) continue;
                const PackedHeader header{static_cast<std::int64_t>(field), number,
                                          piece.global + from - piece.local, to - from};
                append_values(bytes, &header, 1);
                append_values(bytes, values.data() + (from - first),
                              static_cast<std::size_t>(to - from));
            }
        }
    }
}

/// Copies packed pieces to their positions in the whole model.
template <class Real>
class StateAssembly {
  public:
    explicit StateAssembly(const ParameterLayout& layout) : layout_(layout) {
        for (std::size_t field = 0; field < state_fields<Real>.size(); ++field) {
            seen_[field].assign(static_cast<std::size_t>(layout.count()), false);
        }
    }

    void add(const std::string& bytes) {
        for (std::size_t at = 0; at < bytes.size();) {
            PackedHeader header;
            std::memcpy(&header, bytes.data() + at, sizeof(header));
            at += sizeof(header);
            std::vector<Real> values(static_cast<std::size_t>(header.count));
            std::memcpy(values.data(), bytes.data() + at, values.size() * sizeof(Real));
            at += values.size() * sizeof(Real);
            place(header, values);
        }
    }

    ModelState<Real> take() {
        for (std::size_t field = 0; field < state_fields<Real>.size(); ++field)
            require_whole(field);
        return std::move(state_);
    }

  private:
    void place(const PackedHeader& header, const std::vector<Real>& values) {
        const auto field = static_cast<std::size_t>(header.field);
        auto& all = state_.*state_fields<Real>[field];
        all.resize(seen_[field].size());
        const ParameterInfo& tensor = layout_.parameters()[static_cast<std::size_t>(header.tensor)];
        const auto first = static_cast<std::size_t>(tensor.offset + header.first);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool known = seen_[field][first + i];
            const bool equal = std::memcmp(&all[first + i], &values[i], sizeof(Real)) == 0;
            require(!known || equal, [&] {
                return fmt::format("{} of {}, element {}: two ranks hold different values",
                                   state_field_names[field], tensor.name,
                                   header.first + static_cast<std::int64_t>(i));
            });
            all[first + i] = values[i];
            seen_[field][first + i] = true;
        }
    }

    void require_whole(std::size_t field) const {
        if ((state_.*state_fields<Real>[field]).empty()) return;
        for (const ParameterInfo& tensor : layout_.parameters()) {
            for (std::int64_t i = 0; i < tensor.count; ++i) {
                require(seen_[field][static_cast<std::size_t>(tensor.offset + i)], [&] {
                    return fmt::format("{} of {}, element {}: no rank holds it",
                                       state_field_names[field], tensor.name, i);
                });
            }
        }
    }

    const ParameterLayout& layout_;
    ModelState<Real> state_;
    std::array<std::vector<bool>, 4> seen_;
};

}  // namespace

template <class Real, class Space>
ModelState<Real> gather_state(const collectives::Communicator& group,
                              Trainer<Real, Space>& trainer) {
    const ParameterLayout whole(trainer.spec().model);
    std::map<std::string, std::int64_t> numbers;
    for (const ParameterInfo& tensor : whole.parameters()) {
        numbers.emplace(tensor.name, std::ssize(numbers));
    }
    std::string bytes;
    for (const ParameterInfo& tensor : trainer.layout().parameters()) {
        pack_tensor(trainer, tensor, numbers.at(tensor.name), bytes);
    }
    const auto all = group.gather(bytes);
    if (!group.is_root()) return {};
    StateAssembly<Real> assembly(whole);
    for (const std::string& one : all) assembly.add(one);
    return assembly.take();
}

template ModelState<float> gather_state(const collectives::Communicator&, Trainer<float>&);
template ModelState<double> gather_state(const collectives::Communicator&, Trainer<double>&);
#ifdef SHARDSTONE_HAS_CUDA
template ModelState<float> gather_state(const collectives::Communicator&, Trainer<float, Cuda>&);
#endif

}  // namespace shardstone::reference
