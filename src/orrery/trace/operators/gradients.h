// SPDX-License-Identifier: Apache-2.0
//
// Whose gradient a product is, by what it stands under and the sizes of the product it belongs to.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/graph/kernel.h"

namespace orrery::trace::operators {

/// A node of autograd, written by its C++ part: what runs under it makes gradients.
[[nodiscard]] bool is_autograd_node(std::string_view name);

/// A node of autograd that makes both gradients of a product.
struct ProductGradients {
  /// The gradient of the second factor (the weights) comes before that of the first. Generated code
  /// goes by the names of the factors: mat1, mat2 of addmm; mat2, self of mm and bmm.
  bool weights_first = false;
};
/// "AddmmBackward0", "MmBackward0" …; nothing for other names.
[[nodiscard]] std::optional<ProductGradients> product_node(std::string_view name);

/// A product Y = X W of m×k by k×n has the gradients dX = dY Wᵀ, over n, and dW = Xᵀ dY (or its
/// transpose), over m. Of `products`, recorded under one node in this order: input_grad or
/// weight_grad for each, forward where it cannot be told. `forward`: products that they may be the
/// gradients of, none where that is not known; a pair tells its own order then, if its sizes are
/// those of two gradients of one product.
[[nodiscard]] std::vector<graph::Pass> gradient_passes(ProductGradients node,
                                                       std::span<const graph::Kernel> products,
                                                       std::span<const graph::Kernel> forward);

/// Makes a product (of two inputs as they stand) the gradient of that pass, with the traits of a
/// generated one. `plain_weights`: the forward product reads its weights as they are stored.
void make_gradient(graph::Kernel& product, graph::Pass pass, bool plain_weights);

}  // namespace orrery::trace::operators
