// SPDX-License-Identifier: BSD-3-Clause
// Hashes bytes with XXH3, and prints and reads checksums in hexadecimal.
#include "reference/data/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <charconv>
#include <new>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

template <class Pointer>
XXH3_state_t* state_of(const Pointer& state) {
    return static_cast<XXH3_state_t*>(state.get());
}

}  // namespace

Hasher::Hasher() : state_(XXH3_createState()) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(state_of(state_));
}

void Hasher::Free::operator()(void* state) const {
    XXH3_freeState(static_cast<XXH3_state_t*>(state));
}

void Hasher::add(std::span<const std::byte> bytes) {
    XXH3_64bits_update(state_of(state_), bytes.data(), bytes.size());
}

std::uint64_t Hasher::value() const {
    return XXH3_64bits_digest(state_of(state_));
}

std::uint64_t hash_of_bytes(std::span<const std::byte> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::string to_hex(std::uint64_t hash) {
    return fmt::format("{:016x}", hash);
}

std::uint64_t from_hex(const std::string& digits) {
    std::uint64_t hash = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, status] = std::from_chars(digits.data(), end, hash, 16);
    require(status == std::errc{} && stop == end && digits.size() == 16,
            [&] { return fmt::format("'{}' is not a checksum of 16 hexadecimal digits", digits); });
    return hash;
}

}  // namespace shardstone::reference
