// SPDX-License-Identifier: BSD-3-Clause
// Errors of attention, forward and backward, against the FP64 oracle and their rounding bounds.
#include "kernels/transformer/attention.hpp"

#include <limits>

#include "validation/numerics/kernels/attention_bounds.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"
#include "validation/numerics/kernels/located.hpp"

namespace shardstone::validation {

namespace {

// One query; within one block of queries; several blocks, the last one short.
const std::vector<oracle::AttentionSizes> small_heads{
    {1, 1, 1, 4}, {2, 7, 3, 4}, {2, 64, 1, 8}, {1, 150, 2, 8}};
// Heads that the matrix unit of a GPU takes, as they are and filled up with zeros; its tiles whole,
// begun, and one row short.
const std::vector<oracle::AttentionSizes> large_heads{
    {2, 64, 1, 64}, {1, 65, 2, 64},  {1, 127, 1, 128}, {2, 200, 3, 64}, {1, 200, 1, 128},
    {1, 1, 1, 16},  {1, 130, 1, 16}, {1, 70, 2, 32},   {1, 70, 1, 48},  {1, 70, 1, 80}};

template <class Space>
std::vector<oracle::AttentionSizes> all_sizes() {
    std::vector<oracle::AttentionSizes> all = small_heads;
    if constexpr (!std::is_same_v<Space, Host>) {
        all.insert(all.end(), large_heads.begin(), large_heads.end());
    }
    return all;
}

/// Attention of random values in a memory space.
template <class S, class Space>
class AttentionCase {
    using Real = compute_t<S>;
    static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

  public:
    // NaN everywhere first: both results are overwritten and scratch is never read unwritten.
    explicit AttentionCase(const oracle::AttentionSizes& sizes)
        : sizes_(sizes),
          shape_{sizes.batch, sizes.sequence, sizes.heads, sizes.head_size},
          qkv_values_(stored<S>(random_values(3 * count(), "qkv"))),
          d_out_values_(stored<S>(random_values(count(), "d_out"))),
          bounds_(sizes, qkv_values_, d_out_values_, AttentionRoundings::of<S>()),
          qkv_(as<S>(qkv_values_)),
          out_(count(), S(nan)),
          log_sum_(sizes.batch * sizes.heads * sizes.sequence, nan),
          scratch_(shape_.template scratch_elements<S, Space>(), nan) {}

    KernelOutput forward(Planted bug) {
        attention_forward<S>(queue_, shape_, qkv_.data(), out_.data(), log_sum_.data(),
                             scratch_.data());
        return output_of<S>(name(), "out", out_.read(), oracle::attention(sizes_, qkv_values_, bug),
                            bounds_.out);
    }
    KernelOutput backward(Planted bug) {
        const Located<S, Space> d_out(as<S>(d_out_values_));
        Located<S, Space> d_qkv(3 * count(), S(nan));
        attention_backward<S>(queue_, shape_,
                              AttentionSaved<S>{qkv_.data(), out_.data(), log_sum_.data()},
                              d_out.data(), d_qkv.data(), scratch_.data());
        Values bound = bounds_.d_qkv;
        add_storage_error<S>(oracle::attention_gradient(sizes_, qkv_values_, d_out_values_), bound);
        return output_of<S>(name(), "d_qkv", d_qkv.read(),
                            oracle::attention_gradient(sizes_, qkv_values_, d_out_values_, bug),
                            std::move(bound));
    }

  private:
    Size count() const { return sizes_.batch * sizes_.sequence * shape_.channels(); }
    std::string name() const {
        return "attention, T = " + std::to_string(sizes_.sequence) +
               (sizes_.head_size > 8 ? ", D = " + std::to_string(sizes_.head_size) : "");
    }

    typename Space::Queue queue_;
    oracle::AttentionSizes sizes_;
    AttentionShape shape_;
    Values qkv_values_, d_out_values_;
    AttentionBounds bounds_;
    Located<S, Space> qkv_, out_;
    Located<Real, Space> log_sum_, scratch_;
};

/// add(a case, all outputs so far) for all sizes; kernels of a GPU have no FP64.
template <class Space, class F>
std::vector<KernelOutput> of_all_sizes(ElementType storage, const F& add) {
    return in_storage(storage, [&](auto zero) {
        using S = decltype(zero);
        std::vector<KernelOutput> all;
        if constexpr (std::is_same_v<Space, Host> || !std::is_same_v<S, double>) {
            for (const auto& sizes : all_sizes<Space>()) {
                AttentionCase<S, Space> attention(sizes);
                add(attention, all);
            }
        }
        return all;
    });
}

}  // namespace

template <class Space>
std::vector<KernelOutput> attention_forward_outputs(ElementType storage, Planted bug) {
    return of_all_sizes<Space>(
        storage, [&](auto& attention, auto& all) { all.push_back(attention.forward(bug)); });
}

template <class Space>
std::vector<KernelOutput> attention_outputs(ElementType storage, Planted bug) {
    return of_all_sizes<Space>(storage, [&](auto& attention, auto& all) {
        all.push_back(attention.forward(bug));
        all.push_back(attention.backward(bug));
    });
}

template std::vector<KernelOutput> attention_outputs<Host>(ElementType, Planted);

}  // namespace shardstone::validation
