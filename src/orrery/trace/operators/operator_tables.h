// SPDX-License-Identifier: Apache-2.0
//
// The kernels of single operators, by what kind of work they are. Each file has a table of names;
// an operator stands in one of them.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "orrery/graph/kernel.h"
#include "orrery/trace/operators/arguments.h"

namespace orrery::trace::operators {

/// Places of arguments that an operator has none of.
inline constexpr std::size_t kNoArgument = 99;

using MaybeKernel = std::optional<graph::Kernel>;

/// One operator. `make` gets its arguments.
struct NamedOperator {
  std::string_view name;
  MaybeKernel (*make)(const Arguments& arguments);
  bool values = false;  ///< it looks at values
};

/// The operator of that name in one of the files below; null: not there.
[[nodiscard]] const NamedOperator* product_operator(std::string_view name);
[[nodiscard]] const NamedOperator* convolution_operator(std::string_view name);
[[nodiscard]] const NamedOperator* attention_operator(std::string_view name);
[[nodiscard]] const NamedOperator* rows_operator(std::string_view name);
[[nodiscard]] const NamedOperator* lookup_operator(std::string_view name);
[[nodiscard]] const NamedOperator* elements_operator(std::string_view name);
[[nodiscard]] const NamedOperator* list_operator(std::string_view name);

template <class Table>
const NamedOperator* find_in(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const NamedOperator& each) { return each.name == name; });
  return found == table.end() ? nullptr : &*found;
}

/// A kernel of one size, `a` the format of what is read and `out` of what is written.
[[nodiscard]] graph::Kernel simple_kernel(graph::Operation operation, graph::Pass pass,
                                          graph::Format a, graph::Format out);
/// Bytes of so many numbers.
[[nodiscard]] std::int64_t bytes_of(std::int64_t elements, graph::Format format);
/// How many places a window (of a filter, of pooling) has along a side of `in` numbers; 0 for what
/// cannot be.
[[nodiscard]] std::int64_t places(std::int64_t in, std::int64_t window, std::int64_t stride,
                                  std::int64_t padding, std::int64_t dilation);

}  // namespace orrery::trace::operators
