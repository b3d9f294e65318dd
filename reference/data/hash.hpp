// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace shardstone::reference {

/// XXH3, 64 bits (Collet, xxHash), computed piece by piece, to identify shards, losses, gradients
/// and parameters. Equal bytes give equal hashes regardless of the division into pieces.
class Hasher {
  public:
    Hasher();
    void add(std::span<const std::byte> bytes);
    template <class T>
    void add(std::span<const T> values) {
        add(std::as_bytes(values));
    }
    std::uint64_t value() const;

  private:
    struct Free {
        void operator()(void* state) const;
    };
    std::unique_ptr<void, Free> state_;
};

/// The hash of one piece.
std::uint64_t hash_of_bytes(std::span<const std::byte> bytes);

/// A hash as 16 hexadecimal digits, and the reverse; from_hex throws Error for anything else.
std::string to_hex(std::uint64_t hash);
std::uint64_t from_hex(const std::string& digits);

}  // namespace shardstone::reference
