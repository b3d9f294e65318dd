// SPDX-License-Identifier: BSD-3-Clause
// The same matrix products by each linked library, for our kernels to be compared with.
#include "benchmarks/kernels/library_products.hpp"

#include "benchmarks/kernels/comparison.hpp"
#include "kernels/gemm/gemm.hpp"

namespace shardstone::benchmarks {

namespace {

struct Product {
    ProductShape shape;
    std::shared_ptr<Buffer<float>> a, b, c;

    explicit Product(const ProductShape& of)
        : shape(of),
          a(normal_numbers("a", of.m * of.k)),
          b(normal_numbers("b", of.k * of.n)),
          c(std::make_shared<Buffer<float>>(of.m * of.n)) {}

    void by(const GemmLibrary& library) const {
        const auto& [m, n, k, transpose_a, transpose_b] = shape;
        library.multiply(factor(*a, m, k, transpose_a), factor(*b, k, n, transpose_b),
                         matrix(c->data(), m, n));
    }

  private:
    static Factor<float> factor(const Buffer<float>& numbers, std::int64_t rows,
                                std::int64_t columns, bool transposed) {
        const float* data = numbers.data();
        return transposed ? transpose(matrix(data, columns, rows)) : matrix(data, rows, columns);
    }
};

}  // namespace

std::vector<std::function<void()>> library_products(const std::vector<ProductShape>& shapes) {
    const std::vector<Product> products(shapes.begin(), shapes.end());
    std::vector<std::function<void()>> runs;
    for (const GemmLibrary& library : gemm_libraries()) {
        runs.emplace_back([products, library] {
            for (const Product& product : products) product.by(library);
        });
    }
    return runs;
}

}  // namespace shardstone::benchmarks
