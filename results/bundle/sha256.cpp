// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 by OpenSSL, in hexadecimal.
#include "results/bundle/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "kernels/base/error.hpp"

namespace shardstone::results {

std::string sha256_of(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    const int done =
        EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
    require(done == 1, "OpenSSL refuses to compute SHA-256 (its configuration forbids it)");
    std::string text;
    for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest.at(i));
    return text;
}

}  // namespace shardstone::results
