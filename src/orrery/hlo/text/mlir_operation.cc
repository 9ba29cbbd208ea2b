// SPDX-License-Identifier: Apache-2.0
//
// The attributes of StableHLO operations, in the pretty and in the generic form. Source: the
// specification of StableHLO (docs/spec.md) and its assembly formats (StablehloOps.td).
#include "orrery/hlo/text/mlir_operation.h"

#include <algorithm>

#include "orrery/hlo/text/mlir_types.h"

namespace orrery::hlo {

namespace {

using Numbers = std::vector<std::int64_t>;

Numbers numbers(const MlirOperation& op, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const std::string_view value = op.attribute(name); !value.empty())
      return mlir_integers(value);
  return {};
}

std::int64_t number(const MlirOperation& op, std::string_view name, std::int64_t otherwise) {
  const Numbers found = mlir_integers(op.attribute(name));
  return found.empty() ? otherwise : found.front();
}

DotDims dot_dims(const MlirOperation& op) {
  DotDims dims;
  if (const std::string_view generic = op.attribute("dot_dimension_numbers"); !generic.empty()) {
    dims.lhs_batch = integers_in(value_in(generic, "lhs_batching_dimensions"));
    dims.rhs_batch = integers_in(value_in(generic, "rhs_batching_dimensions"));
    dims.lhs_contracting = integers_in(value_in(generic, "lhs_contracting_dimensions"));
    dims.rhs_contracting = integers_in(value_in(generic, "rhs_contracting_dimensions"));
    return dims;
  }
  dims.lhs_batch = numbers(op, {"batching_dims"});
  dims.rhs_batch = numbers(op, {"batching_dims x"});
  dims.lhs_contracting = numbers(op, {"contracting_dims"});
  dims.rhs_contracting = numbers(op, {"contracting_dims x"});
  return dims;
}

/// The n-th number of a list of some lengths; `otherwise` if the list is shorter.
std::int64_t nth(const Numbers& list, std::size_t n, std::int64_t otherwise) {
  return n < list.size() ? list[n] : otherwise;
}

/// Windows of a convolution (sizes follow from the kernel) or of a reduction.
std::vector<WindowDim> windows(const MlirOperation& op, std::size_t count) {
  const std::string_view pretty = op.attribute("window");
  const auto list = [&](std::string_view name, std::initializer_list<std::string_view> generic) {
    return pretty.empty() ? numbers(op, generic) : integers_in(value_in(pretty, name));
  };
  const Numbers sizes = numbers(op, {"window_dimensions"});
  const Numbers strides = list("stride", {"window_strides"});
  const Numbers pads = list("pad", {"padding"});
  const Numbers base = list("lhs_dilate", {"lhs_dilation", "base_dilations"});
  const Numbers window = list("rhs_dilate", {"rhs_dilation", "window_dilations"});
  std::vector<WindowDim> made(std::max(count, sizes.size()));
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = {nth(sizes, i, 1),        nth(strides, i, 1), nth(pads, 2 * i, 0),
               nth(pads, 2 * i + 1, 0), nth(base, i, 1),    nth(window, i, 1)};
  return made;
}

ReplicaGroups replica_groups(const MlirOperation& op) {
  ReplicaGroups groups;
  if (const std::string_view pairs = op.attribute("source_target_pairs"); !pairs.empty()) {
    const Numbers list = mlir_integers(pairs);
    for (std::size_t i = 0; i + 1 < list.size(); i += 2)
      groups.pairs.emplace_back(list[i], list[i + 1]);
  }
  groups.groups = mlir_rows(op.attribute("replica_groups"));
  const std::string_view channel = op.attribute("channel_handle");
  const Numbers handle = integers_in(value_in(channel, "handle"));
  const bool across = !handle.empty() && handle.front() > 0;
  const std::string_view name = op.short_name();
  const bool mixed = name == "all_reduce" || name == "all_gather" || name == "reduce_scatter";
  if (!op.attribute("use_global_device_ids").empty())
    groups.ids = GroupIds::devices;
  else if (across)
    groups.ids = mixed ? GroupIds::replicas_partitions : GroupIds::partitions;
  return groups;
}

void take_constant(const MlirOperation& written, Instruction& op) {
  std::string_view value = written.attribute("value");
  if (value.size() > 128 || op.shape.elements() != 1) return;
  const Numbers found = mlir_integers(value);
  if (found.size() != 1) return;
  op.number = found.front();
  op.has_value = true;
}

std::string comparison(const MlirOperation& written) {
  if (!written.words.empty()) return std::string(written.words.front());
  std::string_view text = written.attribute("comparison_direction");
  if (text.ends_with('>')) text.remove_suffix(1);
  return std::string(text.substr(text.find_last_of(' ') + 1));
}

/// What the attributes of one class say.
void take_attributes(const MlirOperation& written, Instruction& op) {
  switch (op.opcode->op_class) {
    case OpClass::dot:
      op.dot = dot_dims(written);
      break;
    case OpClass::convolution: {
      std::string_view dims = written.attribute("dim_numbers");
      if (dims.empty()) dims = written.attribute("dimension_numbers");
      op.convolution = mlir_convolution_dims(dims);
      if (op.convolution) op.window = windows(written, op.convolution->kernel_spatial.size());
      op.feature_groups = number(written, "feature_group_count", 1);
      op.batch_groups = number(written, "batch_group_count", 1);
      break;
    }
    case OpClass::window:
      op.window = windows(written, 0);
      break;
    case OpClass::collective:
    case OpClass::permute:
      op.groups = replica_groups(written);
      break;
    case OpClass::tuple_element:
      op.number = number(written, "index", 0);
      if (!written.lists.empty()) op.number = nth(integers_in(written.lists.front()), 0, 0);
      break;
    case OpClass::constant:
      take_constant(written, op);
      break;
    case OpClass::elementwise:
      if (op.opcode->name == "compare") op.direction = comparison(written);
      break;
    case OpClass::call:
      if (!written.symbols.empty()) op.target = written.symbols.front();
      if (const auto name = written.attribute("decomposition"); name.starts_with('@'))
        op.target = name.substr(1);
      if (const auto name = written.attribute("callee"); name.starts_with('@'))
        op.target = name.substr(1);
      break;
    case OpClass::custom_call: {
      std::string_view name = written.attribute("call_target_name");
      if (name.starts_with('"')) name = Cursor(name).quoted();
      op.target = written.symbols.empty() ? name : written.symbols.front();
      break;
    }
    default:
      break;
  }
}

/// Whether an operation of MLIR's own dialects computes sizes of other values, or moves nothing, as
/// in exports of torch-mlir with dynamic shapes.
bool computes_sizes(const MlirOperation& written, const Shape& shape) {
  constexpr std::int64_t kMostSizes = 64;
  const std::string_view dialect = written.word.substr(0, written.word.find('.'));
  if (written.word == "tensor.cast" || written.word == "tensor.dim") return true;
  return (dialect == "arith" || dialect == "tensor" || dialect == "shape" || dialect == "index") &&
         shape.elements() <= kMostSizes;
}

}  // namespace

