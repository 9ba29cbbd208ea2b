// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/graph/columns.h"
#include "orrery/graph/content_hash.h"
#include "orrery/graph/cycles.h"

namespace orrery::graph {

namespace {

constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
constexpr std::uint64_t kMaxEdges = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::string_view kRepairHint = "--repair drops what is damaged and reports it";

std::size_t bucket(std::uint64_t a, std::uint64_t b) {
  std::uint64_t mixed = (a ^ (b * 0xD6E8FEB86659FD93ull)) * 0x9E3779B97F4A7C15ull;
  return static_cast<std::size_t>(mixed >> 56);
}

/// The row of `value`: an equal recent row, or a new one.
template <class T>
std::uint32_t row_of(std::vector<T>& table, std::uint32_t& recent, const T& value) {
  if (recent == kNoRow || table[recent] != value) {
    recent = static_cast<std::uint32_t>(table.size());
    table.push_back(value);
  }
  return recent;
}

/// Index of `wanted` in an ascending column, or kNoNode.
template <class T>
NodeId place_of(const std::vector<T>& column, std::uint64_t wanted) {
  const auto found = std::lower_bound(column.begin(), column.end(), wanted);
  return found != column.end() && *found == wanted ? static_cast<NodeId>(found - column.begin())
                                                   : kNoNode;
}

}  // namespace

GraphBuilder::GraphBuilder(std::string where, std::shared_ptr<StringPool> strings, Repair repair)
    : where_(std::move(where)), strings_(std::move(strings)), repair_(repair) {}

void GraphBuilder::reserve(std::size_t nodes, std::size_t deps) {
  nodes_.reserve(nodes);
  deps_.reserve(deps);
}

std::uint32_t GraphBuilder::end_of(const std::vector<ItemRun>& runs, std::size_t run,
                                   std::size_t items) {
  return run + 1 < runs.size() ? runs[run + 1].first : static_cast<std::uint32_t>(items);
}

std::uint32_t GraphBuilder::payload_of(const NodeSpec& node) {
  const bool work = is_work(node.kind);
  if (work && (node.flags & (kHasNumOps | kHasTensorSize)) == 0 && node.kernel == kNoKernel)
    return kNoNode;
  if (!work && node.kind != NodeKind::coll && !is_message(node.kind)) {
    return kNoNode;
  }
  if (!recent_) {
    recent_ = std::make_unique<Recent>();
    static_assert(kNoRow == ~std::uint32_t{0});
    std::memset(recent_.get(), 0xFF, sizeof(Recent));
  }
  if (work) return work_row(node);
  if (node.kind == NodeKind::coll) {
    const auto size = static_cast<std::uint64_t>(node.collective.size.count());
    const auto group = static_cast<std::uint64_t>(node.collective.group);
    const auto type = static_cast<std::uint64_t>(node.collective.type);
    return row_of(columns_.collectives, recent_->collective[bucket(size, group * 16 + type)],
                  node.collective);
  }
  const auto size = static_cast<std::uint64_t>(node.message.size.count());
  const auto peers = static_cast<std::uint64_t>(static_cast<std::uint32_t>(node.message.dst)) ^
                     (static_cast<std::uint64_t>(node.message.tag) << 32);
  return row_of(columns_.messages, recent_->message[bucket(size, peers)], node.message);
}

/// Like row_of, with the kernel in addition to the work.
std::uint32_t GraphBuilder::work_row(const NodeSpec& node) {
  const auto ops = static_cast<std::uint64_t>(node.work.num_ops) ^ std::uint64_t{node.kernel} << 32;
  const auto size = static_cast<std::uint64_t>(node.work.tensor_size.count());
  std::uint32_t& recent = recent_->work[bucket(ops, size)];
  std::vector<Work>& works = columns_.works;
  std::vector<KernelId>& kernels = columns_.work_kernels;
  if (node.kernel != kNoKernel && kernels.empty()) kernels.resize(works.size(), kNoKernel);
  if (recent == kNoRow || works[recent] != node.work ||
      (!kernels.empty() && kernels[recent] != node.kernel)) {
    recent = static_cast<std::uint32_t>(works.size());
    works.push_back(node.work);
    if (!kernels.empty() || node.kernel != kNoKernel) kernels.push_back(node.kernel);
  }
  return recent;
}

void GraphBuilder::add(const NodeSpec& node) {
  if (!nodes_.empty() && node.id <= nodes_.back().id) sorted_ = false;
  if (!node.tensors.empty()) {
    tensor_runs_.push_back(
        {static_cast<std::uint32_t>(nodes_.size()), static_cast<std::uint32_t>(tensors_.size())});
    tensors_.insert(tensors_.end(), node.tensors.begin(), node.tensors.end());
  }
  if (deps_.size() + node.deps.size() > kMaxEdges || tensors_.size() > kMaxEdges ||
      notes_.size() + node.notes.size() > kMaxEdges) {
    too_many_deps_ = true;
    return;
  }
  nodes_.push_back({.id = node.id,
                    .offset = node.offset,
                    .duration = node.duration,
                    .name = node.name,
                    .payload = payload_of(node),
                    .first_dep = static_cast<std::uint32_t>(deps_.size()),
                    .flags = node.flags,
                    .kind = node.kind,
                    .has_tensors = !node.tensors.empty()});
  if (node.lane || !lanes_.empty()) {
    lanes_.resize(nodes_.size(), kNoLane);
    lanes_.back() = number_of(node.lane);
  }
  if (node.scope.is_set() || !scopes_.empty()) {
    const std::uint32_t unsaid = scopes_.size() < nodes_.size() - 1 ? number_of(StepScope{}) : 0;
    scopes_.resize(nodes_.size(), unsaid);
    scopes_.back() = number_of(node.scope);
  }
  if (!node.notes.empty()) {
    note_runs_.push_back(
        {static_cast<std::uint32_t>(nodes_.size() - 1), static_cast<std::uint32_t>(notes_.size())});
    notes_.insert(notes_.end(), node.notes.begin(), node.notes.end());
  }
  deps_.insert(deps_.end(), node.deps.begin(), node.deps.end());
}

std::string GraphBuilder::place(NodeId n) const {
  return fmt::format("{}:byte {} (node {})", where_, slot(n).offset, slot(n).id);
}

std::string GraphBuilder::label(NodeId n) const {
  return fmt::format("{} \"{}\"", slot(n).id, printable(strings_->view(slot(n).name), 40));
}

Result<void> GraphBuilder::sort_nodes(Findings& findings) {
  if (sorted_) return {};
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_id(nodes_.size());
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) by_id[i] = {nodes_[i].id, i};
  std::sort(by_id.begin(), by_id.end());
  order_.reserve(nodes_.size());
  for (const auto& [id, position] : by_id) {
    if (!order_.empty() && nodes_[order_.back()].id == id) {
      const std::string here =
          fmt::format("{}:byte {} (node {})", where_, nodes_[position].offset, id);
      if (repair_ == Repair::refuse) {
        return fail(
            Errc::input_duplicate_id, here,
            fmt::format("node id {} was used before, at byte {}", id, nodes_[order_.back()].offset),
            std::string(kRepairHint));
      }
      findings.add(FindingCode::duplicate_id_dropped, here);
      continue;
    }
    order_.push_back(position);
  }
  return {};
}

