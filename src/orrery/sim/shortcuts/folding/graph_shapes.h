// SPDX-License-Identifier: Apache-2.0
//
// The shapes of graphs: their content without the names of peers and groups.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/shortcuts/folding/word_interner.h"

namespace orrery::sim {

/// The peer that a message names: a rank, or an offset from its own rank.
struct Peer {
  std::int32_t number = 0;
  bool relative = false;

  [[nodiscard]] std::int64_t of(std::uint32_t rank) const {
    return relative ? std::int64_t{rank} + number : std::int64_t{number};
  }
};

/// One kind of collective that an algorithm simulates.
struct CollectiveUse {
  graph::CollectiveType type;
  std::uint32_t mask;  ///< dimensions

  friend bool operator==(const CollectiveUse&, const CollectiveUse&) = default;
};

/// The collectives of a graph in one of its groups.
struct UseSet {
  std::vector<CollectiveUse> uses;  ///< without duplicates
  bool custom = false;              ///< algorithms given as traces
};

/// Reads a graph node by node; graphs of one shape result in the same words. Peers, groups and
/// tensors are numbered in the order in which they are first named.
class ShapeReader {
 public:
  explicit ShapeReader(const platform::Platform& platform) : platform_(platform) {}

  void begin(const graph::Graph& graph);
  /// Appends the content of `node`. Nodes must be read in order.
  void read(graph::NodeId node, std::vector<std::uint64_t>& words);
  /// Only numbers the peers and groups that `node` names, as read() does.
  void read_names(graph::NodeId node);

  [[nodiscard]] const std::vector<std::uint64_t>& peers() const { return peers_.keys(); }
  /// Sources named by senders, and destinations named by receivers: each must be the rank itself.
  [[nodiscard]] const std::vector<std::uint64_t>& self_names() const { return self_names_.keys(); }
  [[nodiscard]] const std::vector<std::uint64_t>& groups() const { return groups_.keys(); }
  /// Whether a node that was read loads or stores.
  [[nodiscard]] bool accesses() const { return accesses_; }
  /// By group, for the nodes read so far.
  [[nodiscard]] const std::vector<UseSet>& uses() const { return uses_; }

  [[nodiscard]] static Peer peer(std::uint64_t key) {
    return {static_cast<std::int32_t>(static_cast<std::uint32_t>(key)), key >> 32 != 0};
  }

 private:
  void read_collective(graph::NodeId node, std::vector<std::uint64_t>& words);
  void read_message(graph::NodeId node, std::vector<std::uint64_t>& words);
  void read_rest(graph::NodeId node, std::vector<std::uint64_t>& words);
  [[nodiscard]] bool custom(graph::NodeId node, graph::CollectiveType type) const;
  void read_kernels(const graph::KernelTable& kernels);

  const platform::Platform& platform_;
  const graph::Graph* graph_ = nullptr;
  KeyNumbering peers_, self_names_, groups_, tensors_;
  std::vector<UseSet> uses_;
  bool accesses_ = false;
  std::vector<std::uint64_t> unused_;
  const graph::KernelTable* kernels_ = nullptr;  ///< of `kernel_words_`; null: no kernels
  std::vector<std::uint64_t> kernel_words_;  ///< by kernel: hash of its content and launch times
};

/// The shapes of all graphs of a workload. Graphs have one shape if they are equal except for ids,
/// names, peers of messages, and names of groups.
class GraphShapes {
 public:
  GraphShapes(const graph::Workload& workload, const platform::Platform& platform,
              const Communicators& communicators);

  /// Whether each rank has a graph of its own and, as kinds and durations show, no two have one
  /// shape. O(nodes), but less if two are alike.
  [[nodiscard]] static bool differ(const graph::Workload& workload);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(shapes_.size()); }
  [[nodiscard]] std::uint32_t of(std::uint32_t graph) const { return graphs_[graph].shape; }
  [[nodiscard]] bool any_peers() const { return !peers_.empty(); }
  [[nodiscard]] std::span<const Peer> peers(std::uint32_t graph) const {
    return part(peers_, graphs_[graph].first_peer, graphs_[graph + 1].first_peer);
  }
  [[nodiscard]] std::span<const Peer> self_names(std::uint32_t graph) const {
    return part(self_names_, graphs_[graph].first_self_name, graphs_[graph + 1].first_self_name);
  }
  [[nodiscard]] std::span<const Communicators::Meaning> groups(std::uint32_t graph) const {
    return part(groups_, graphs_[graph].first_group, graphs_[graph + 1].first_group);
  }
  /// Whether the graph loads or stores.
  [[nodiscard]] bool accesses(std::uint32_t graph) const { return graphs_[graph].accesses; }
  /// Whether the graph names peers both as ranks and as offsets, so that two of its peers can be
  /// one rank.
  [[nodiscard]] bool mixed(std::uint32_t graph) const { return graphs_[graph].mixed; }
  /// Index of the first of `graph`'s peers that is `peer`, if `rank` runs `graph`; kNone if there
  /// is none.
  [[nodiscard]] std::uint32_t find_peer(std::uint32_t graph, std::uint32_t rank,
                                        std::uint32_t peer) const;
  /// The number of the use set of a shape's `group`-th group; see use_set().
  [[nodiscard]] std::uint32_t use_number(std::uint32_t shape, std::uint32_t group) const {
    return use_numbers_[shapes_[shape].first_use + group];
  }
  [[nodiscard]] const UseSet& use_set(std::uint32_t number) const { return use_sets_[number]; }

 private:
  struct GraphEntry {
    std::uint32_t shape = 0;
    std::uint32_t first_group = 0;
    std::size_t first_peer = 0;
    std::size_t first_self_name = 0;
    bool mixed = false;
    bool accesses = false;
  };
  struct Shape {
    const graph::Graph* graph;  ///< first graph with the shape
    std::size_t first_use;
  };

  template <class T>
  [[nodiscard]] static std::span<const T> part(const std::vector<T>& all, std::size_t first,
                                               std::size_t end) {
    return {all.data() + first, end - first};
  }
  [[nodiscard]] std::uint32_t shape_of(const graph::Graph& graph);
  std::uint32_t new_shape(const graph::Graph& graph);
  [[nodiscard]] bool same(const graph::Graph& a, const graph::Graph& b);
  void store_names(const graph::Graph& graph, const Communicators& communicators);
  void store_uses();

  const platform::Platform& platform_;
  ShapeReader reader_, other_, third_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  std::vector<GraphEntry> graphs_;  // one more, for the ends
  std::vector<Shape> shapes_;
  std::vector<Peer> peers_, self_names_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted_;  // keys of peers_ → index, by graph
  std::vector<Communicators::Meaning> groups_;
  std::vector<std::uint32_t> use_numbers_;  // by shape and group
  std::vector<UseSet> use_sets_;
  WordInterner use_sets_by_words_;
  std::vector<std::uint64_t> words_, other_words_;
};

}  // namespace orrery::sim
