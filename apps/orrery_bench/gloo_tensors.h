// SPDX-License-Identifier: Apache-2.0
//
// Tensors as Gloo takes them: contiguous, of types that it can add.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace orrery::replay {

/// The same bytes as a type that Gloo knows; of the others the one of that width.
[[nodiscard]] at::Tensor gloo_tensor(const at::Tensor& tensor);

/// All elements in a row, contiguous; the tensor's own memory where that is so already.
[[nodiscard]] at::Tensor flattened(const at::Tensor& tensor);

/// The n equal parts of a row. Throws std::runtime_error where they are not equal.
[[nodiscard]] std::vector<at::Tensor> parts_of(const at::Tensor& row, std::int64_t n);

/// What is received, and where that goes to once it is there.
class ReceiveBuffers {
 public:
  /// A row for `tensor`: its own memory; or another one, where it is not contiguous (what comes is
  /// copied back) or of whole numbers (what comes is thrown away).
  [[nodiscard]] at::Tensor row_for(const at::Tensor& tensor);
  /// `from`, once it is there, is what `to` holds.
  void then_copy(const at::Tensor& from, const at::Tensor& to) { copies_.emplace_back(from, to); }
  /// It is there.
  void take();

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> copies_;  // from, to
};

/// Elements per peer of a row of so many: as recorded, where rows of a tensor were counted times
/// what a row has; equal without any. Throws std::runtime_error where they do not fit.
[[nodiscard]] std::vector<std::int64_t> splits_of(const std::vector<std::int64_t>& recorded,
                                                  std::int64_t elements, std::int64_t peers);

}  // namespace orrery::replay
