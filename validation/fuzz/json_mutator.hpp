// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "validation/fuzz/mutator.hpp"

namespace shardstone::validation {

/// Makes hostile JSON documents that still parse out of good ones: values replaced by nasty ones or
/// by others of the document, members removed, renamed and doubled, lists made longer and shorter.
class JsonMutator {
  public:
    explicit JsonMutator(std::uint64_t seed) : bytes_({""}, nasty_words(), seed) {}

    /// Changes one to four places.
    void spoil(nlohmann::json& document);
    std::size_t below(std::size_t bound) { return bytes_.below(bound); }
    Mutator& bytes() { return bytes_; }

  private:
    nlohmann::json nasty_value();
    nlohmann::json& any_place(nlohmann::json& document);
    void spoil_place(nlohmann::json& place, const nlohmann::json& other);
    void spoil_object(nlohmann::json& object, const nlohmann::json& other);
    void spoil_array(nlohmann::json& array, const nlohmann::json& other);

    Mutator bytes_;
};

/// The text of a document; bytes of its texts that are not UTF-8 go as '?'.
std::string text_of(const nlohmann::json& document, int indent = -1);

}  // namespace shardstone::validation
