// SPDX-License-Identifier: BSD-3-Clause
// Files become token shards in a fixed order, with the tail of each held out for validation.
#include "reference/data/corpus.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kernels/base/error.hpp"
#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

std::string text_of(const TokenPieces& pieces) {
    std::string text;
    for (const auto& piece : pieces) {
        for (const Token token : piece.all()) text += static_cast<char>(token);
    }
    return text;
}

TEST(Corpus, TakesTextInOrderAndNamesWhatItSkips) {
    const ScratchFolder scratch;
    scratch.write("b.txt", "second");
    scratch.write("a/x.md", "first");
    scratch.write("a/image.png", std::string("\x89PNG\0\0", 6));
    scratch.write(".git/config", "no");
    scratch.write("build/log", "no");
    scratch.write("empty", "");
    std::filesystem::create_symlink(scratch.path(), scratch.path() / "loop");
    const Corpus corpus = collect_text({scratch.path()});
    EXPECT_EQ(corpus.files, (std::vector{scratch.path() / "a/x.md", scratch.path() / "b.txt"}));
    std::map<std::string, std::string> skipped;
    for (const auto& [path, reason] : corpus.skipped) skipped[path.filename()] = reason;
    const std::map<std::string, std::string> expected{{"image.png", "binary"},
                                                      {".git", "hidden"},
                                                      {"build", "build output"},
                                                      {"empty", "empty"},
                                                      {"loop", "a link"}};
    EXPECT_EQ(skipped, expected);
}

TEST(Corpus, ShardsHoldTheBytesAndTheTailIsHeldOut) {
    const ScratchFolder scratch;
    std::string text;
    for (int i = 0; i < 10000; ++i) text += static_cast<char>(1 + (i * i) % 255);
    scratch.write("text", text);
    const auto out = scratch.path() / "out/";
    PrepareOptions options;
    options.shard_size_bytes = 4096;
    options.validation_fraction = 0.25;
    const Manifest manifest = prepare_text(collect_text({scratch.path() / "text"}), options, out);
    EXPECT_EQ(manifest.train.size(), 4U);  // 7500 tokens of 2 bytes
    const Dataset data = Dataset::open(out);
    EXPECT_EQ(text_of(data.train()), text.substr(0, 7500));
    EXPECT_EQ(text_of(data.validation()), text.substr(7500));
}

/// Of each file its own tail, so that no byte is in both parts and none is lost; from shards and
/// from memory alike.
TEST(Corpus, TheTailOfEveryFileIsHeldOut) {
    const ScratchFolder scratch;
    std::string kept, held_out;
    for (int file = 0; file < 3; ++file) {
        std::string text;
        for (int i = 0; i < 1000 + 7 * file; ++i) text += static_cast<char>(1 + 80 * file + i % 79);
        scratch.write(std::string("texts/") + static_cast<char>('a' + file), text);
        const std::size_t tail = text.size() / 5;  // 200, 201, 202
        kept += text.substr(0, text.size() - tail);
        held_out += text.substr(text.size() - tail);
    }
    const Corpus corpus = collect_text({scratch.path() / "texts"});
    const auto out = scratch.path() / "out";
    prepare_text(corpus, {.validation_fraction = 0.2}, out);
    const Dataset data = Dataset::open(out);
    EXPECT_EQ(text_of(data.train()), kept);
    EXPECT_EQ(text_of(data.validation()), held_out);
}

TEST(Corpus, BadRequestsLeaveNothingBehind) {
    const ScratchFolder scratch;
    scratch.write("text", "some text");
    const Corpus corpus = collect_text({scratch.path()});
    PrepareOptions options;
    options.validation_fraction = 0.75;
    EXPECT_THROW(prepare_text(corpus, options, scratch.path() / "out"), Error);
    options = {};
    options.shard_size_bytes = 100;
    EXPECT_THROW(prepare_text(corpus, options, scratch.path() / "out"), Error);
    EXPECT_THROW(prepare_text(corpus, {}, scratch.path()), Error);
    EXPECT_THROW(prepare_text(corpus, {}, scratch.path() / "text"), Error);
    EXPECT_THROW(collect_text({scratch.path() / "absent"}), Error);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
}

}  // namespace
}  // namespace shardstone::validation
