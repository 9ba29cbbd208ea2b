// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/program/op_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace orrery::generative {
namespace {

using graph::Kernel;
using graph::NodeKind;

/// The number after `mark` at the end of `name`, which is cut off.
std::int64_t cut_number(std::string_view& name, std::string_view mark) {
  const std::size_t at = name.rfind(mark);
  if (at == std::string_view::npos || at == 0) return -1;
  const std::string_view digits = name.substr(at + mark.size());
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) return -1;
  name = name.substr(0, at);
  return number;
}

std::size_t stated_sizes(const Kernel& kernel) {
  return static_cast<std::size_t>(
      std::count_if(kernel.sizes.begin(), kernel.sizes.end(), [](auto size) { return size != 0; }));
}

/// The kernel without its numbers.
Kernel shape_of(Kernel kernel) {
  for (std::int64_t& size : kernel.sizes) size = size != 0 ? 1 : 0;
  kernel.flops = kernel.bytes = 0;
  kernel.launches = 1;
  kernel.host_launches = kernel.looped_launches = 0;
  return kernel;
}

bool take_number(std::string_view& text, unsigned limit, unsigned& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ' || number > limit)
    return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

}  // namespace

SplitName split_name(std::string_view name) {
  SplitName split;
  split.microbatch = cut_number(name, " mb");
  (void)cut_number(name, " L");
  split.stem = name;
  return split;
}

SizeRange kernel_sizes(const OpShape& shape) {
  return shape.kernel ? SizeRange{2, stated_sizes(*shape.kernel)} : SizeRange{};
}

std::size_t value_count(const OpShape& shape) {
  std::size_t values = shape.has_duration ? 1 : 0;
  if (graph::is_work(shape.kind)) {
    values += 2;
    if (shape.kernel) values += stated_sizes(*shape.kernel) + 3;
    if (shape.has_kernel_counts) values += 2;
  } else if (shape.kind == NodeKind::coll) {
    values += shape.transport != 0 ? 5 : 2;
  } else {
    values += 3;
  }
  return values;
}

std::string to_text(const OpShape& shape) {
  return fmt::format("{} {} {} {} {} {} {} {}\t{}\t{}", static_cast<unsigned>(shape.kind),
                     shape.flags, shape.has_duration ? 1 : 0, shape.has_kernel_counts ? 1 : 0,
                     static_cast<unsigned>(shape.type), static_cast<unsigned>(shape.format),
                     shape.transport, shape.group, shape.stem,
                     shape.kernel ? graph::to_text(*shape.kernel) : "");
}

