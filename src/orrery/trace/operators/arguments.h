// SPDX-License-Identifier: Apache-2.0
//
// What is recorded of the arguments of an operator: shapes, number formats and, of what is no
// tensor, values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/graph/kernel.h"

namespace orrery::trace::operators {

using TensorShape = std::vector<std::int64_t>;

/// Elements; 0 for what is no tensor, has a size below one or more than 2^50.
[[nodiscard]] std::int64_t count_of(std::span<const std::int64_t> shape);

/// The texts of one call: JSON lists (or Python's) with an entry for each argument. PyTorch's
/// profiler: "Input Dims", "Input type", "Concrete Inputs"; execution traces: shapes, types and
/// values of the inputs. Views; they have to outlive what is made of them.
struct ArgumentTexts {
  std::string_view shapes;
  std::string_view types;
  std::string_view values;
};

/// Arguments by their place in the operator's schema. What lies beyond the last has no tensor and
/// no value.
class Arguments {
 public:
  /// Nothing where `shapes` is no list of lists of whole numbers. Linear; values are only looked at
  /// when they are asked for.
  [[nodiscard]] static std::optional<Arguments> read(const ArgumentTexts& texts);

  [[nodiscard]] std::size_t size() const { return arguments_.size(); }
  /// Of a tensor; empty where the argument is none, a list, or a tensor without dimensions.
  [[nodiscard]] const TensorShape& shape(std::size_t i) const;
  /// Of a tensor, or of a list's if all have the same.
  [[nodiscard]] graph::Format format(std::size_t i) const;
  /// Elements of the tensor, or of all of a list together.
  [[nodiscard]] std::int64_t elements(std::size_t i) const;
  /// … times what one takes; 0 where the format is not known.
  [[nodiscard]] std::int64_t bytes(std::size_t i) const;
  /// The value of an argument, or of each in a list of them: whole numbers, true and false as 1
  /// and 0. Empty where nothing is said or anything else stands there.
  [[nodiscard]] std::vector<std::int64_t> numbers(std::size_t i) const;
  /// True or a number that is not 0.
  [[nodiscard]] bool is_set(std::size_t i) const;

 private:
  struct Argument {
    std::vector<TensorShape> shapes;  // of a tensor, one
    bool list = false;
    graph::Format format = graph::Format::unsaid;
  };
  void read_formats(std::string_view types);

  std::vector<Argument> arguments_;
  std::string_view values_;
};

/// The number format in a type's name: "float", "c10::BFloat16", "Tensor(c10::Half)",
/// "GenericList[Tensor(float),Tensor(float)]". unsaid for scalars, and for lists of several.
[[nodiscard]] graph::Format format_of_type(std::string_view type);

}  // namespace orrery::trace::operators
