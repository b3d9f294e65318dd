// SPDX-License-Identifier: BSD-3-Clause
// Writes token shards, and verifies header, size and checksums of each shard that is opened.
#include "reference/data/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

static_assert(std::endian::native == std::endian::little, "shards are copied, not converted");

constexpr std::array<char, 8> shard_magic{'S', 'H', 'A', 'R', 'D', 'T', 'O', 'K'};
constexpr std::uint32_t shard_version = 1;

struct Header {
    std::array<char, 8> magic = shard_magic;
    std::uint32_t version = shard_version;
    std::uint32_t vocabulary = 0;
    std::uint64_t tokens = 0;
    std::uint64_t checksum = 0;
    std::array<std::byte, 24> reserved{};
    std::uint64_t header_checksum = 0;
};
static_assert(sizeof(Header) == 64 && std::is_trivially_copyable_v<Header>);

std::uint64_t checksum_of(const Header& header) {
    return hash_of_bytes(
        std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header_checksum)));
}

constexpr const char* remedy = "prepare the data again";

/// Of the first bytes of a file of `file_bytes`.
Header read_header(std::span<const std::byte> bytes, std::size_t file_bytes,
                   const std::string& name) {
    Header header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    require(header.magic == shard_magic, [&] {
        return fmt::format("'{}' is not a token shard: it does not start with SHARDTOK; {}", name,
                           remedy);
    });
    require(header.version == shard_version, [&] {
        return fmt::format("shard '{}' has version {} of the format, this program reads {}; {}",
                           name, header.version, shard_version, remedy);
    });
    require(header.header_checksum == checksum_of(header), [&] {
        return fmt::format("shard '{}' is damaged: the checksum of its header is wrong; {}", name,
                           remedy);
    });
    require(header.tokens > 0,
            [&] { return fmt::format("shard '{}' is empty; {}", name, remedy); });
    const std::uint64_t room = (file_bytes - sizeof(Header)) / sizeof(Token);
    require(room == header.tokens && file_bytes % sizeof(Token) == 0, [&] {
        return fmt::format(
            "shard '{}' is truncated or padded: room for {} tokens, {} announced; {}", name, room,
            header.tokens, remedy);
    });
    return header;
}

void require_as_expected(const Header& header, const ShardInfo& expected, std::int64_t vocabulary,
                         const std::string& name) {
    require(header.vocabulary == vocabulary &&
                header.tokens == static_cast<std::uint64_t>(expected.tokens) &&
                header.checksum == expected.checksum,
            [&] {
                return fmt::format(
                    "shard '{}' is not the one its manifest names ({} tokens of vocabulary {}, "
                    "checksum {}; expected {}, {}, {}); prepare the data again",
                    name, header.tokens, header.vocabulary, to_hex(header.checksum),
                    expected.tokens, vocabulary, to_hex(expected.checksum));
            });
}

}  // namespace

ShardWriter::ShardWriter(const std::filesystem::path& path, std::int64_t vocabulary)
    : name_(path.filename().string()), file_(path), vocabulary_(vocabulary) {
    const Header placeholder;
    file_.write(std::as_bytes(std::span(&placeholder, 1)));
}

void ShardWriter::append(std::span<const Token> tokens) {
    SHARDSTONE_EXPECTS(std::ranges::all_of(tokens, [&](Token t) { return t < vocabulary_; }));
    file_.write(std::as_bytes(tokens));
    hasher_.add(tokens);
    tokens_ += static_cast<std::int64_t>(tokens.size());
}

ShardInfo ShardWriter::finish() {
    Header header;
    header.vocabulary = static_cast<std::uint32_t>(vocabulary_);
    header.tokens = static_cast<std::uint64_t>(tokens_);
    header.checksum = hasher_.value();
    header.header_checksum = checksum_of(header);
    file_.overwrite(0, std::as_bytes(std::span(&header, 1)));
    file_.finish();
    return {name_, tokens_, header.checksum};
}

TokenShard::TokenShard(const std::filesystem::path& folder, const ShardInfo& expected,
                       std::int64_t vocabulary, bool stays_open)
    : file_(folder / expected.file, stays_open), tokens_(expected.tokens) {
    const std::string name = (folder / expected.file).string();
    require(file_.size_bytes() >= sizeof(Header), [&] {
        return fmt::format("shard '{}' is truncated: {} bytes do not hold its header; {}", name,
                           file_.size_bytes(), remedy);
    });
    std::optional<Header> header;
    Hasher hasher;
    Token largest = 0;
    file_.read_first([&](std::span<const std::byte> bytes) {
        if (!header) {
            header = read_header(bytes, file_.size_bytes(), name);
            require_as_expected(*header, expected, vocabulary, name);
            bytes = bytes.subspan(sizeof(Header));
            if (bytes.empty()) return;
        }
        hasher.add(bytes);
        // Pieces are aligned and so is what follows the 64 bytes of the header.
        largest = std::max(largest,
                           std::ranges::max(std::span(reinterpret_cast<const Token*>(bytes.data()),
                                                      bytes.size() / sizeof(Token))));
    });
    require(hasher.value() == header->checksum, [&] {
        return fmt::format("shard '{}' is damaged: the checksum of its tokens is wrong; {}", name,
                           remedy);
    });
    require(largest < vocabulary, [&] {
        return fmt::format("shard '{}' holds token {} outside its vocabulary of {}; {}", name,
                           largest, vocabulary, remedy);
    });
}

void TokenShard::copy(std::int64_t first, std::span<Token> to) const {
    SHARDSTONE_EXPECTS(first >= 0 && first + std::ssize(to) <= tokens_);
    file_.read(sizeof(Header) + static_cast<std::size_t>(first) * sizeof(Token),
               std::as_writable_bytes(to));
}

}  // namespace shardstone::reference