void GraphBuilder::index_ids() {
  const auto count = static_cast<NodeId>(order_.empty() ? nodes_.size() : order_.size());
  columns_.kinds.resize(count);
  if (count == 0) return;
  first_id_ = slot(0).id;
  const std::uint64_t span = slot(count - 1).id - first_id_;
  if (span == count - 1) return;
  if (span <= std::numeric_limits<std::uint32_t>::max()) {
    columns_.id_offsets.resize(count);
    for (NodeId n = 0; n < count; ++n) {
      columns_.id_offsets[n] = static_cast<std::uint32_t>(slot(n).id - first_id_);
    }
    if (span / 8 > count) return;
    dense_.assign(span + 1, kNoNode);
    for (NodeId n = 0; n < count; ++n) dense_[columns_.id_offsets[n]] = n;
  } else {
    columns_.ids.resize(count);
    for (NodeId n = 0; n < count; ++n) columns_.ids[n] = slot(n).id;
  }
}

NodeId GraphBuilder::find(std::uint64_t id) const {
  const std::uint64_t offset = id - first_id_;
  if (columns_.id_offsets.empty() && columns_.ids.empty()) {
    return id >= first_id_ && offset < node_count() ? static_cast<NodeId>(offset) : kNoNode;
  }
  if (!dense_.empty()) return id >= first_id_ && offset < dense_.size() ? dense_[offset] : kNoNode;
  if (columns_.ids.empty())
    return id >= first_id_ ? place_of(columns_.id_offsets, offset) : kNoNode;
  return place_of(columns_.ids, id);
}

