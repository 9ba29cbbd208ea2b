// SPDX-License-Identifier: Apache-2.0
//
// Identifies matrix products that compute gradients, from the enclosing node and the sizes of the
// forward product.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/graph/kernel.h"

namespace orrery::trace::operators {

/// True for an autograd node of the C++ engine; operators under it compute gradients.
[[nodiscard]] bool is_autograd_node(std::string_view name);

/// An autograd node that computes both gradients of a product.
struct ProductGradients {
  /// The gradient of the second factor (the weights) comes before that of the first. Generated code
  /// orders them by the names of the factors: mat1, mat2 of addmm; mat2, self of mm and bmm.
  bool weights_first = false;
};
/// "AddmmBackward0", "MmBackward0" …; nothing for other names.
[[nodiscard]] std::optional<ProductGradients> product_gradients_of(std::string_view name);

/// A product Y = X W of m×k by k×n has the gradients dX = dY Wᵀ, over n, and dW = Xᵀ dY (or its
/// transpose), over m. Returns input_grad or weight_grad for each of `products`, recorded under one
/// node in this order; forward where the pass is unknown. `forward`: products whose gradients these
/// may be, empty if unknown. The order of a pair is then derived from its sizes, if they are those
/// of the two gradients of one product.
[[nodiscard]] std::vector<graph::Pass> gradient_passes(ProductGradients node,
                                                       std::span<const graph::Kernel> products,
                                                       std::span<const graph::Kernel> forward);

/// Turns a product, recorded with its two inputs, into the gradient of that pass, with the traits
/// of a generated one. `plain_weights`: the forward product reads its weights as stored.
void make_gradient(graph::Kernel& product, graph::Pass pass, bool plain_weights);

}  // namespace orrery::trace::operators
