// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/records/writer.h"

#include "orrery/trace/chakra/records/kernel_attributes.h"
#include "orrery/trace/chakra/records/scope_attributes.h"

namespace orrery::trace::chakra {
namespace {

constexpr std::size_t kFlushAt = 1 << 20;

using graph::NodeId;

void add_collective(const graph::Graph& graph, NodeId n, NodeRecord& node) {
  const graph::Collective& coll = graph.collective(n);
  if (graph.has(n, graph::kHasCommType) && coll.type != graph::CollectiveType::unknown)
    node.add(attribute_int64("comm_type", static_cast<std::int64_t>(coll.type)));
  if (graph.has(n, graph::kHasCommSize)) node.add(attribute_int64("comm_size", coll.size.count()));
  if (coll.group != StringId::empty)
    node.add(attribute_string("pg_name", std::string(graph.string(coll.group))));
  if (graph.has(n, graph::kHasPriority)) node.add(attribute_int32("comm_priority", coll.priority));
  if (graph.has(n, graph::kHasDims)) {
    std::vector<bool> dims;
    for (unsigned d = 0; d < coll.dims_count; ++d) dims.push_back((coll.dims_mask >> d & 1u) != 0);
    node.add(attribute_bools("involved_dim", dims));
  }
  if (coll.exchange) node.add(attribute_string("experts", graph::to_text(coll.exchange)));
  if (coll.format != graph::Format::unsaid)
    node.add(attribute_string("comm_dtype", std::string(graph::name(coll.format))));
  if (coll.root != 0) node.add(attribute_int32("root", coll.root));
}

void add_message(const graph::Graph& graph, NodeId n, NodeRecord& node) {
  const graph::PointToPoint& message = graph.point_to_point(n);
  if (graph.has(n, graph::kHasCommSize))
    node.add(attribute_int64("comm_size", message.size.count()));
  if (graph.has(n, graph::kHasSrc)) node.add(attribute_int32("comm_src", message.src));
  if (graph.has(n, graph::kHasDst)) node.add(attribute_int32("comm_dst", message.dst));
  if (graph.has(n, graph::kHasTag))
    node.add(attribute_int32("comm_tag", static_cast<std::int32_t>(message.tag)));
  if (message.pieces == 0) return;
  const auto number = [](std::uint32_t value) { return static_cast<std::int32_t>(value); };
  node.add(attribute_int32("msg_chunk_cnt", number(message.piece_count())));
  node.add(attribute_int32("msg_chunk_idx", number(message.first_piece())));
  node.add(attribute_int32("total_chunk_cnt", number(message.pieces)));
}

void add_tensors(const graph::Graph& graph, NodeId n, NodeRecord& node) {
  if (!graph.has(n, graph::kHasTensors)) return;
  std::vector<std::string> lists[2];
  for (const graph::TensorUse& use : graph.tensors(n)) {
    lists[use.is_output ? 1 : 0].emplace_back(graph.string(use.name));
    lists[use.is_output ? 1 : 0].push_back(std::to_string(use.size.count()));
  }
  node.add(attribute_strings("inputs", std::move(lists[0])));
  node.add(attribute_strings("outputs", std::move(lists[1])));
}

void add_lane(const graph::Graph& graph, NodeId n, NodeRecord& node) {
  if (graph.has(n, graph::kIsCopy)) node.add(attribute_bool("is_copy", true));
  if (graph.has(n, graph::kIsWait)) node.add(attribute_bool("is_wait", true));
  if (graph.has(n, graph::kIsComm)) node.add(attribute_bool("is_comm", true));
  if (graph.lane(n) == graph::kNoLane) return;
  const graph::Lane& lane = graph.lanes()[graph.lane(n)];
  node.add(attribute_int64(lane.host ? "tid" : "stream", lane.id));
  if (lane.device != 0) node.add(attribute_int64("device", lane.device));
  if (lane.row != 0) node.add(attribute_int64("stream_row", lane.row));
}

/// Adds to every node a list parallel to its data dependencies. `add(n, i, list)` appends the entry
/// for the edge to the i-th successor of `n`.
template <class Add>
void add_dependency_list(const graph::Graph& graph, TraceRecords& trace,
                         const AttributeRecord& empty, const Add& add) {
  std::vector<AttributeRecord> lists(graph.size(), empty);
  for (NodeId n = 0; n < graph.size(); ++n) {
    const auto successors = graph.successors(n);
    for (std::size_t i = 0; i < successors.size(); ++i) add(n, i, lists[successors[i]]);
  }
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (!trace.nodes[n].data_deps.empty()) trace.nodes[n].attributes.push_back(std::move(lists[n]));
  }
}

NodeRecord record_of(const graph::Graph& graph, NodeId n, Findings& findings) {
  NodeRecord node;
  node.id = graph.id(n);
  node.name = graph.name(n);
  node.type = static_cast<std::uint64_t>(graph.kind(n));
  const std::int64_t duration = graph.duration(n).count();
  node.duration_micros = static_cast<std::uint64_t>((duration + kPsPerUs / 2) / kPsPerUs);
  if (duration % kPsPerUs != 0)
    findings.add(FindingCode::value_clamped, "node " + std::to_string(node.id));
  if (graph.has(n, graph::kHasCpuAttr)) node.add(attribute_bool("is_cpu_op", graph.is_cpu(n)));
  switch (graph.kind(n)) {
    case graph::NodeKind::coll:
      add_collective(graph, n, node);
      break;
    case graph::NodeKind::send:
    case graph::NodeKind::recv:
      add_message(graph, n, node);
      break;
    case graph::NodeKind::comp:
    case graph::NodeKind::mem_load:
    case graph::NodeKind::mem_store: {
      const graph::Work work = graph.work(n);
      if (graph.has(n, graph::kHasNumOps)) node.add(attribute_int64("num_ops", work.num_ops));
      if (graph.has(n, graph::kHasTensorSize))
        node.add(
            attribute_uint64("tensor_size", static_cast<std::uint64_t>(work.tensor_size.count())));
      if (graph.kernel(n) != graph::kNoKernel) node.add(attribute_int64("kernel", graph.kernel(n)));
      break;
    }
    case graph::NodeKind::invalid:
    case graph::NodeKind::metadata:
      break;
  }
  add_tensors(graph, n, node);
  return node;
}

}  // namespace

