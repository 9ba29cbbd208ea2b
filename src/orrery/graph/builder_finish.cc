// SPDX-License-Identifier: Apache-2.0
//
// The second half of GraphBuilder: moving checked nodes into the graph's columns.
#include <fmt/format.h>

#include "orrery/core/limits.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/content_hash.h"

namespace orrery::graph {
namespace {

void add_payload(ContentHash& hash, const Work& work) {
  hash.add(static_cast<std::uint64_t>(work.num_ops));
  hash.add(static_cast<std::uint64_t>(work.tensor_size.count()));
}

void add_payload(ContentHash& hash, const Collective& coll, const StringPool& strings) {
  hash.add(static_cast<std::uint64_t>(coll.size.count()));
  hash.add(strings.view(coll.group));
  hash.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(coll.priority)) << 32 |
           static_cast<std::uint32_t>(coll.root));
  hash.add(static_cast<std::uint64_t>(coll.dims_mask) << 16 | static_cast<std::uint64_t>(coll.dims_count) << 8 |
           static_cast<std::uint64_t>(coll.type));
}

void add_payload(ContentHash& hash, const PointToPoint& message) {
  hash.add(static_cast<std::uint64_t>(message.size.count()));
  hash.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(message.src)) << 32 |
           static_cast<std::uint32_t>(message.dst));
  hash.add(std::uint64_t{message.tag});
}

}  // namespace

void GraphBuilder::move_columns() {
  const NodeId count = graph_.size();
  graph_.flags_.resize(count);
  graph_.durations_.resize(count);
  graph_.names_.resize(count);
  graph_.payloads_.resize(count);
  graph_.in_degrees_.resize(count);
  ContentHash hash;
  hash.add(std::uint64_t{count});
  for (NodeId n = 0; n < count; ++n) {
    const Slot& from = slot(n);
    graph_.kinds_[n] = from.kind;
    graph_.flags_[n] = from.flags;
    graph_.durations_[n] = from.duration;
    graph_.names_[n] = from.name;
    graph_.payloads_[n] = from.payload;
    graph_.in_degrees_[n] = first_pred_[n + 1] - first_pred_[n];
    hash.add(from.id);
    hash.add(static_cast<std::uint64_t>(from.kind) << 16 | from.flags);
    hash.add(static_cast<std::uint64_t>(from.duration.count()));
    if (from.payload != kNoNode) {
      if (from.kind == NodeKind::coll) {
        add_payload(hash, graph_.collectives_[from.payload], *strings_);
      } else if (from.kind == NodeKind::send || from.kind == NodeKind::recv) {
        add_payload(hash, graph_.messages_[from.payload]);
      } else {
        add_payload(hash, graph_.works_[from.payload]);
      }
    }
    hash.add(std::uint64_t{graph_.in_degrees_[n]});
    for (std::uint32_t i = first_pred_[n]; i < first_pred_[n + 1]; ++i) hash.add(std::uint64_t{preds_[i]});
  }
  move_tensors();
  for (std::size_t row = 0; row < graph_.tensor_nodes_.size(); ++row) {
    hash.add(std::uint64_t{graph_.tensor_nodes_[row]});
    for (const TensorUse& use : graph_.tensors(graph_.tensor_nodes_[row])) {
      hash.add(strings_->view(use.name));
      hash.add(static_cast<std::uint64_t>(use.size.count()) << 1 | (use.output ? 1 : 0));
    }
  }
  graph_.content_hash_ = hash.value();
}

void GraphBuilder::move_tensors() {
  if (tensor_runs_.empty()) return;
  std::vector<std::uint32_t> run_of;  // position → run; only when nodes were reordered
  if (!order_.empty()) {
    run_of.assign(nodes_.size(), 0);
    for (std::uint32_t r = 0; r < tensor_runs_.size(); ++r) run_of[tensor_runs_[r].position] = r;
  }
  graph_.tensor_nodes_.reserve(tensor_runs_.size());
  graph_.first_tensor_.reserve(tensor_runs_.size() + 1);
  graph_.tensors_.reserve(tensors_.size());
  std::uint32_t next_run = 0;
  for (NodeId n = 0; n < graph_.size(); ++n) {
    if (!slot(n).tensors) continue;
    const std::uint32_t run = order_.empty() ? next_run++ : run_of[order_[n]];
    const std::size_t end = run + 1 < tensor_runs_.size() ? tensor_runs_[run + 1].first : tensors_.size();
    graph_.tensors_.insert(graph_.tensors_.end(), tensors_.begin() + tensor_runs_[run].first,
                           tensors_.begin() + static_cast<std::ptrdiff_t>(end));
    graph_.tensor_nodes_.push_back(n);
    graph_.first_tensor_.push_back(static_cast<std::uint32_t>(graph_.tensors_.size()));
  }
}

Result<Graph> GraphBuilder::finish(Findings& findings) && {
  if (too_many_deps_) {
    return fail(Errc::limit_exceeded, where_, "more than 2^32 dependencies or tensors in one rank");
  }
  if (nodes_.size() > limits::kNodesPerRank) {
    return fail(Errc::limit_exceeded, where_, fmt::format("more than {} nodes in one rank", limits::kNodesPerRank));
  }
  if (auto done = sort_nodes(findings); !done) return tl::unexpected(done.error());
  index_ids();
  if (auto done = resolve_deps(findings); !done) return tl::unexpected(done.error());
  move_columns();
  graph_.works_.shrink_to_fit();
  graph_.collectives_.shrink_to_fit();
  graph_.messages_.shrink_to_fit();
  graph_.strings_ = strings_;
  return std::move(graph_);
}

}  // namespace orrery::graph
