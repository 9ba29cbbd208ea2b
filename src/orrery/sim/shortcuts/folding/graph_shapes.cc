// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/graph_shapes.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "orrery/platform/cluster/fabric/fabric_hosts.h"
#include "orrery/sim/collectives/plans/nearest_form.h"

namespace orrery::sim {

using graph::CollectiveType;
using graph::NodeId;
using graph::NodeKind;

namespace {

constexpr std::uint64_t kCustomBit = std::uint64_t{1} << 24;
constexpr std::size_t kFewPeers = 8;  // below this number, linear search

std::uint64_t key_of(std::int32_t number, bool relative) {
  return pack_pair(relative ? 1 : 0, static_cast<std::uint32_t>(number));
}

std::uint64_t word(std::int64_t number) { return static_cast<std::uint64_t>(number); }

// Equal for graphs of one shape, and fast: kinds and durations only. Usually, graphs of different
// shapes differ in them.
std::uint64_t partial_hash(const graph::Graph& graph) {
  std::uint64_t hash = graph.size();
  for (NodeId node = 0; node < graph.size(); ++node)
    hash = (std::rotl(hash, 23) ^ static_cast<std::uint64_t>(graph.kind(node)) ^
            word(graph.duration(node).count()) << 3) *
           0x9E3779B97F4A7C15ull;
  return hash;
}

// The type with algorithms that run a collective: its own, or under Orrery rules the nearest form
// (see Engine::start_collective). `unknown`: none.
CollectiveType runs_as(CollectiveType type, const platform::Platform& platform) {
  if (platform.collectives.plan(type) != nullptr) return type;
  if (platform.rules == platform::Rules::astra) return CollectiveType::unknown;
  if (type == CollectiveType::unknown) return type;
  return nearest_form(type, 0, 1).type;
}

}  // namespace

void ShapeReader::begin(const graph::Graph& graph) {
  graph_ = &graph;
  for (KeyNumbering* all : {&peers_, &self_names_, &groups_, &tensors_}) all->clear();
  uses_.clear();
  accesses_ = false;
  const bool count = platform_.rules != platform::Rules::astra && graph.kernels() != nullptr;
  if (count && graph.kernels() != kernels_) read_kernels(*graph.kernels());
  if (!count) kernels_ = nullptr;
}

// Equal work can have another duration as another kernel.
void ShapeReader::read_kernels(const graph::KernelTable& kernels) {
  kernels_ = &kernels;
  kernel_words_.clear();
  const graph::LaunchTimes launch = kernels.launch_times();
  for (graph::KernelId id = 0; id < kernels.size(); ++id) {
    const graph::Kernel& kernel = kernels[id];
    kernel_words_.push_back(graph::hash_of(kernel) ^ (word(launch.mean(kernel).count()) +
                                                      (std::uint64_t{launch.max_queued} << 40)));
  }
}

bool ShapeReader::custom(NodeId node, CollectiveType type) const {
  const platform::CollectivePlan* plan = platform_.collectives.plan(type);
  // With rings that some group runs, why_not_fold() has a reason.
  if (plan != nullptr && !plan->custom_prefix.empty() && plan->custom_prefix != platform::kRings)
    return true;
  const auto& by_node = platform_.collectives.custom_by_node;
  return !by_node.empty() && by_node.count(graph_->id(node)) != 0;
}

void ShapeReader::read(NodeId node, std::vector<std::uint64_t>& words) {
  const NodeKind kind = graph_->kind(node);
  std::uint32_t flags = 0;
  for (std::uint32_t flag = 1; flag <= graph::kIsWait; flag <<= 1) {
    if (flag == graph::kPeerRelative) continue;
    if (graph_->has(node, static_cast<graph::NodeFlag>(flag))) flags |= flag;
  }
  const auto degree = static_cast<std::uint32_t>(graph_->successors(node).size());
  words.push_back(pack_pair(degree, flags << 8 | static_cast<std::uint32_t>(kind)));
  words.push_back(word(graph_->duration(node).count()));
  switch (kind) {
    case NodeKind::comp:
    case NodeKind::mem_load:
    case NodeKind::mem_store: {
      const graph::Work work = graph_->work(node);
      const graph::KernelId kernel = kernels_ != nullptr ? graph_->kernel(node) : graph::kNoKernel;
      const std::uint64_t by = kernel != graph::kNoKernel ? kernel_words_[kernel] : 0;
      words.push_back(word(work.num_ops) ^ by);
      words.push_back(word(work.tensor_size.count()));
      accesses_ = accesses_ || kind != NodeKind::comp;
      break;
    }
    case NodeKind::coll:
      read_collective(node, words);
      break;
    case NodeKind::send:
    case NodeKind::recv:
      read_message(node, words);
      break;
    default:
      break;
  }
  read_rest(node, words);
}

void ShapeReader::read_names(NodeId node) {
  unused_.clear();
  switch (graph_->kind(node)) {
    case NodeKind::mem_load:
    case NodeKind::mem_store:
      accesses_ = true;
      return;
    case NodeKind::coll:
      return read_collective(node, unused_);
    case NodeKind::send:
    case NodeKind::recv:
      return read_message(node, unused_);
    case NodeKind::comp:
    case NodeKind::metadata:
    case NodeKind::invalid:
      return;
  }
}

void ShapeReader::read_collective(NodeId node, std::vector<std::uint64_t>& words) {
  const graph::Collective& collective = graph_->collective(node);
  const std::uint32_t group = groups_.number(static_cast<std::uint32_t>(collective.group));
  if (group == uses_.size()) uses_.emplace_back();
  const bool by_trace = custom(node, collective.type);
  words.push_back(pack_pair(group, static_cast<std::uint32_t>(collective.format) << 16 |
                                       static_cast<std::uint32_t>(collective.type) << 8 |
                                       collective.dims_count) |
                  (by_trace ? kCustomBit : 0));
  words.push_back(word(collective.size.count()));
  words.push_back(pack_pair(static_cast<std::uint32_t>(collective.priority),
                            static_cast<std::uint32_t>(collective.root)));
  words.push_back(collective.dims_mask);
  if (collective.exchange) words.push_back(collective.exchange.bits());
  const bool silent = !graph_->has(node, graph::kHasCommType) ||
                      !graph_->has(node, graph::kHasCommSize) || platform_.replay_only;
  if (silent) return;
  UseSet& set = uses_[group];
  if (by_trace) {
    set.custom = true;
    return;
  }
  const CollectiveType type = runs_as(collective.type, platform_);
  if (type == CollectiveType::unknown) return;
  const bool astra = platform_.rules == platform::Rules::astra;
  const std::uint32_t everywhere = astra ? 0xfu : ~0u;
  const CollectiveUse use{type,
                          graph_->has(node, graph::kHasDims) ? collective.dims_mask : everywhere};
  if (std::find(set.uses.begin(), set.uses.end(), use) == set.uses.end()) set.uses.push_back(use);
}

void ShapeReader::read_message(NodeId node, std::vector<std::uint64_t>& words) {
  const graph::PointToPoint& message = graph_->point_to_point(node);
  const bool relative = graph_->has(node, graph::kPeerRelative);
  const bool sends = graph_->kind(node) == NodeKind::send;
  // The receiver determines the lane of a send, even if the trace does not state it.
  const bool named = sends || graph_->has(node, graph::kHasSrc);
  const std::int32_t peer = sends ? message.dst : message.src;
  words.push_back(pack_pair(named ? peers_.number(key_of(peer, relative)) : kNone, message.tag));
  words.push_back(word(message.size.count()));
  if (!graph_->has(node, sends ? graph::kHasSrc : graph::kHasDst)) return;
  const std::int32_t self = sends ? message.src : message.dst;
  if (!relative || self != 0) (void)self_names_.number(key_of(self, relative));
}

void ShapeReader::read_rest(NodeId node, std::vector<std::uint64_t>& words) {
  for (const NodeId next : graph_->successors(node)) words.push_back(next);
  for (const Time lag : graph_->lags(node)) words.push_back(word(lag.count()));
  if (!graph_->lanes().empty()) words.push_back(graph_->lane(node));
  if (!graph_->has(node, graph::kHasTensors)) return;
  const auto tensors = graph_->tensors(node);
  words.push_back(tensors.size());
  for (const graph::TensorUse& use : tensors) {
    words.push_back(
        pack_pair(use.is_output ? 1 : 0, tensors_.number(static_cast<std::uint32_t>(use.name))));
    words.push_back(word(use.size.count()));
  }
}

GraphShapes::GraphShapes(const graph::Workload& workload, const platform::Platform& platform,
                         const Communicators& communicators)
    : platform_(platform), reader_(platform), other_(platform), third_(platform) {
  graphs_.reserve(workload.graphs.size() + 1);
  std::vector<std::uint64_t> hashes;
  std::unordered_map<std::uint64_t, std::uint32_t> graphs_by_hash;
  for (const graph::GraphRef& graph : workload.graphs) {
    ++graphs_by_hash[hashes.emplace_back(partial_hash(*graph))];
    graph->release();
  }
  for (std::size_t i = 0; i < workload.graphs.size(); ++i) {
    const graph::Graph& graph = *workload.graphs[i];
    reader_.begin(graph);
    std::uint32_t shape = 0;
    if (graphs_by_hash[hashes[i]] == 1) {
      for (NodeId node = 0; node < graph.size(); ++node) reader_.read_names(node);
      shape = new_shape(graph);
    } else {
      shape = shape_of(graph);
    }
    store_names(graph, communicators);
    graphs_.back().shape = shape;
    graph.release();
  }
  GraphEntry& end = graphs_.emplace_back();
  end.first_peer = peers_.size();
  end.first_self_name = self_names_.size();
  end.first_group = static_cast<std::uint32_t>(groups_.size());
}

bool GraphShapes::differ(const graph::Workload& workload) {
  if (workload.graphs.size() < workload.rank_count()) return false;
  std::unordered_set<std::uint64_t> hashes;
  for (const graph::GraphRef& graph : workload.graphs) {
    const bool is_new = hashes.insert(partial_hash(*graph)).second;
    graph->release();
    if (!is_new) return false;
  }
  return true;
}

void GraphShapes::store_names(const graph::Graph& graph, const Communicators& communicators) {
  GraphEntry& made = graphs_.emplace_back();
  made.first_peer = peers_.size();
  made.first_self_name = self_names_.size();
  made.first_group = static_cast<std::uint32_t>(groups_.size());
  std::size_t relative = 0;
  for (const std::uint64_t key : reader_.peers()) {
    const Peer peer = ShapeReader::peer(key);
    if (peer.relative) ++relative;
    sorted_.emplace_back(key, static_cast<std::uint32_t>(peers_.size() - made.first_peer));
    peers_.push_back(peer);
  }
  std::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(made.first_peer), sorted_.end());
  made.accesses = reader_.accesses();
  made.mixed = relative != 0 && relative != reader_.peers().size();
  for (const std::uint64_t key : reader_.self_names())
    self_names_.push_back(ShapeReader::peer(key));
  const bool astra = platform_.rules == platform::Rules::astra;
  for (const std::uint64_t key : reader_.groups()) {
    const std::string_view name = graph.string(static_cast<StringId>(key));
    const bool all = name.empty() || (astra && name == "0");
    groups_.push_back(all ? Communicators::Meaning{0, nullptr} : communicators.meaning(name));
  }
}

