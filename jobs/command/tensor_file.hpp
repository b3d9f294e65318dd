// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "reference/model/parameter_layout.hpp"
#include "results/format/atomic_file.hpp"
#include "results/record/texts.hpp"

namespace shardstone::command {

/// The format in which tensors are exported to other programs, one sentence per file for help
/// texts.
inline constexpr const char* tensor_file_format =
    "  tensors.bin    all numbers, little-endian, one tensor after the other\n"
    "  tensors.json   the model's sizes, what the numbers are of, and of every tensor: name, type\n"
    "                 (f4, f8, u2, i4), shape, first byte";

/// Its two files, written tensor by tensor; both appear, complete, at commit(). Throws Error if the
/// folder cannot be written.
class TensorFile {
  public:
    explicit TensorFile(const std::filesystem::path& folder)
        : binary_(folder / "tensors.bin"), index_(folder / "tensors.json") {}

    template <class T>
    void add(const std::string& name, const char* type, const std::vector<std::int64_t>& shape,
             std::span<const T> values) {
        const auto bytes = std::as_bytes(values);
        binary_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, size_);
        tensors_.push_back({{"name", name}, {"type", type}, {"shape", shape}, {"first", size_}});
        size_ += bytes.size();
    }
    /// Adds parameters in the flat order of a layout, each tensor as KIND/NAME.
    template <class Real>
    void add_parameters(const std::string& kind, const reference::ParameterLayout& layout,
                        std::span<const Real> values) {
        constexpr const char* type = sizeof(Real) == 4 ? "f4" : "f8";
        for (const reference::ParameterInfo& tensor : layout.parameters()) {
            add<Real>(kind + "/" + tensor.name, type, tensor.shape,
                      values.subspan(static_cast<std::size_t>(tensor.offset),
                                     static_cast<std::size_t>(tensor.count)));
        }
    }
    std::size_t tensors() const { return tensors_.size(); }
    void commit(nlohmann::json about) {
        about["tensors"] = tensors_;
        results::escape_texts(about);
        index_.write(about.dump(1));
        binary_.commit();
        index_.commit();
    }

  private:
    results::AtomicFile binary_, index_;
    nlohmann::json tensors_ = nlohmann::json::array();
    std::uintmax_t size_ = 0;
};

/// The sizes listed in tensors.json.
inline nlohmann::json sizes_of(const reference::GptConfig& config) {
    nlohmann::json sizes{{"model", config.name},
                         {"layers", config.layers},
                         {"heads", config.heads},
                         {"channels", config.channels},
                         {"vocabulary", config.vocabulary},
                         {"context", config.context}};
    if (!config.experts.any()) return sizes;
    sizes.update({{"experts", config.experts.count},
                  {"top_k", config.experts.top_k},
                  {"capacity", config.experts.capacity},
                  {"balance_loss", config.experts.balance},
                  {"router_z_loss", config.experts.z}});
    return sizes;
}

}  // namespace shardstone::command