Result<void> GraphBuilder::resolve_deps_of(NodeId n, bool& forward, Findings& findings) {
  const std::size_t position = order_.empty() ? n : order_[n];
  const std::uint64_t last =
      position + 1 < nodes_.size() ? nodes_[position + 1].first_dep : deps_.size();
  const std::size_t begin = preds_.size();
  for (std::uint64_t i = nodes_[position].first_dep; i < last; ++i) {
    const std::uint64_t wanted = deps_[i];
    const NodeId pred = find(wanted);
    if (pred == n || pred == kNoNode) {
      const bool self = pred == n;
      if (repair_ == Repair::refuse) {
        return self ? fail(Errc::input_self_edge, place(n),
                           fmt::format("node {} waits for itself", label(n)),
                           std::string(kRepairHint))
                    : fail(Errc::input_dangling_dep, place(n),
                           fmt::format("node {} waits for node {}, which is not in the file",
                                       label(n), wanted),
                           std::string(kRepairHint));
      }
      findings.add(self ? FindingCode::self_edge_dropped : FindingCode::dangling_dep_dropped,
                   findings.count(self ? FindingCode::self_edge_dropped
                                       : FindingCode::dangling_dep_dropped) < Findings::kPlaces
                       ? place(n)
                       : std::string());
      continue;
    }
    if (pred > n) forward = true;
    preds_.push_back(pred);
  }
  if (preds_.size() - begin > 1) {
    const auto from = preds_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (preds_.size() - begin > 2 || from[0] >= from[1]) std::sort(from, preds_.end());
    preds_.erase(std::unique(from, preds_.end()), preds_.end());
  }
  first_pred_[n + 1] = static_cast<std::uint32_t>(preds_.size());
  return {};
}

Result<void> GraphBuilder::resolve_deps(Findings& findings) {
  const NodeId count = node_count();
  first_pred_.assign(count + 1, 0);
  preds_.reserve(deps_.size());
  bool forward = false;
  for (NodeId n = 0; n < count; ++n) {
    if (auto done = resolve_deps_of(n, forward, findings); !done) return done;
  }
  deps_ = {};
  dense_ = {};
  link_successors();
  // If every node waits for lower ids only, there is no cycle.
  return forward ? check_acyclic(findings) : Result<void>{};
}

void GraphBuilder::link_successors() {
  const NodeId count = node_count();
  auto& first = columns_.first_succ;
  first.assign(count + 1, 0);
  for (const NodeId p : preds_) ++first[p + 1];
  for (NodeId n = 0; n < count; ++n) first[n + 1] += first[n];
  columns_.succ.resize(preds_.size());
  // The loop visits successors in ascending order, so that every successor list is ascending.
  // first[p] advances as a cursor and ends where the next list begins; shifting the column by one
  // restores it.
  for (NodeId n = 0; n < count; ++n) {
    for (std::uint32_t i = first_pred_[n]; i < first_pred_[n + 1]; ++i)
      columns_.succ[first[preds_[i]]++] = n;
  }
  std::copy_backward(first.begin(), first.end() - 1, first.end());
  first[0] = 0;
}

