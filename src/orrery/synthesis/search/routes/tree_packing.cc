// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/routes/tree_packing.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "orrery/synthesis/fabric/link_prices.h"
#include "orrery/synthesis/search/routes/route_list.h"

namespace orrery::synthesis {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kTreeSteps = 40'000'000;  // approximate limit of evaluated links: one to
                                                  // two seconds
constexpr std::uint64_t kMaxTreeRounds = 30;

/// A branch of a tree: from a device to another, over nodes that do not store pieces.
struct Branch {
  NodeIndex from = 0, to = 0;
  std::vector<std::uint32_t> out, back;  // wires; `back` only if trees are used in both directions
};

class Packer {
 public:
  Packer(const FabricState& fabric, const TreeTask& task)
      : fabric_(fabric),
        task_(task),
        passable_(passable_nodes(fabric, task.stores)),
        prices_(fabric, 0.02),
        opposite_(fabric.wires.size(), kNoWire),
        trees_(task.root.size()),
        cost_(fabric.node_count()),
        last_wire_(fabric.node_count()),
        depth_(fabric.node_count()),
        in_tree_(fabric.node_count()) {
    is_store_.resize(fabric.node_count());
    for (const NodeIndex node : task.stores) is_store_[node] = true;
    if (task.up_and_down) find_opposite_wires();
    double sent = 0, capacity = 0;
    for (const Wire& wire : fabric.wires) capacity += wire.capacity;
    for (const std::int64_t bytes : task.bytes)
      sent += static_cast<double>(bytes) * static_cast<double>(task.stores.size());
    mean_load_ = sent / std::max(capacity, 1.0);
  }

  TreePacking run() {
    const std::uint64_t each = 4 * fabric_.wires.size() * trees_.size();
    const auto rounds = static_cast<int>(std::clamp<std::uint64_t>(
        kTreeSteps / std::max<std::uint64_t>(1, each), 3, kMaxTreeRounds));
    std::vector<std::vector<Branch>> best;
    double least = kNever;
    for (int round = 0; round < rounds; ++round) {
      prices_.set(mean_load_, 2 + 5 * round / rounds);
      for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
        add_load(tree, -static_cast<double>(task_.bytes[tree]));
        if (!grow(tree)) return {};
        add_load(tree, static_cast<double>(task_.bytes[tree]));
      }
      const double busiest = prices_.bottleneck_seconds();
      if (busiest >= least) continue;
      least = busiest;
      best = trees_;
      if (least <= task_.target_seconds) break;
    }
    return packing_of(std::move(best), least);
  }

 private:
  static constexpr std::uint32_t kNoWire = ~0U;

  /// Finds the opposite link of each link: the n-th between two nodes belongs to the n-th of the
  /// other direction.
  void find_opposite_wires() {
    for (NodeIndex node = 0; node < fabric_.node_count(); ++node) {
      for (std::uint32_t w = fabric_.out_offsets[node]; w < fabric_.out_offsets[node + 1]; ++w) {
        const NodeIndex to = fabric_.wires[w].to;
        std::uint32_t nth = 0;
        for (std::uint32_t v = fabric_.out_offsets[node]; v < w; ++v)
          nth += fabric_.wires[v].to == to ? 1 : 0;
        for (std::uint32_t v = fabric_.out_offsets[to]; v < fabric_.out_offsets[to + 1]; ++v) {
          if (fabric_.wires[v].to != node || nth-- > 0) continue;
          opposite_[w] = v;
          break;
        }
      }
    }
  }

  void add_load(std::size_t tree, double bytes) {
    for (const Branch& branch : trees_[tree]) {
      prices_.add_load(branch.out, bytes);
      prices_.add_load(branch.back, bytes);
    }
  }

  void visit(NodeIndex at, NodeIndex to, std::uint32_t wire) {
    if (!passable_[to] || in_tree_[to]) return;
    double there = cost_[at] + prices_.cost(wire);
    if (task_.up_and_down) {
      if (opposite_[wire] == kNoWire) return;
      there += prices_.cost(opposite_[wire]);
    }
    if (there >= cost_[to]) return;
    cost_[to] = there;
    last_wire_[to] = wire;
    queue_.emplace(there, to);
  }

  bool grow(std::size_t tree) {
    const std::vector<bool>& required = task_.required[task_.group[tree]];
    std::fill(cost_.begin(), cost_.end(), kNever);
    std::fill(in_tree_.begin(), in_tree_.end(), false);
    queue_ = {};
    trees_[tree].clear();
    std::size_t lacking =
        static_cast<std::size_t>(std::count(required.begin(), required.end(), true));
    depth_[task_.root[tree]] = 0;
    lacking -= add_node(task_.root[tree], required);
    while (lacking > 0 && !queue_.empty()) {
      const auto [distance, at] = queue_.top();
      queue_.pop();
      if (distance > cost_[at]) continue;
      if (required[at] && !in_tree_[at]) {
        lacking -= attach(at, trees_[tree], required);
        continue;
      }
      if (task_.reverse_links) {
        for (const std::uint32_t w : fabric_.incoming_wires(at))
          visit(at, fabric_.wires[w].from, w);
      } else {
        for (std::uint32_t w = fabric_.out_offsets[at]; w < fabric_.out_offsets[at + 1]; ++w)
          visit(at, fabric_.wires[w].to, w);
      }
    }
    return lacking == 0;
  }