Result<TraceWriter> TraceWriter::create(const std::string& path, FilePlacement how) {
  auto sink = FileSink::create(path, how);
  if (!sink) return tl::unexpected(sink.error());
  return TraceWriter(std::move(*sink));
}

Result<void> TraceWriter::flush(std::size_t at_least) {
  if (buffer_.size() < at_least || buffer_.empty()) return {};
  auto done = sink_->write(buffer_);
  buffer_.clear();
  return done;
}

Result<void> TraceWriter::write(const MetadataRecord& metadata) {
  append_framed(buffer_, metadata);
  return flush(kFlushAt);
}

Result<void> TraceWriter::write(const NodeRecord& node) {
  append_framed(buffer_, node);
  return flush(kFlushAt);
}

Result<void> TraceWriter::close() {
  if (auto done = flush(0); !done) return done;
  return sink_->close();
}

Result<void> write_records(const std::string& path, const TraceRecords& trace, FilePlacement how) {
  auto writer = TraceWriter::create(path, how);
  if (!writer) return tl::unexpected(writer.error());
  if (trace.metadata) {
    if (auto done = writer->write(*trace.metadata); !done) return done;
  }
  for (const NodeRecord& node : trace.nodes) {
    if (auto done = writer->write(node); !done) return done;
  }
  return writer->close();
}

TraceRecords records_of(const graph::Graph& graph, Findings& findings) {
  TraceRecords trace;
  trace.metadata.emplace().version = kVersion;
  if (graph.kernels() != nullptr) add_kernels(*graph.kernels(), trace.metadata->attributes);
  trace.nodes.reserve(graph.size());
  for (NodeId n = 0; n < graph.size(); ++n) trace.nodes.push_back(record_of(graph, n, findings));
  for (NodeId n = 0; n < graph.size(); ++n) {
    for (const NodeId s : graph.successors(n)) trace.nodes[s].data_deps.push_back(graph.id(n));
    add_lane(graph, n, trace.nodes[n]);
    add_scope(graph.scope(n), trace.nodes[n].attributes);
  }
  if (graph.has_lags()) {
    add_dependency_list(graph, trace, attribute("dep_lags_ps", Member::int64_list, 0),
                        [&](NodeId n, std::size_t i, AttributeRecord& lags) {
                          lags.list.push_back(static_cast<std::uint64_t>(graph.lags(n)[i].count()));
                        });
  }
  if (graph.has_edge_kinds()) {
    add_dependency_list(graph, trace, attribute_strings("dep_kinds", {}),
                        [&](NodeId n, std::size_t i, AttributeRecord& kinds) {
                          kinds.texts.emplace_back(name(graph.edge_kinds(n)[i]));
                        });
  }
  return trace;
}

}  // namespace orrery::trace::chakra
