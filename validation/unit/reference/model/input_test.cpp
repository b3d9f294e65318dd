// SPDX-License-Identifier: BSD-3-Clause
// The model refuses sequences, tokens and heads that do not fit it, naming the value.
#include <functional>

#include "kernels/base/error.hpp"
#include "validation/unit/reference/model/small_model.hpp"

namespace shardstone::validation {
namespace {

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(ModelInput, SequenceBeyondTheContextIsNamed) {
    const std::string message = message_of([] { Gpt<float>(small_config, 1, 13); });
    EXPECT_NE(message.find("13"), std::string::npos) << message;
    EXPECT_NE(message.find("12"), std::string::npos) << message;
    EXPECT_THROW(Gpt<float>(small_config, 0, 4), Error);
}

TEST(ModelInput, TokensOutsideTheVocabularyAreNamed) {
    Gpt<float> model(small_config, 1, 2);
    const std::vector<reference::Token> good{0, 30}, bad{0, 31}, short_one{0};
    const std::vector<reference::Target> good_targets{-1, 30}, bad_targets{0, 31};
    EXPECT_NE(message_of([&] { model.forward(bad, good_targets); }).find("31"), std::string::npos);
    EXPECT_NE(message_of([&] { model.forward(good, bad_targets); }).find("31"), std::string::npos);
    EXPECT_THROW(model.forward(short_one, good_targets), Error);
    EXPECT_EQ(message_of([&] { model.forward(good, good_targets); }), "no error");
}

TEST(ModelInput, HeadsThatDoNotDivideTheChannelsAreNamed) {
    GptConfig config = small_config;
    config.heads = 3;
    EXPECT_NE(message_of([&] { Gpt<float>(config, 1, 4); }).find("3 heads"), std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
