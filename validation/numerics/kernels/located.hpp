// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone::validation {

/// Whether a space has kernels of a storage type: a GPU has none of FP64.
template <class S, class Space>
inline constexpr bool has_kernels = std::is_same_v<Space, Host> || !std::is_same_v<S, double>;

/// Values in a memory space, for a kernel there: written from the program, read back by it.
template <class T, class Space>
class Located {
  public:
    explicit Located(const std::vector<T>& values) : buffer_(std::ssize(values)) {
        write_array(queue_, values.data(), buffer_.data(), buffer_.size());
    }
    /// `count` times the same value.
    explicit Located(std::int64_t count, T value = T{})
        : Located(std::vector<T>(static_cast<std::size_t>(count), value)) {}

    T* data() { return buffer_.data(); }
    const T* data() const { return buffer_.data(); }
    std::int64_t size() const { return buffer_.size(); }
    auto span() { return buffer_.span(); }
    auto span() const { return buffer_.span(); }
    /// All of it, as a matrix of so many rows.
    Matrix<T, Space> view(std::int64_t rows) {
        return matrix<Space>(buffer_.data(), rows, buffer_.size() / rows);
    }
    Matrix<const T, Space> view(std::int64_t rows) const {
        return matrix<Space>(buffer_.data(), rows, buffer_.size() / rows);
    }
    /// What it holds when the kernels enqueued so far have run.
    std::vector<T> read() const { return read_array(queue_, buffer_.data(), buffer_.size()); }

  private:
    typename Space::Queue queue_;
    Buffer<T, Space> buffer_;
};

}  // namespace shardstone::validation