std::string_view MlirOperation::attribute(std::string_view name) const {
  for (const auto& [key, value] : attributes)
    if (key == name) return value.empty() ? key : value;
  return {};
}

std::string_view MlirOperation::short_name() const {
  const std::size_t dot = word.rfind('.');
  return dot == word.npos ? word : word.substr(dot + 1);
}

Instruction understand(const MlirOperation& written) {
  Instruction op;
  op.opcode = &find_opcode(written.short_name());
  constexpr std::string_view kBroadcasts = "chlo.broadcast_";  // both operands to one shape first
  if (written.word.starts_with(kBroadcasts))
    op.opcode = &find_opcode(written.word.substr(kBroadcasts.size()));
  op.word = written.word;
  op.name = written.results;
  op.line = written.line;
  op.operands = written.operands;
  op.called = written.regions;
  op.shape = result_shape(written.shapes);
  if (const std::size_t quote = written.location.find('"'); quote != std::string_view::npos)
    op.scope =
        written.location.substr(quote + 1, written.location.find('"', quote + 1) - quote - 1);
  op.dims = numbers(
      written, {"dimensions", "dims", "all_gather_dim", "scatter_dimension", "dimension", "dim"});
  if (op.opcode->op_class == OpClass::unknown && computes_sizes(written, op.shape))
    op.opcode = &find_opcode("get_dimension_size");
  take_attributes(written, op);
  return op;
}

}  // namespace orrery::hlo
