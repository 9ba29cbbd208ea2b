// SPDX-License-Identifier: Apache-2.0
//
// The second half of GraphBuilder: moving checked nodes into the graph's columns.
#include <fmt/format.h>

#include <bit>

#include "orrery/core/limits.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/content_hash.h"

namespace orrery::graph {
namespace {

std::uint64_t both(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

void add_payload(ContentHash& hash, const Collective& coll, const StringPool& strings) {
  const auto dims = static_cast<std::uint64_t>(coll.numbers) << 56 |
                    static_cast<std::uint64_t>(coll.dims_mask) << 16 |
                    static_cast<std::uint64_t>(coll.dims_count) << 8;
  hash.add(static_cast<std::uint64_t>(coll.size.count()),
           both(static_cast<std::uint32_t>(coll.priority), static_cast<std::uint32_t>(coll.root)),
           dims | static_cast<std::uint64_t>(coll.type), coll.exchange.bits());
  hash.add(strings.view(coll.group));
}

void add_payload(ContentHash& hash, const PointToPoint& message) {
  hash.add(static_cast<std::uint64_t>(message.size.count()),
           both(static_cast<std::uint32_t>(message.src), static_cast<std::uint32_t>(message.dst)),
           message.tag, message.pieces);
}

}  // namespace

std::uint64_t GraphBuilder::fill_columns() {
  const NodeId count = node_count();
  columns_.flags.resize(count);
  columns_.durations.resize(count);
  columns_.names.resize(count);
  columns_.payloads.resize(count);
  columns_.in_degrees.resize(count);
  ContentHash hash;
  hash.add(std::uint64_t{count});
  for (NodeId n = 0; n < count; ++n) {
    const Slot& from = slot(n);
    columns_.kinds[n] = from.kind;
    columns_.flags[n] = from.flags;
    columns_.durations[n] = from.duration;
    columns_.names[n] = from.name;
    columns_.payloads[n] = from.payload;
    columns_.in_degrees[n] = first_pred_[n + 1] - first_pred_[n];
    const bool work = from.payload != kNoNode && is_work(from.kind);
    const Work row = work ? columns_.works[from.payload] : Work{};
    hash.add(from.id, static_cast<std::uint64_t>(from.duration.count()),
             static_cast<std::uint64_t>(row.num_ops) ^ static_cast<std::uint64_t>(from.kind) << 56,
             std::rotl(static_cast<std::uint64_t>(row.tensor_size.count()), 16) ^ from.flags);
    if (from.payload != kNoNode && !work) {
      if (from.kind == NodeKind::coll) {
        add_payload(hash, columns_.collectives[from.payload], *strings_);
      } else {
        add_payload(hash, columns_.messages[from.payload]);
      }
    }
    const std::uint32_t degree = columns_.in_degrees[n];
    const NodeId* preds = preds_.data() + first_pred_[n];
    if (degree <= 2) {
      hash.add(both(degree, degree > 0 ? preds[0] : 0) ^ both(degree > 1 ? preds[1] : 0, 0));
    } else {
      hash.add(std::uint64_t{degree});
      for (std::uint32_t i = 0; i + 1 < degree; i += 2) hash.add(both(preds[i], preds[i + 1]));
      if (degree % 2 != 0) hash.add(std::uint64_t{preds[degree - 1]});
    }
  }
  if (!columns_.work_kernels.empty()) hash_kernels(hash);
  move_tensors();
  for (std::size_t row = 0; row < columns_.tensor_nodes.size(); ++row) {
    hash.add(std::uint64_t{columns_.tensor_nodes[row]});
    for (std::uint32_t i = columns_.first_tensor[row]; i < columns_.first_tensor[row + 1]; ++i) {
      const TensorUse& use = columns_.tensors[i];
      hash.add(strings_->view(use.name));
      hash.add(static_cast<std::uint64_t>(use.size.count()) << 1 | (use.output ? 1 : 0));
    }
  }
  if (!lanes_.empty()) fill_lanes(hash);
  if (!scopes_.empty()) fill_scopes(hash);
  if (!notes_.empty()) fill_notes(hash);
  return hash.value();
}

void GraphBuilder::hash_kernels(ContentHash& hash) const {
  std::vector<std::uint64_t> of_row;
  of_row.reserve(columns_.work_kernels.size());
  for (const KernelId id : columns_.work_kernels)
    of_row.push_back(id == kNoKernel ? 0 : hash_of((*kernels_)[id]));
  for (NodeId n = 0; n < node_count(); ++n) {
    const std::uint32_t row = columns_.payloads[n];
    if (row != kNoNode && is_work(columns_.kinds[n])) hash.add(of_row[row]);
  }
  const LaunchTimes launch = kernels_->launch_times();
  if (!launch.any()) return;
  for (const Time time : {launch.forward, launch.backward, launch.optimizer})
    hash.add(static_cast<std::uint64_t>(time.count()));
}

void GraphBuilder::move_tensors() {
  if (tensor_runs_.empty()) return;
  columns_.first_tensor = {0};
  columns_.tensor_nodes.reserve(tensor_runs_.size());
  columns_.first_tensor.reserve(tensor_runs_.size() + 1);
  if (order_.empty()) {  // as they came: nothing to move
    columns_.tensors = std::move(tensors_);
    for (std::size_t run = 0; run < tensor_runs_.size(); ++run) {
      columns_.tensor_nodes.push_back(tensor_runs_[run].position);
      columns_.first_tensor.push_back(run + 1 < tensor_runs_.size()
                                          ? tensor_runs_[run + 1].first
                                          : static_cast<std::uint32_t>(columns_.tensors.size()));
    }
    return;
  }
  columns_.tensors.reserve(tensors_.size());
  std::vector<std::uint32_t> run_of(nodes_.size(), 0);  // position → run
  for (std::uint32_t r = 0; r < tensor_runs_.size(); ++r) run_of[tensor_runs_[r].position] = r;
  for (NodeId n = 0; n < node_count(); ++n) {
    if (!slot(n).tensors) continue;
    const std::uint32_t run = run_of[order_[n]];
    const std::size_t end =
        run + 1 < tensor_runs_.size() ? tensor_runs_[run + 1].first : tensors_.size();
    columns_.tensors.insert(columns_.tensors.end(), tensors_.begin() + tensor_runs_[run].first,
                            tensors_.begin() + static_cast<std::ptrdiff_t>(end));
    columns_.tensor_nodes.push_back(n);
    columns_.first_tensor.push_back(static_cast<std::uint32_t>(columns_.tensors.size()));
  }
}

Result<Graph> GraphBuilder::finish(Findings& findings) && {
  if (too_many_deps_) {
    return fail(Errc::limit_exceeded, where_, "more than 2^32 dependencies or tensors in one rank");
  }
  if (nodes_.size() > limits::kNodesPerRank) {
    return fail(Errc::limit_exceeded, where_,
                fmt::format("more than {} nodes in one rank", limits::kNodesPerRank));
  }
  if (auto done = sort_nodes(findings); !done) return tl::unexpected(done.error());
  index_ids();
  if (auto done = resolve_deps(findings); !done) return tl::unexpected(done.error());
  Graph graph;
  graph.first_id_ = first_id_;
  graph.content_hash_ = fill_columns();
  for (NodeId n = 0; n < columns_.kinds.size() && !graph.has_device_; ++n)
    graph.has_device_ = columns_.kinds[n] != NodeKind::invalid &&
                        columns_.kinds[n] != NodeKind::metadata &&
                        (columns_.flags[n] & kIsCpu) == 0;
  graph.strings_ = strings_;
  if (!columns_.work_kernels.empty()) graph.kernels_ = kernels_;
  nodes_ = {};
  preds_ = {};
  graph.take(std::move(columns_));
  return graph;
}

}  // namespace orrery::graph
