// SPDX-License-Identifier: BSD-3-Clause
// A hash over the whole report, in a comment at its end, is written and checked.
#include "results/report/page_seal.hpp"

#include "kernels/base/error.hpp"
#include "results/format/hash.hpp"
#include "results/format/seal.hpp"

namespace shardstone::results {

namespace {

constexpr std::string_view seal_begin = "<!-- Shardstone page, seal: ";
constexpr std::string_view seal_end = " -->\n";

/// Where the seal's comment begins: at the end, and nowhere else. npos when it is not there.
std::size_t seal_place(std::string_view bytes) {
    const std::size_t length = seal_begin.size() + hash_digits + seal_end.size();
    if (bytes.size() < length) return std::string_view::npos;
    const std::size_t place = bytes.size() - length;
    const bool there = bytes.substr(place).starts_with(seal_begin) && bytes.ends_with(seal_end);
    return there ? place : std::string_view::npos;
}

}  // namespace

std::string seal_page(std::string page) {
    const std::string seal = hash_of_bytes(page);
    return page.append(seal_begin).append(seal).append(seal_end);
}

bool is_sealed_page(std::string_view bytes) {
    return seal_place(bytes) != std::string_view::npos;
}

void require_page_unchanged(std::string_view bytes, const std::string& source) {
    const std::size_t place = seal_place(bytes);
    require(place != std::string_view::npos, [&] { return changed_message(source); });
    require_seal(bytes.substr(place + seal_begin.size(), hash_digits), bytes.substr(0, place),
                 source);
}

}  // namespace shardstone::results