  /// Adds a node to the tree. Returns the number of required nodes: 1 or 0.
  std::size_t add_node(NodeIndex node, const std::vector<bool>& required) {
    in_tree_[node] = true;
    cost_[node] = task_.depth_price * depth_[node];
    queue_.emplace(cost_[node], node);
    return required[node] ? 1 : 0;
  }

  [[nodiscard]] NodeIndex before(std::uint32_t wire) const {
    return task_.reverse_links ? fabric_.wires[wire].to : fabric_.wires[wire].from;
  }
  /// Attaches a node with all devices on its route from the tree. Returns the number of required
  /// ones.
  std::size_t attach(NodeIndex node, std::vector<Branch>& tree, const std::vector<bool>& required) {
    std::vector<std::uint32_t> path;
    for (NodeIndex at = node; !in_tree_[at]; at = before(path.back()))
      path.push_back(last_wire_[at]);
    std::reverse(path.begin(), path.end());
    std::size_t found = 0;
    Branch branch;
    branch.from = before(path.front());
    for (const std::uint32_t wire : path) {
      branch.out.push_back(wire);
      if (task_.up_and_down) branch.back.push_back(opposite_[wire]);
      branch.to = task_.reverse_links ? fabric_.wires[wire].from : fabric_.wires[wire].to;
      if (!is_store_[branch.to]) continue;
      std::reverse(branch.back.begin(), branch.back.end());
      depth_[branch.to] = depth_[branch.from] + 1;
      found += add_node(branch.to, required);
      tree.push_back(branch);
      branch = {branch.to, branch.to, {}, {}};
    }
    return found;
  }

  /// Moves the root to the middle of the longest path in the tree.
  static void move_root_to_middle(std::vector<Branch>& tree, NodeIndex root) {
    std::vector<Branch> ordered = from_root(tree, root);
    if (ordered.empty()) return;
    ordered = from_root(tree, ordered.back().to);
    // From the farthest node half of the path back.
    std::vector<NodeIndex> route{ordered.back().to};
    for (std::size_t i = ordered.size(); i-- > 0;) {
      if (ordered[i].to == route.back()) route.push_back(ordered[i].from);
    }
    tree = from_root(tree, route[route.size() / 2]);
  }
  /// The branches of the tree from `root` outwards, nearest first.
  static std::vector<Branch> from_root(const std::vector<Branch>& tree, NodeIndex root) {
    std::vector<std::pair<NodeIndex, std::size_t>> ends;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      ends.emplace_back(tree[i].from, i);
      ends.emplace_back(tree[i].to, i);
    }
    std::sort(ends.begin(), ends.end());
    std::vector<bool> taken(tree.size());
    std::vector<Branch> ordered;
    std::vector<NodeIndex> queue{root};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const NodeIndex at = queue[next];
      for (auto end = std::lower_bound(ends.begin(), ends.end(), std::pair(at, std::size_t{0}));
           end != ends.end() && end->first == at; ++end) {
        if (taken[end->second]) continue;
        taken[end->second] = true;
        Branch branch = tree[end->second];
        if (branch.from != at) {
          std::swap(branch.from, branch.to);
          std::swap(branch.out, branch.back);
        }
        queue.push_back(branch.to);
        ordered.push_back(std::move(branch));
      }
    }
    return ordered;
  }

  TreePacking packing_of(std::vector<std::vector<Branch>> trees, double busiest) {
    TreePacking packed;
    packed.bottleneck_seconds = busiest;
    RouteList routes(fabric_, task_.stores);
    packed.piece_routes.first.push_back(0);
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      auto& branches = trees[tree];
      if (task_.up_and_down) {
        move_root_to_middle(branches, task_.root[tree]);
        for (std::size_t i = branches.size(); i-- > 0;)
          packed.piece_routes.routes.push_back(
              routes.index_of(branches[i].to, branches[i].from, branches[i].back));
      }
      for (Branch& branch : branches) {
        packed.piece_routes.routes.push_back(routes.index_of(branch.from, branch.to, branch.out));
      }
      packed.piece_routes.first.push_back(
          static_cast<std::uint32_t>(packed.piece_routes.routes.size()));
    }
    packed.route_graph = std::move(routes).route_graph();
    return packed;
  }

  const FabricState& fabric_;
  const TreeTask& task_;
  std::vector<bool> passable_, is_store_;  // by node
  LinkPrices prices_;
  std::vector<std::uint32_t> opposite_;  // by wire
  std::vector<std::vector<Branch>> trees_;
  std::vector<double> cost_;              // by node: cost of reaching it
  std::vector<std::uint32_t> last_wire_;  // by node: last wire of the route to it
  std::vector<std::uint32_t> depth_;
  std::vector<bool> in_tree_;
  std::priority_queue<std::pair<double, NodeIndex>, std::vector<std::pair<double, NodeIndex>>,
                      std::greater<>>
      queue_;
  double mean_load_ = 0;
};

}  // namespace

TreePacking pack_trees(const FabricState& fabric, const TreeTask& task) {
  return Packer(fabric, task).run();
}

}  // namespace orrery::synthesis
