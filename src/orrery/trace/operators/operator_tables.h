// SPDX-License-Identifier: Apache-2.0
//
// Kernels of single operators, by kind of operation. Each file has a table of names; each operator
// is in one table.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "orrery/graph/kernel.h"
#include "orrery/trace/operators/arguments.h"

namespace orrery::trace::operators {

/// Index for an argument that an operator does not have.
inline constexpr std::size_t kNoArgument = 99;

using MaybeKernel = std::optional<graph::Kernel>;

/// One operator. `make` builds the kernel from its arguments.
struct NamedOperator {
  std::string_view name;
  MaybeKernel (*make)(const Arguments& arguments);
  bool reads_values = false;
};

/// The operator of this name in the table of one of the files below; null if it is not there.
[[nodiscard]] const NamedOperator* product_operator(std::string_view name);
[[nodiscard]] const NamedOperator* convolution_operator(std::string_view name);
[[nodiscard]] const NamedOperator* attention_operator(std::string_view name);
[[nodiscard]] const NamedOperator* row_operator(std::string_view name);
[[nodiscard]] const NamedOperator* embedding_operator(std::string_view name);
[[nodiscard]] const NamedOperator* elementwise_operator(std::string_view name);
[[nodiscard]] const NamedOperator* tensor_list_operator(std::string_view name);

template <class Table>
const NamedOperator* find_in(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const NamedOperator& each) { return each.name == name; });
  return found == table.end() ? nullptr : &*found;
}

/// A kernel with one size; `a`: format that it reads, `out`: format that it writes.
[[nodiscard]] graph::Kernel simple_kernel(graph::Operation operation, graph::Pass pass,
                                          graph::Format a, graph::Format out);
/// Bytes of `elements` numbers.
[[nodiscard]] std::int64_t bytes_of(std::int64_t elements, graph::Format format);
/// Number of positions of a window (of a filter, of pooling) along a side of `in` elements; 0 if
/// impossible.
[[nodiscard]] std::int64_t window_count(std::int64_t in, std::int64_t window, std::int64_t stride,
                                        std::int64_t padding, std::int64_t dilation);

}  // namespace orrery::trace::operators