// Reads the graph.
std::uint32_t GraphShapes::shape_of(const graph::Graph& graph) {
  std::uint64_t hash = graph.size();
  for (NodeId node = 0; node < graph.size(); ++node) {
    words_.assign(1, hash);
    reader_.read(node, words_);
    hash = hash_words(words_);
  }
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (same(*shapes_[at->second].graph, graph)) return at->second;
  }
  by_hash_.emplace(hash, count());
  return new_shape(graph);
}

// The reader has read the graph.
std::uint32_t GraphShapes::new_shape(const graph::Graph& graph) {
  shapes_.push_back({&graph, use_numbers_.size()});
  store_uses();
  return count() - 1;
}

bool GraphShapes::same(const graph::Graph& a, const graph::Graph& b) {
  if (&a == &b) return true;
  if (a.size() != b.size() || a.edge_count() != b.edge_count()) return false;
  other_.begin(a);
  third_.begin(b);
  for (NodeId node = 0; node < a.size(); ++node) {
    words_.clear();
    other_words_.clear();
    other_.read(node, words_);
    third_.read(node, other_words_);
    if (words_ != other_words_) return false;
  }
  return true;
}

void GraphShapes::store_uses() {
  for (const UseSet& set : reader_.uses()) {
    words_.assign(1, set.custom ? 1 : 0);
    for (const CollectiveUse& use : set.uses)
      words_.push_back(pack_pair(static_cast<std::uint32_t>(use.type), use.mask));
    use_numbers_.push_back(use_sets_by_words_.number(words_));
    if (use_numbers_.back() == use_sets_.size()) use_sets_.push_back(set);
  }
}

std::uint32_t GraphShapes::find_peer(std::uint32_t graph, std::uint32_t rank,
                                     std::uint32_t peer) const {
  const std::span<const Peer> all = peers(graph);
  if (all.size() <= kFewPeers) {
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (all[i].of(rank) == peer) return i;
    }
    return kNone;
  }
  const auto begin = sorted_.begin() + static_cast<std::ptrdiff_t>(graphs_[graph].first_peer);
  const auto end = begin + static_cast<std::ptrdiff_t>(all.size());
  std::uint32_t first = kNone;
  for (const bool relative : {false, true}) {
    const std::int64_t number = relative ? std::int64_t{peer} - rank : std::int64_t{peer};
    const std::uint64_t key = key_of(static_cast<std::int32_t>(number), relative);
    const auto found = std::lower_bound(begin, end, std::pair{key, std::uint32_t{0}});
    if (found != end && found->first == key) first = std::min(first, found->second);
  }
  return first;
}

}  // namespace orrery::sim