Result<void> GraphBuilder::check_acyclic(Findings& findings) {
  const AdjacencyList successors{columns_.first_succ, columns_.succ};
  const AdjacencyList predecessors{first_pred_, preds_};
  const std::vector<NodeId> core = cyclic_core(successors, predecessors);
  if (core.empty()) return {};
  if (repair_ == Repair::refuse) {
    const std::vector<NodeId> cycle = short_cycle(successors, predecessors, core);
    constexpr std::size_t kShown = 10;
    std::string text;
    for (std::size_t i = 0; i < cycle.size() && i < kShown; ++i) text += label(cycle[i]) + " -> ";
    if (cycle.size() > kShown) text += fmt::format("({} more) -> ", cycle.size() - kShown);
    text += std::to_string(slot(cycle.front()).id);
    return fail(Errc::input_cycle, place(cycle.front()), "nodes form a dependency cycle: " + text,
                "--repair drops the dependency that closes the cycle and reports it");
  }
  auto closing = closing_edges(successors, core);
  std::sort(closing.begin(), closing.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  std::size_t retained = 0;
  auto drop = closing.begin();
  for (NodeId n = 0; n < node_count(); ++n) {
    const std::uint32_t begin = std::exchange(first_pred_[n], static_cast<std::uint32_t>(retained));
    const std::uint32_t end = first_pred_[n + 1];
    for (std::uint32_t i = begin; i < end; ++i) {
      if (drop != closing.end() && drop->second == n && drop->first == preds_[i]) {
        findings.add(FindingCode::cycle_broken,
                     fmt::format("{} waiting for node {}", place(n), slot(preds_[i]).id));
        ++drop;
      } else {
        preds_[retained++] = preds_[i];
      }
    }
  }
  first_pred_.back() = static_cast<std::uint32_t>(retained);
  preds_.resize(retained);
  link_successors();
  return {};
}

// The second half of GraphBuilder: moves checked nodes into the columns of the graph.

namespace {

std::uint64_t both(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

void add_payload(ContentHash& hash, const Collective& coll, const StringPool& strings) {
  const auto dims = static_cast<std::uint64_t>(coll.format) << 56 |
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
      hash.add(static_cast<std::uint64_t>(use.size.count()) << 1 | (use.is_output ? 1 : 0));
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
  if (!launch.is_set()) return;
  for (const Time time : launch.all()) hash.add(static_cast<std::uint64_t>(time.count()));
}

void GraphBuilder::move_tensors() {
  if (tensor_runs_.empty()) return;
  columns_.first_tensor = {0};
  columns_.tensor_nodes.reserve(tensor_runs_.size());
  columns_.first_tensor.reserve(tensor_runs_.size() + 1);
  if (order_.empty()) {  // in the order of add(): nothing to move
    columns_.tensors = std::move(tensors_);
    for (std::size_t run = 0; run < tensor_runs_.size(); ++run) {
      columns_.tensor_nodes.push_back(tensor_runs_[run].position);
      columns_.first_tensor.push_back(end_of(tensor_runs_, run, columns_.tensors.size()));
    }
    return;
  }
  columns_.tensors.reserve(tensors_.size());
  std::vector<std::uint32_t> run_of(nodes_.size(), 0);  // position → run
  for (std::uint32_t r = 0; r < tensor_runs_.size(); ++r) run_of[tensor_runs_[r].position] = r;
  for (NodeId n = 0; n < node_count(); ++n) {
    if (!slot(n).has_tensors) continue;
    const std::uint32_t run = run_of[order_[n]];
    const std::size_t end = end_of(tensor_runs_, run, tensors_.size());
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

// Optional data of recorded traces: lanes and scopes of nodes, lags and kinds of dependencies.

namespace {

/// Index of a value in a table; appends a new value.
template <class T>
std::uint32_t place_in(std::vector<T>& table, std::map<T, std::uint32_t>& places, const T& value) {
  const auto next = static_cast<std::uint32_t>(table.size());
  const auto [known, added] = places.try_emplace(value, next);
  if (added) table.push_back(value);
  return known->second;
}

}  // namespace

std::uint32_t GraphBuilder::number_of(const std::optional<Lane>& lane) {
  return lane ? place_in(columns_.lanes, lane_numbers_, *lane) : kNoLane;
}

void GraphBuilder::fill_lanes(ContentHash& hash) {
  columns_.lane_numbers.resize(node_count());
  for (NodeId n = 0; n < node_count(); ++n) {
    columns_.lane_numbers[n] = lanes_[order_.empty() ? n : order_[n]];
    hash.add(std::uint64_t{columns_.lane_numbers[n]});
  }
  for (const Lane& lane : columns_.lanes) {
    hash.add(static_cast<std::uint64_t>(lane.id));
    hash.add(std::uint64_t{static_cast<std::uint32_t>(lane.device)} << 32 |
             std::uint64_t{lane.row} << 1 | (lane.host ? 1 : 0));
  }
  lanes_ = {};
  lane_numbers_ = {};
}

std::uint32_t GraphBuilder::number_of(const StepScope& scope) {
  return place_in(columns_.scopes, scope_numbers_, scope);
}

void GraphBuilder::fill_scopes(ContentHash& hash) {
  columns_.scope_numbers.resize(node_count());
  for (NodeId n = 0; n < node_count(); ++n) {
    columns_.scope_numbers[n] = scopes_[order_.empty() ? n : order_[n]];
    hash.add(std::uint64_t{columns_.scope_numbers[n]});
  }
  for (const StepScope& scope : columns_.scopes) {
    hash.add(std::uint64_t{static_cast<std::uint32_t>(scope.step)} << 32 |
             static_cast<std::uint32_t>(scope.layer));
    hash.add(static_cast<std::uint64_t>(scope.phase));
  }
  scopes_ = {};
  scope_numbers_ = {};
}

std::uint32_t GraphBuilder::find_edge(NodeId from, NodeId to) const {
  const std::uint32_t first = columns_.first_succ[from];
  const std::uint32_t place =
      successor_index({columns_.succ.data() + first, columns_.first_succ[from + 1] - first}, to);
  return place == kNoNode ? kNoNode : first + place;
}

void GraphBuilder::fill_notes(ContentHash& hash) {
  const bool lags = std::any_of(notes_.begin(), notes_.end(),
                                [](const DependencyNote& note) { return note.lag > Time{}; });
  const bool kinds = std::any_of(notes_.begin(), notes_.end(), [](const DependencyNote& note) {
    return note.kind != DependencyKind::unsaid;
  });
  if (lags) columns_.lags.resize(columns_.succ.size());
  if (kinds) columns_.edge_kinds.resize(columns_.succ.size());
  std::vector<NodeId> node_at;  // by position
  if (!order_.empty()) {
    node_at.assign(nodes_.size(), kNoNode);
    for (NodeId n = 0; n < node_count(); ++n) node_at[order_[n]] = n;
  }
  for (std::size_t run = 0; run < note_runs_.size(); ++run) {
    const std::uint32_t position = note_runs_[run].position;
    const NodeId to = order_.empty() ? position : node_at[position];
    if (to == kNoNode) continue;  // a dropped duplicate
    const std::size_t end = end_of(note_runs_, run, notes_.size());
    for (std::size_t i = note_runs_[run].first; i < end; ++i) {
      const NodeId from = find(notes_[i].dep);
      const std::uint32_t edge = from == kNoNode ? kNoNode : find_edge(from, to);
      if (edge == kNoNode) continue;
      if (lags) columns_.lags[edge] = std::max(columns_.lags[edge], notes_[i].lag);
      if (kinds && columns_.edge_kinds[edge] == DependencyKind::unsaid)
        columns_.edge_kinds[edge] = notes_[i].kind;
    }
  }
  for (const Time lag : columns_.lags) hash.add(static_cast<std::uint64_t>(lag.count()));
  for (const DependencyKind kind : columns_.edge_kinds) hash.add(static_cast<std::uint64_t>(kind));
  notes_ = {};
  note_runs_ = {};
}

}  // namespace orrery::graph
