// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/operators/gradients.h"

#include <algorithm>
#include <array>

namespace orrery::trace::operators {
namespace {

using graph::Kernel;
using graph::Operation;
using graph::Pass;

struct Factors {
  std::int64_t batch = 0, m = 0, n = 0, k = 0;
};

Factors factors_of(const Kernel& kernel) {
  if (kernel.operation == Operation::gemm)
    return {1, kernel.sizes[0], kernel.sizes[1], kernel.sizes[2]};
  if (kernel.operation == Operation::batched_gemm)
    return {kernel.sizes[0], kernel.sizes[1], kernel.sizes[2], kernel.sizes[3]};
  return {};
}

/// True if the product has these sides in either order: a gradient may be computed transposed.
bool has_sides(const Factors& product, std::int64_t one, std::int64_t other) {
  return (product.m == one && product.n == other) || (product.m == other && product.n == one);
}

struct Roles {
  bool input = false, weight = false;
};

Roles roles_of(const Factors& product, const Factors& forward) {
  if (product.batch != forward.batch) return {};
  return {product.k == forward.n && has_sides(product, forward.m, forward.k),
          product.k == forward.m && has_sides(product, forward.k, forward.n)};
}

/// True if these are dX and dW of one product: dY is m×n, dX m×k, dW k×n.
bool are_pair(const Factors& input, const Factors& weight) {
  if (input.batch != weight.batch) return false;
  for (const auto& [m, k] : {std::pair{input.m, input.n}, {input.n, input.m}})
    if (weight.k == m && has_sides(weight, k, input.k)) return true;
  return false;
}

std::array<Pass, 2> in_order(ProductGradients node) {
  return node.weights_first ? std::array{Pass::weight_grad, Pass::input_grad}
                            : std::array{Pass::input_grad, Pass::weight_grad};
}

std::vector<Pass> passes_of(ProductGradients node, std::span<const Kernel> products,
                            const Factors& forward) {
  std::vector<Pass> passes(products.size(), Pass::forward);
  bool fits_either = products.size() == 2;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Roles roles = roles_of(factors_of(products[i]), forward);
    fits_either = fits_either && roles.input && roles.weight;
    if (roles.input != roles.weight) passes[i] = roles.input ? Pass::input_grad : Pass::weight_grad;
  }
  if (fits_either) std::copy_n(in_order(node).begin(), 2, passes.begin());
  return passes;
}

}  // namespace

bool is_autograd_node(std::string_view name) {
  constexpr std::string_view kBackward = "Backward";
  const std::size_t digits = name.find_last_not_of("0123456789");
  return digits != std::string_view::npos && digits + 1 < name.size() &&
         name.substr(0, digits + 1).ends_with(kBackward) &&
         name.find(' ') == std::string_view::npos;
}

std::optional<ProductGradients> product_gradients_of(std::string_view name) {
  if (!is_autograd_node(name)) return std::nullopt;
  name = name.substr(0, name.rfind("Backward"));
  for (const std::string_view known : {"Addmm", "Baddbmm", "Linear"})
    if (name == known) return ProductGradients{false};
  for (const std::string_view known : {"Mm", "Bmm"})
    if (name == known) return ProductGradients{true};
  return std::nullopt;
}

std::vector<Pass> gradient_passes(ProductGradients node, std::span<const Kernel> products,
                                  std::span<const Kernel> forward) {
  const std::vector<Pass> unknown(products.size(), Pass::forward);
  std::optional<std::vector<Pass>> agreed;
  for (const Kernel& candidate : forward) {
    std::vector<Pass> passes = passes_of(node, products, factors_of(candidate));
    if (passes == unknown) continue;
    if (agreed && *agreed != passes) return unknown;
    agreed = std::move(passes);
  }
  if (agreed) return *agreed;
  if (products.size() != 2 || !forward.empty()) return unknown;
  const Factors first = factors_of(products[0]), second = factors_of(products[1]);
  const auto order = in_order(node);
  const bool pair = node.weights_first ? are_pair(second, first) : are_pair(first, second);
  return pair ? std::vector<Pass>(order.begin(), order.end()) : unknown;
}

void make_gradient(Kernel& product, Pass pass, bool plain_weights) {
  product.pass = pass;
  product.traits = static_cast<std::uint16_t>(
      product.traits & ~(graph::kTransposedA | graph::kTransposedB | graph::kBias));
  if (product.operation != Operation::gemm) return;
  if (pass == Pass::weight_grad) {
    product.traits |= graph::kTransposedA;
  } else if (pass == Pass::input_grad && plain_weights) {
    product.traits |= graph::kTransposedB;
  }
}

}  // namespace orrery::trace::operators
