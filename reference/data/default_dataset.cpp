// SPDX-License-Identifier: BSD-3-Clause
// The text that trainings take where no data are given: letters as tokens, a tenth held out.
#include "reference/data/corpus.hpp"
#include "reference/data/default_text.hpp"

namespace shardstone::reference {

Dataset default_dataset() {
    const auto held_out = static_cast<std::ptrdiff_t>(default_text.size() / 10);
    std::vector<Token> tokens;
    for (const char letter : default_text) tokens.push_back(static_cast<unsigned char>(letter));
    return Dataset::from_tokens("Paradise Lost", byte_vocabulary,
                                {tokens.begin(), tokens.end() - held_out},
                                {tokens.end() - held_out, tokens.end()});
}

}  // namespace shardstone::reference
