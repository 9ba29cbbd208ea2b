// SPDX-License-Identifier: Apache-2.0
//
// Converts tensors for Gloo: contiguous, of types that it can add.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace orrery::bench {

/// The same bytes as a type that Gloo supports; for unsupported types, one of the same width.
[[nodiscard]] at::Tensor gloo_tensor(const at::Tensor& tensor);

/// All elements as a contiguous one-dimensional tensor. Shares the memory of `tensor` if that is
/// already contiguous.
[[nodiscard]] at::Tensor flattened(const at::Tensor& tensor);

/// The n equal parts of a one-dimensional tensor. Throws std::runtime_error if it cannot be divided
/// equally.
[[nodiscard]] std::vector<at::Tensor> parts_of(const at::Tensor& row, std::int64_t n);

/// Buffers to receive into, and the tensors that finally receive their content.
class ReceiveBuffers {
 public:
  /// A one-dimensional buffer for `tensor`: its own memory; or another buffer if `tensor` is not
  /// contiguous (take() copies the data back) or contains integers (the data is discarded).
  [[nodiscard]] at::Tensor row_for(const at::Tensor& tensor);
  /// Registers that take() copies `from` to `to`.
  void then_copy(const at::Tensor& from, const at::Tensor& to) { copies_.emplace_back(from, to); }
  /// Call it when the data has arrived.
  void take();

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> copies_;  // from, to
};

/// The elements per peer of a one-dimensional tensor: the recorded numbers, multiplied by the
/// elements per row if they count rows; equal parts if none are recorded. Throws std::runtime_error
/// if they do not fit.
[[nodiscard]] std::vector<std::int64_t> splits_of(const std::vector<std::int64_t>& recorded,
                                                  std::int64_t elements, std::int64_t peers);

}  // namespace orrery::bench
