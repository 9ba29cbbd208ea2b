// SPDX-License-Identifier: Apache-2.0
//
// Recorded arguments of an operator: shapes, number formats, and values of arguments that are not
// tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/graph/kernel.h"

namespace orrery::trace::operators {

using TensorShape = std::vector<std::int64_t>;

/// Number of elements; 0 if `shape` is not a tensor, or has a size below 1 or above 2^50.
[[nodiscard]] std::int64_t count_of(std::span<const std::int64_t> shape);

/// The texts of one call: JSON (or Python) lists with one entry per argument. Sources: "Input
/// Dims", "Input type", "Concrete Inputs" of PyTorch's profiler; shapes, types and values of the
/// inputs in execution traces. Views, which must outlive the objects built from them.
struct ArgumentTexts {
  std::string_view shapes;
  std::string_view types;
  std::string_view values;
};

/// Arguments by their index in the operator's schema. An index beyond the last argument has no
/// tensor and no value.
class Arguments {
 public:
  /// Parses the texts; empty if `shapes` is not a list of lists of integers. Linear time; values
  /// are parsed on request.
  [[nodiscard]] static std::optional<Arguments> read(const ArgumentTexts& texts);

  [[nodiscard]] std::size_t size() const { return arguments_.size(); }
  /// The shape of a tensor; empty for other arguments, lists and tensors without dimensions.
  [[nodiscard]] const TensorShape& shape(std::size_t i) const;
  /// The format of a tensor, or of a list if all its tensors have the same.
  [[nodiscard]] graph::Format format(std::size_t i) const;
  /// Number of elements of the tensor, or of all tensors in a list.
  [[nodiscard]] std::int64_t elements(std::size_t i) const;
  /// Bytes of these elements; 0 if the format is unknown.
  [[nodiscard]] std::int64_t bytes(std::size_t i) const;
  /// The value of an argument, or the values in a list: integers, with true and false as 1 and 0.
  /// Empty for absent and other values.
  [[nodiscard]] std::vector<std::int64_t> numbers(std::size_t i) const;
  /// True if the value is true or a number other than 0.
  [[nodiscard]] bool is_set(std::size_t i) const;

 private:
  struct Argument {
    std::vector<TensorShape> shapes;  // of the tensor or of each in a list
    bool is_list = false;
    graph::Format format = graph::Format::unsaid;
  };
  void read_formats(std::string_view types);

  std::vector<Argument> arguments_;
  std::string_view values_;
};

/// The number format in the name of a type: "float", "c10::BFloat16", "Tensor(c10::Half)",
/// "GenericList[Tensor(float),Tensor(float)]". `unsaid` for scalars, and for lists with several
/// formats.
[[nodiscard]] graph::Format format_of_type(std::string_view type);

}  // namespace orrery::trace::operators