std::optional<OpShape> parse_shape(std::string_view text) {
  OpShape shape;
  unsigned kind = 0, flags = 0, timed = 0, counted = 0, type = 0, format = 0, transport = 0;
  if (!take_number(text, graph::kNodeKinds - 1, kind) || !take_number(text, 0xffff, flags) ||
      !take_number(text, 1, timed) || !take_number(text, 1, counted) ||
      !take_number(text, 255, type) || !take_number(text, graph::kFormats - 1, format) ||
      !take_number(text, 255, transport))
    return std::nullopt;
  const std::size_t first = text.find('\t');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = text.find('\t', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  shape.kind = static_cast<NodeKind>(kind);
  shape.flags = static_cast<std::uint16_t>(flags);
  shape.has_duration = timed != 0;
  shape.has_kernel_counts = counted != 0;
  shape.type = static_cast<graph::CollectiveType>(type);
  shape.format = static_cast<graph::Format>(format);
  shape.transport = static_cast<std::uint8_t>(transport);
  shape.group = text.substr(0, first);
  shape.stem = text.substr(first + 1, second - first - 1);
  const std::string_view kernel = text.substr(second + 1);
  if (!kernel.empty()) {
    shape.kernel = graph::parse_kernel(kernel);
    if (!shape.kernel || !graph::is_work(shape.kind)) return std::nullopt;
  }
  const bool known =
      graph::is_work(shape.kind) || shape.kind == NodeKind::coll || graph::is_message(shape.kind);
  if (!known || (shape.has_kernel_counts && !shape.kernel)) return std::nullopt;
  return shape;
}

namespace {

Result<ReadOp> unsupported(const graph::Graph& graph, graph::NodeId node, std::string_view what) {
  return fail(Errc::input_unsupported, fmt::format("node {}", graph.id(node)),
              fmt::format("{} cannot be represented", what));
}

void read_work(const graph::Graph& graph, graph::NodeId node, ReadOp& op) {
  const graph::Work work = graph.work(node);
  op.values = {work.num_ops, work.tensor_size.count()};
  const Kernel* kernel = graph.kernel_of(node);
  if (kernel == nullptr) return;
  for (const std::int64_t size : kernel->sizes)
    if (size != 0) op.values.push_back(size);
  op.values.insert(op.values.end(),
                   {kernel->launches, kernel->host_launches, kernel->looped_launches});
  op.shape.kernel = shape_of(*kernel);
  op.shape.has_kernel_counts =
      kernel->flops != work.num_ops || kernel->bytes != work.tensor_size.count();
  if (op.shape.has_kernel_counts) op.values.insert(op.values.end(), {kernel->flops, kernel->bytes});
}

}  // namespace

Result<ReadOp> read_op(const graph::Graph& graph, graph::NodeId node, std::string_view group,
                       std::uint32_t rank, std::int64_t microbatch) {
  ReadOp op;
  OpShape& shape = op.shape;
  shape.stem = split_name(graph.name(node)).stem;
  std::replace(shape.stem.begin(), shape.stem.end(), '\t', ' ');
  std::replace(shape.stem.begin(), shape.stem.end(), '\n', ' ');
  shape.kind = graph.kind(node);
  for (unsigned bit = 0; bit < 16; ++bit) {
    const auto flag = static_cast<graph::NodeFlag>(1U << bit);
    if (flag != graph::kHasTensors && graph.has(node, flag))
      shape.flags = static_cast<std::uint16_t>(shape.flags | flag);
  }
  if (graph::is_work(shape.kind)) {
    read_work(graph, node, op);
  } else if (shape.kind == NodeKind::coll) {
    const graph::Collective& collective = graph.collective(node);
    if (graph.has(node, graph::kHasDims) || graph.has(node, graph::kHasPriority))
      return unsupported(graph, node, "a collective with dimensions or a priority");
    shape.group = group;
    shape.type = collective.type;
    shape.format = collective.format;
    shape.transport = collective.exchange.packed_transport;
    op.values = {collective.size.count(), collective.root};
    if (shape.transport != 0)
      op.values.insert(op.values.end(),
                       {collective.exchange.experts, collective.exchange.token_bytes,
                        collective.exchange.top_k});
  } else if (graph::is_message(shape.kind)) {
    const graph::PointToPoint& message = graph.point_to_point(node);
    if (message.pieces != 0) return unsupported(graph, node, "a share of a buffer");
    const std::int64_t peer = shape.kind == NodeKind::send ? message.dst : message.src;
    const bool relative = graph.has(node, graph::kPeerRelative);
    op.values = {message.size.count(), relative ? peer : peer - std::int64_t{rank},
                 std::int64_t{message.tag} - std::max<std::int64_t>(0, microbatch)};
    shape.flags = static_cast<std::uint16_t>(shape.flags | graph::kPeerRelative);
  } else {
    return unsupported(graph, node, "a node of kind " + std::string(graph::name(shape.kind)));
  }
  if (const Time duration = graph.duration(node); duration != Time{}) {
    shape.has_duration = true;
    op.values.push_back(duration.count());
  }
  return op;
}

void write_op(const OpShape& shape, std::span<const std::int64_t> values, std::int64_t microbatch,
              StringPool& pool, graph::KernelTable& kernels, graph::NodeSpec& node) {
  node.kind = shape.kind;
  node.flags = shape.flags;
  node.name =
      pool.intern(microbatch < 0 ? shape.stem : fmt::format("{} mb{}", shape.stem, microbatch));
  node.duration = shape.has_duration ? Time(values.back()) : Time{};
  node.work = {};
  node.kernel = graph::kNoKernel;
  node.collective = {};
  node.message = {};
  if (graph::is_work(shape.kind)) {
    node.work = {values[0], Bytes(values[1])};
    if (!shape.kernel) return;
    Kernel kernel = *shape.kernel;
    std::size_t at = 2;
    for (std::int64_t& size : kernel.sizes)
      if (size != 0) size = values[at++];
    kernel.launches = static_cast<std::uint32_t>(values[at]);
    kernel.host_launches = static_cast<std::uint32_t>(values[at + 1]);
    kernel.looped_launches = static_cast<std::uint32_t>(values[at + 2]);
    kernel.flops = values[shape.has_kernel_counts ? at + 3 : 0];
    kernel.bytes = values[shape.has_kernel_counts ? at + 4 : 1];
    node.kernel = kernels.intern(kernel);
  } else if (shape.kind == NodeKind::coll) {
    node.collective.type = shape.type;
    node.collective.size = Bytes(values[0]);
    node.collective.root = static_cast<std::int32_t>(values[1]);
    node.collective.group = pool.intern(shape.group);
    node.collective.format = shape.format;
    if (shape.transport != 0) {
      node.collective.exchange.experts = static_cast<std::uint16_t>(values[2]);
      node.collective.exchange.token_bytes = static_cast<std::uint16_t>(values[3]);
      node.collective.exchange.top_k = static_cast<std::uint8_t>(values[4]);
      node.collective.exchange.packed_transport = shape.transport;
    }
  } else {
    node.message.size = Bytes(values[0]);
    (shape.kind == NodeKind::send ? node.message.dst : node.message.src) =
        static_cast<std::int32_t>(values[1]);
    node.message.tag =
        static_cast<std::uint32_t>(values[2] + std::max<std::int64_t>(0, microbatch));
  }
}

}  // namespace orrery::generative
