// SPDX-License-Identifier: Apache-2.0
//
// Embedding lookups. Sources of argument orders: PyTorch's native_functions.yaml, FBGEMM's
// embedding_forward_split_host_pt2_autograd_template.cpp.
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;
using graph::Pass;

/// Looks up `lookups` rows of a table. Each row (or its gradient) is read and written once.
MaybeKernel row_lookups(std::int64_t lookups, std::int64_t rows, std::int64_t features,
                        Format format, Pass pass) {
  const std::int64_t numbers = count_of(std::array{lookups, features});
  if (numbers == 0 || rows < 0) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::embedding, pass, format, format);
  kernel.sizes = {lookups, rows, features};
  kernel.bytes = 2 * bytes_of(numbers, format);
  return kernel;
}

MaybeKernel look_up(const Arguments& args, std::size_t indices) {
  const TensorShape& table = args.shape(0);
  if (table.size() != 2) return std::nullopt;
  return row_lookups(args.elements(indices), table[0], table[1], args.format(0), Pass::forward);
}
MaybeKernel embedding(const Arguments& args) { return look_up(args, 1); }

/// Along the first dimension, this looks up rows of a table.
MaybeKernel index_select(const Arguments& args) {
  const std::vector<std::int64_t> dim = args.numbers(1);
  return dim.size() == 1 && dim.front() == 0 ? look_up(args, 2) : std::nullopt;
}

MaybeKernel embedding_back(const Arguments& args) {
  const TensorShape& grad = args.shape(0);
  const std::vector<std::int64_t> rows = args.numbers(2);
  if (grad.empty() || args.elements(0) == 0) return std::nullopt;
  return row_lookups(args.elements(0) / grad.back(), rows.size() == 1 ? rows.front() : 0,
                     grad.back(), args.format(0), Pass::weight_grad);
}

/// Sums of rows of several tables, with the sizes of embedding_bag.
MaybeKernel bag_sums(const std::array<std::int64_t, 4>& sizes, std::int64_t indices, Format format,
                     Pass pass) {
  const auto [tables, batch, rows, features] = sizes;
  const std::int64_t bags = count_of(std::array{tables, batch});
  if (bags == 0 || indices <= 0 || rows < 0) return std::nullopt;
  const std::int64_t read = count_of(std::array{indices, features});
  const std::int64_t written = count_of(std::array{bags, features});
  if (read == 0 || written == 0) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::embedding_bag, pass, format, format);
  kernel.sizes = {tables, batch, (indices + bags - 1) / bags, rows, features};
  kernel.flops = pass == Pass::forward && read > written ? read - written : 0;
  kernel.bytes = bytes_of(read + written, format) + indices * 8;
  return kernel;
}

MaybeKernel embedding_bag(const Arguments& args) {
  const TensorShape& table = args.shape(0);
  if (table.size() != 2 || table[0] < 1) return std::nullopt;
  constexpr std::size_t kLastOffset = 7;  // index: offsets include the end of the last bag
  const std::int64_t count = args.elements(2) - (args.is_set(kLastOffset) ? 1 : 0);
  return bag_sums({1, count, table[0], table[1]}, args.elements(1), args.format(0), Pass::forward);
}

MaybeKernel embedding_bag_back(const Arguments& args) {
  const TensorShape& grad = args.shape(0);
  const std::vector<std::int64_t> rows = args.numbers(5);
  if (grad.size() != 2) return std::nullopt;
  return bag_sums({1, grad[0], rows.size() == 1 ? rows.front() : 0, grad[1]}, args.elements(1),
                  args.format(0), Pass::weight_grad);
}

/// All tables of a rank at once. Weights are in one tensor each for device, host and cache.
/// Argument 4 has one entry per table. Argument 7 is the sum of the tables' widths. The offsets
/// contain the bags of all tables.
MaybeKernel split_tables(const Arguments& args) {
  constexpr std::size_t kWeights = 1, kTables = 4, kWidths = 7, kIndices = 11, kOffsets = 12;
  const std::int64_t tables = args.elements(kTables), offsets = args.elements(kOffsets);
  const std::vector<std::int64_t> widths = args.numbers(kWidths);
  if (tables < 1 || offsets < 2 || (offsets - 1) % tables != 0 || widths.size() != 1)
    return std::nullopt;
  const std::int64_t features = widths.front() / tables;
  if (features < 1) return std::nullopt;
  return bag_sums(
      {tables, (offsets - 1) / tables, args.elements(kWeights) / features / tables, features},
      args.elements(kIndices), args.format(kWeights), Pass::forward);
}

constexpr std::array kLookups = {
    NamedOperator{"aten::embedding", embedding},
    NamedOperator{"aten::index_select", index_select, true},
    NamedOperator{"aten::embedding_dense_backward", embedding_back, true},
    NamedOperator{"aten::_embedding_bag", embedding_bag, true},
    NamedOperator{"aten::_embedding_bag_forward_only", embedding_bag, true},
    NamedOperator{"aten::_embedding_bag_dense_backward", embedding_bag_back, true},
    NamedOperator{"fbgemm::split_embedding_codegen_lookup_sgd_function", split_tables, true},
    NamedOperator{"fbgemm::split_embedding_codegen_lookup_adagrad_function", split_tables, true},
    NamedOperator{"fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function", split_tables,
                  true},
    NamedOperator{"fbgemm::split_embedding_codegen_lookup_adam_function", split_tables, true}};

}  // namespace

const NamedOperator* embedding_operator(std::string_view name) { return find_in(kLookups, name); }

}  // namespace orrery::trace::operators
