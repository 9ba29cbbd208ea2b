// SPDX-License-Identifier: Apache-2.0
//
// The tensors among the recorded inputs or outputs of an operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery::profile {

/// A tensor as execution traces write it: [id, storage, offset, elements, width, "device"].
/// `offset` is in elements, `width` in bytes per element. Ids are valid within the trace; storage
/// 0: no storage.
struct Tensor {
  std::uint64_t id = 0;
  std::uint64_t storage = 0;
  std::uint64_t offset = 0;
  std::uint64_t elements = 0;
  std::uint64_t width = 0;
  std::string_view device;  ///< "cuda:0"; empty in schema 1.0.0
};

/// Iterates over the tensors of Node::inputs or Node::outputs in their order, including those
/// inside lists and tuples. Skips all other values and never fails. Linear time.
class Tensors {
 public:
  /// `values` is a JSON list. Only schema 1.0.0 needs `types` (Node::input_types): its tensors lack
  /// the device and look like any list of five integers.
  explicit Tensors(std::string_view values, std::string_view types = {})
      : text_(values), types_(types) {}

  bool next(Tensor& tensor);
  /// Index of the operator's argument that is, or contains, the last tensor.
  [[nodiscard]] std::size_t argument() const { return argument_; }

 private:
  bool tensor_at(std::size_t place, Tensor& tensor, std::size_t& end);
  bool typed_as_tensor();

  std::string_view text_;
  std::string_view types_;
  std::size_t at_ = 0;
  std::size_t argument_ = 0;
  int depth_ = 0;
  // Parsed part of `types_`: the type of argument `typed_` ends at `types_at_`.
  std::size_t types_at_ = 0;
  std::size_t typed_ = ~std::size_t{0};
  bool is_tensor_ = false;
};

/// Calls `fn(const Tensor&)` for each tensor in `values`.
template <class Fn>
void for_each_tensor(std::string_view values, Fn&& fn) {
  Tensors tensors(values);
  for (Tensor tensor; tensors.next(tensor);) fn(static_cast<const Tensor&>(tensor));
}

}  // namespace orrery::profile
