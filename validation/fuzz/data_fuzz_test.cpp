// SPDX-License-Identifier: BSD-3-Clause
// Hostile folders of token shards: manifests and shards that accidents changed, and forged ones
// whose checksums hold.
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "reference/data/dataset.hpp"
#include "reference/data/hash.hpp"
#include "reference/data/manifest.hpp"
#include "validation/fuzz/json_mutator.hpp"
#include "validation/fuzz/memory_folder.hpp"
#include "validation/fuzz/trial.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::reference;
using nlohmann::json;

constexpr std::size_t head_bytes = 64;
constexpr std::int64_t vocabulary = 256;

std::uint64_t hash_of(std::string_view bytes) {
    return hash_of_bytes(std::as_bytes(std::span(bytes)));
}

template <class Number>
void put(std::string& bytes, std::size_t offset, Number number) {
    std::memcpy(bytes.data() + offset, &number, sizeof number);
}

/// A folder with one shard to train on and one held out.
class Folder {
  public:
    Folder() {
        ShardWriter train(folder_ / "train.tok", vocabulary);
        train.append(std::vector<Token>(300, 7));
        manifest_.source = "fuzz";
        manifest_.train = {train.finish()};
        ShardWriter held_out(folder_ / "held.tok", vocabulary);
        held_out.append(std::vector<Token>(40, 255));
        manifest_.validation = {held_out.finish()};
        write_manifest(folder_.path(), manifest_);
        shard_ = folder_.read("train.tok");
    }

    const MemoryFolder& files() const { return folder_; }
    const Manifest& manifest() const { return manifest_; }
    const std::string& shard() const { return shard_; }

  private:
    MemoryFolder folder_;
    Manifest manifest_;
    std::string shard_;
};

/// What is opened has the tokens that its manifest announces, all of its vocabulary.
void keep_promises(const Dataset& data) {
    for (const auto* pieces : {&data.train(), &data.validation()}) {
        for (const TokenPiece& piece : *pieces) {
            for (const Token token : piece.all()) ASSERT_LT(token, data.vocabulary());
        }
    }
    ASSERT_FALSE(data.look().changed);
}

std::string manifest_text(json document, bool sealed) {
    if (sealed && document.is_object()) {
        document.erase("checksum");
        document["checksum"] = to_hex(hash_of(text_of(document)));
    }
    return text_of(document, 2);
}

TEST(DataFuzz, AForgedManifestIsReadOrRefused) {
    const Folder folder;
    const std::string good = folder.files().read("manifest.json");
    const json document = json::parse(good);
    JsonMutator mutator(31);
    Counts counts;
    for_each_input([&] {
        json forged = document;
        mutator.spoil(forged);
        std::string text = manifest_text(forged, mutator.below(8) != 0);
        if (mutator.below(8) == 0) text = mutator.bytes().mutated(good);
        folder.files().write("manifest.json", text);
        const auto read = [&] {
            const Manifest manifest = read_manifest(folder.files().path());
            ASSERT_GE(token_count(manifest.train), 0);
            const Dataset data = Dataset::open(folder.files().path());
            keep_promises(data);
        };
        try_input(read, counts);
    });
    expect_both("manifests", counts, 50);
}

/// A shard after mutations of its bytes, and whether its checksums are made to hold.
std::string forged_shard(Mutator& mutator, const Folder& folder) {
    std::string bytes = mutator.mutated(folder.shard());
    if (mutator.below(4) == 0 && bytes.size() >= head_bytes) {
        constexpr std::array<std::size_t, 4> fields{8, 12, 16, 24};
        const auto number = static_cast<std::uint32_t>(mutator.below(~std::size_t{0}));
        put(bytes, fields[mutator.below(fields.size())], number);
    }
    if (mutator.below(4) == 0 || bytes.size() < head_bytes) return bytes;
    if (mutator.below(4) != 0) put(bytes, 24, hash_of(std::string_view(bytes).substr(head_bytes)));
    if (mutator.below(4) != 0) {
        put(bytes, 16, static_cast<std::uint64_t>((bytes.size() - head_bytes) / sizeof(Token)));
    }
    put(bytes, 56, hash_of(std::string_view(bytes).substr(0, 56)));
    return bytes;
}

TEST(DataFuzz, AForgedShardIsReadOrRefused) {
    const Folder folder;
    Mutator mutator({""}, nasty_words(), 32);
    Counts counts;
    for_each_input([&] {
        const std::string bytes = forged_shard(mutator, folder);
        folder.files().write("train.tok", bytes);
        // As its own header has it, so that what comes behind that comparison is reached.
        ShardInfo expected = folder.manifest().train.front();
        if (bytes.size() >= head_bytes && mutator.below(8) != 0) {
            std::memcpy(&expected.tokens, bytes.data() + 16, sizeof expected.tokens);
            std::memcpy(&expected.checksum, bytes.data() + 24, sizeof expected.checksum);
        }
        const auto read = [&] {
            const TokenShard shard(folder.files().path(), expected, vocabulary, false);
            std::vector<Token> tokens(static_cast<std::size_t>(shard.size()));
            ASSERT_EQ(bytes.size(), head_bytes + tokens.size() * sizeof(Token));
            shard.copy(0, tokens);
            ASSERT_EQ(
                std::memcmp(tokens.data(), bytes.data() + head_bytes, bytes.size() - head_bytes),
                0);
            for (const Token token : tokens) ASSERT_LT(token, vocabulary);
            ASSERT_FALSE(shard.look().changed);
        };
        try_input(read, counts);
    });
    expect_both("token shards", counts, 50);
}

/// A shard that changes after it was opened: its tokens are those that were verified, or there is
/// an Error.
TEST(DataFuzz, AShardThatChangesIsNoticed) {
    const Folder folder;
    const std::string& good = folder.shard();
    Mutator mutator({""}, nasty_words(), 33);
    Counts counts;
    for_each_input([&] {
        folder.files().write("train.tok", good);
        const TokenShard shard(folder.files().path(), folder.manifest().train.front(), vocabulary,
                               mutator.below(2) == 0);
        folder.files().write("train.tok", mutator.below(4) == 0 ? good : mutator.mutated(good));
        const auto read = [&] {
            std::vector<Token> tokens(static_cast<std::size_t>(shard.size()));
            shard.copy(0, tokens);
            for (const Token token : tokens) ASSERT_EQ(token, 7);
        };
        try_input(read, counts);
        const FileFate fate = shard.look();
        ASSERT_EQ(fate.changed, folder.files().read("train.tok") != good);
        ASSERT_TRUE(fate.words.empty() || is_one_line(fate.words)) << fate.words;
    });
    expect_both("shards that change", counts, 20);
}

}  // namespace
}  // namespace shardstone::validation
