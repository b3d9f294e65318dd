// SPDX-License-Identifier: BSD-3-Clause
// Products of bf16 by oneDNN's matmul primitive (there is no BLAS-like call for them). Creating a
// primitive costs half a millisecond, so that those of all shapes seen are kept.
#include "kernels/gemm/library.hpp"

#ifdef SHARDSTONE_HAVE_ONEDNN
#include <fmt/format.h>

#include <compare>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>

#include "kernels/base/error.hpp"

namespace shardstone::detail {

namespace {

using dnnl::memory;

template <class T>
constexpr memory::data_type type_of =
    std::is_same_v<T, bf16> ? memory::data_type::bf16 : memory::data_type::f32;

/// All that a primitive depends on.
struct Key {
    std::int64_t m, n, k;
    std::int64_t leading_a, leading_b, leading_c;
    bool transpose_a, transpose_b, has_bias, c_is_narrow;
    float alpha, beta;
    auto operator<=>(const Key&) const = default;
};

struct Product {
    memory::desc a, b, c, bias;
    dnnl::matmul primitive;
};

memory::desc factor(std::int64_t rows, std::int64_t columns, std::int64_t leading,
                    bool transposed) {
    const memory::dims strides = transposed ? memory::dims{1, leading} : memory::dims{leading, 1};
    return {{rows, columns}, memory::data_type::bf16, strides};
}

Product product_of(const Key& key, const dnnl::engine& engine) {
    Product product;
    product.a = factor(key.m, key.k, key.leading_a, key.transpose_a);
    product.b = factor(key.k, key.n, key.leading_b, key.transpose_b);
    product.c = {{key.m, key.n},
                 key.c_is_narrow ? type_of<bf16> : type_of<float>,
                 memory::dims{key.leading_c, 1}};
    dnnl::primitive_attr attributes;
    if (key.alpha != 1.0F) attributes.set_output_scales(0, {key.alpha});
    if (key.beta != 0.0F) {
        dnnl::post_ops sum;
        sum.append_sum(key.beta);
        attributes.set_post_ops(sum);
    }
    if (key.has_bias) product.bias = {{1, key.n}, type_of<float>, memory::dims{key.n, 1}};
    const auto description = key.has_bias
                                 ? dnnl::matmul::desc(product.a, product.b, product.bias, product.c)
                                 : dnnl::matmul::desc(product.a, product.b, product.c);
    product.primitive = dnnl::matmul({description, attributes, engine});
    return product;
}

void multiply(const Key& key, const void* a, const void* b, const float* bias, void* c) {
    thread_local const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    thread_local dnnl::stream stream(engine);
    thread_local std::map<Key, Product> products;
    auto found = products.find(key);
    if (found == products.end()) found = products.emplace(key, product_of(key, engine)).first;
    const Product& product = found->second;
    // oneDNN takes pointers to what it only reads as it takes all others.
    const auto input = [&](const memory::desc& description, const void* data) {
        return memory(description, engine, const_cast<void*>(data));
    };
    std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, input(product.a, a)},
                                              {DNNL_ARG_WEIGHTS, input(product.b, b)},
                                              {DNNL_ARG_DST, memory(product.c, engine, c)}};
    if (key.has_bias) arguments.emplace(DNNL_ARG_BIAS, input(product.bias, bias));
    product.primitive.execute(stream, arguments);
    stream.wait();
}

}  // namespace

template <class Out>
void onednn_gemm(float alpha, const Factor<bf16>& a, const Factor<bf16>& b, float beta,
                 const Matrix<Out>& c, const float* bias) {
    if (c.rows == 0 || c.columns == 0) return;
    const Key key{c.rows,           c.columns,      a.columns(),  a.matrix.leading,
                  b.matrix.leading, c.leading,      a.transposed, b.transposed,
                  bias != nullptr,  is_narrow<Out>, alpha,        beta};
    try {
        multiply(key, a.matrix.data, b.matrix.data, bias, c.data);
    } catch (const dnnl::error& error) {
        fail(
            fmt::format("oneDNN refused a bf16 product of {} x {} x {}: {}; check that the library "
                        "fits this CPU",
                        key.m, key.n, key.k, error.what()));
    }
}

template void onednn_gemm(float, const Factor<bf16>&, const Factor<bf16>&, float,
                          const Matrix<bf16>&, const float*);
template void onednn_gemm(float, const Factor<bf16>&, const Factor<bf16>&, float,
                          const Matrix<float>&, const float*);

namespace {

bool has(dnnl::cpu_isa set) {
    const auto bits = static_cast<unsigned>(set);
    return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

}  // namespace

bool onednn_multiplies_bf16() {
    return has(dnnl::cpu_isa::avx512_core);
}

// Told by the kind of processor, not by a race of the two: the same machine must always give the
// same bits. Matrix units (AMX) beat FP32 by far. Without them it depends on who made the
// processor: AMD's cores do one vdpbf16ps for each FP32 multiply-add (measured: 475 against 235
// GFLOP/s, Zen 5), Intel's one in two cycles in which they do four of the others (95 against 191
// GFLOP/s, Emerald Rapids without AMX).
bool onednn_multiplies_bf16_faster() {
    static const bool faster = [] {
        if (has(dnnl::cpu_isa::avx512_core_amx)) return true;
#if defined(__x86_64__)
        return has(dnnl::cpu_isa::avx512_core_bf16) && !__builtin_cpu_is("intel");
#else
        return false;
#endif
    }();
    return faster;
}

}  // namespace shardstone::detail
#endif
