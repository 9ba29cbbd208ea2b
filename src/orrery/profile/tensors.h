// SPDX-License-Identifier: Apache-2.0
//
// The tensors among the recorded inputs or outputs of an operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery::profile {

/// As execution traces write it: [id, storage, offset, elements, width, "device"]. `offset` counts
/// elements, `width` is bytes per element. Ids are the trace's own; a storage of 0 is none.
struct Tensor {
  std::uint64_t id = 0;
  std::uint64_t storage = 0;
  std::uint64_t offset = 0;
  std::uint64_t elements = 0;
  std::uint64_t width = 0;
  std::string_view device;  ///< "cuda:0"; empty in schema 1.0.0
};

/// Goes through the tensors of Node::inputs or Node::outputs in their order, those inside lists and
/// tuples too. Never fails: what is no tensor is passed over. Linear.
class Tensors {
 public:
  /// `values` is a JSON list. `types` (Node::input_types) is only needed for schema 1.0.0, whose
  /// tensors lack the device and look like any list of five integers.
  explicit Tensors(std::string_view values, std::string_view types = {})
      : text_(values), types_(types) {}

  bool next(Tensor& tensor);
  /// Which of the operator's arguments the last tensor is, or is in.
  [[nodiscard]] std::size_t argument() const { return argument_; }

 private:
  bool tensor_at(std::size_t place, Tensor& tensor, std::size_t& end);
  bool typed_as_tensor();

  std::string_view text_;
  std::string_view types_;
  std::size_t at_ = 0;
  std::size_t argument_ = 0;
  int depth_ = 0;
  // How far `types_` was looked through: the type of argument `typed_` ends there.
  std::size_t types_at_ = 0;
  std::size_t typed_ = ~std::size_t{0};
  bool is_tensor_ = false;
};

/// `fn(const Tensor&)` for each of them.
template <class Fn>
void for_each_tensor(std::string_view values, Fn&& fn) {
  Tensors tensors(values);
  for (Tensor tensor; tensors.next(tensor);) fn(static_cast<const Tensor&>(tensor));
}

}  // namespace orrery::profile
