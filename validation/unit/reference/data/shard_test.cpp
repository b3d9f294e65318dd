// SPDX-License-Identifier: BSD-3-Clause
// A shard that is not exactly what was written is refused, whatever happened to it.
#include "reference/data/shard.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "reference/data/dataset.hpp"
#include "reference/data/manifest.hpp"
#include "reference/data/synthetic.hpp"
#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr const char* shard_name = "train-00000.tok";

class Shards : public testing::Test {
  protected:
    Shards() : folder_(scratch_.path() / "data") {
        SyntheticOptions options;
        options.tokens = 150;
        prepare_synthetic(options, folder_);
    }

    std::filesystem::path shard() const { return folder_ / shard_name; }

    /// What opening the folder complains about; empty when it does not.
    std::string complaint() const {
        try {
            Dataset::open(folder_);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    void expect_complaint(const std::string& words) const {
        const std::string line = complaint();
        EXPECT_NE(line.find(words), std::string::npos) << "'" << line << "'";
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    }

    void overwrite(const std::string& text) const { scratch_.write("data/train-00000.tok", text); }

    ScratchFolder scratch_;
    std::filesystem::path folder_;
};

TEST_F(Shards, AreReadAsTheyWereWritten) {
    const Dataset data = Dataset::open(folder_);
    ASSERT_EQ(data.train().size(), 1U);
    EXPECT_EQ(data.train().front().size(), 135);
    EXPECT_EQ(data.validation().front().size(), 15);
    EXPECT_EQ(data.vocabulary(), 16);
    EXPECT_TRUE(data.entropy_rate_nats().has_value());
}

TEST_F(Shards, AnyFlippedBitIsFound) {
    const std::string sound = read_text(shard());
    for (std::size_t i = 0; i < sound.size(); ++i) {
        std::string flipped = sound;
        flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
        overwrite(flipped);
        ASSERT_NE(complaint(), "") << "byte " << i;
    }
    overwrite(sound);
    EXPECT_EQ(complaint(), "");
}

TEST_F(Shards, AnyTruncationIsFound) {
    const std::string sound = read_text(shard());
    for (std::size_t size = 0; size < sound.size(); ++size) {
        overwrite(sound.substr(0, size));
        ASSERT_NE(complaint().find("truncated"), std::string::npos) << size << complaint();
    }
    overwrite(sound + "x");
    expect_complaint("padded");
}

TEST_F(Shards, EachKindOfDamageHasItsLine) {
    std::string text = read_text(shard());
    const auto damaged = [&](std::size_t at) {
        std::string copy = text;
        copy[at] = static_cast<char>(copy[at] + 1);
        return copy;
    };
    overwrite(damaged(0));
    expect_complaint("is not a token shard");
    overwrite(damaged(8));
    expect_complaint("has version 2");
    overwrite(damaged(40));
    expect_complaint("checksum of its header");
    overwrite(damaged(70));
    expect_complaint("checksum of its tokens");
    std::filesystem::remove(shard());
    expect_complaint("No such file");
}

TEST_F(Shards, AnEmptyShardIsRefused) {
    ShardWriter(shard(), 16).finish();
    expect_complaint("is empty");
}

TEST_F(Shards, ASoundShardOfOtherDataIsRefused) {
    SyntheticOptions options;
    options.tokens = 150;
    options.seed = 2;
    prepare_synthetic(options, scratch_.path() / "other");
    std::filesystem::copy_file(scratch_.path() / "other" / shard_name, shard(),
                               std::filesystem::copy_options::overwrite_existing);
    expect_complaint("is not the one its manifest names");
}

TEST_F(Shards, TokensOutsideTheVocabularyAreRefused) {
    // Only a foreign writer can make such a shard; ours checks the contract.
    const std::vector<Token> tokens{1, 2, 3, 99};
    Manifest manifest;
    manifest.vocabulary = 100;
    {
        ShardWriter writer(shard(), 100);
        writer.append(tokens);
        manifest.train.push_back(writer.finish());
    }
    std::string text = read_text(shard());
    text[12] = 50;  // the vocabulary; the header's checksum follows
    const std::uint64_t sum = hash_of_bytes(std::as_bytes(std::span(text)).first(56));
    text.replace(56, 8, reinterpret_cast<const char*>(&sum), 8);
    overwrite(text);
    manifest.vocabulary = 50;
    write_manifest(folder_, manifest);
    expect_complaint("token 99 outside its vocabulary of 50");
}

TEST_F(Shards, ADamagedManifestIsRefused) {
    const std::string sound = read_text(folder_ / "manifest.json");
    scratch_.write("data/manifest.json", sound.substr(0, sound.size() / 2));
    expect_complaint("does not parse");
    std::string changed = sound;
    changed.replace(changed.find("seed 1"), 6, "seed 7");
    scratch_.write("data/manifest.json", changed);
    expect_complaint("checksum is wrong");
    for (const auto& added : {std::string("\0x", 2), std::string("  "), std::string("\n\n")}) {
        scratch_.write("data/manifest.json", sound + added);
        expect_complaint("it is followed by other bytes");
    }
    std::filesystem::remove(folder_ / "manifest.json");
    expect_complaint("holds no manifest.json");
}

}  // namespace
}  // namespace shardstone::validation
