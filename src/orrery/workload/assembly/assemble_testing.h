// SPDX-License-Identifier: Apache-2.0
//
// A small hand-written model, programs built from it, and a machine that runs them: for tests of
// the assembly.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/workload/assembly/assemble.h"

namespace orrery::workload {

inline Op compute_of(const char* name, Phase phase, std::int64_t matmul) {
  Op op;
  op.name = name;
  op.op_class = OpClass::matmul;
  op.phase = phase;
  op.matmul = matmul;
  op.bytes = 1;
  return op;
}

/// A part whose forward pass costs `cost`, as does each half of its backward pass.
inline LoweredPart part_of(const char* name, std::int64_t cost, Weights weights,
                           std::int64_t boundary) {
  LoweredPart made;
  made.part.name = name;
  made.part.weights = weights;
  made.part.boundary = boundary;
  made.forward = {compute_of("forward", Phase::forward, cost)};
  made.backward = {compute_of("dgrad", Phase::input_grad, cost),
                   compute_of("wgrad", Phase::weight_grad, cost)};
  return made;
}

inline constexpr std::int64_t kBoundary = 4096;  // bytes between stages
inline constexpr std::int64_t kTable = 1000;     // elements of the embedding

/// An embedding of kTable elements, layers of 10 time units and 600 + 24 elements (plus 64 of
/// experts if the model has experts), a head of 8 elements. Embedding and head cost no time.
inline Result<LoweredModel> lower_by_hand(const Spec& spec, const Mesh& mesh, const Position&) {
  LoweredModel model;
  const bool copy = spec.model.tied_embeddings && mesh.size(Dim::pp) > 1;
  model.parts = {part_of("embedding", 0, {kTable, 0, 0, 0}, kBoundary),
                 part_of("layer", 10, {600, 24, spec.model.moe ? 64 : 0, 600}, kBoundary),
                 part_of("head", 0, {8 + (copy ? kTable : 0), 0, 0, 0}, 0)};
  model.parts[1].part.is_layer = true;
  model.parts[1].part.retained = {{"input", 96}, {"scores", 32}};
  model.order = {{0, 1, -1}, {1, static_cast<std::uint32_t>(spec.model.layers), 0}, {2, 1, -1}};
  return model;
}

inline Spec spec_of(std::int64_t layers, std::int64_t pp, std::int64_t microbatches) {
  Spec spec;
  spec.model.layers = layers;
  spec.model.tied_embeddings = false;
  spec.parallel.pp = pp;
  spec.batch.global = microbatches;
  spec.optimizer.gradient_norm = false;
  return spec;
}
/// `spec` with data parallelism; each rank still runs `microbatches`.
inline Spec with_dp(Spec spec, std::int64_t dp, Sharding sharding = Sharding::none) {
  spec.batch.global *= dp;
  spec.parallel.dp = dp;
  spec.parallel.sharding = sharding;
  return spec;
}

inline Program program_of(const Spec& spec, const Lowering& lowering = lower_by_hand) {
  auto order = order_of(spec);
  if (!order) ADD_FAILURE() << to_string(order.error());
  auto program = assemble_with(spec, *order, lowering);
  if (!program) ADD_FAILURE() << to_string(program.error());
  return std::move(*program);
}

/// A node with its names.
struct Node : graph::NodeSpec {
  std::string label;
  std::string group;
};

inline std::vector<Node> nodes_of(const Program& program, std::uint32_t role) {
  std::vector<Node> out;
  StringPool pool;
  graph::KernelTable kernels;
  const auto done =
      unroll(program, role, pool, kernels, [&](const graph::NodeSpec& node) -> Result<void> {
        out.push_back({node, std::string(pool.view(node.name)),
                       std::string(pool.view(node.collective.group))});
        return {};
      });
  EXPECT_TRUE(done.has_value());
  EXPECT_EQ(out.size(), node_count(program, role));
  return out;
}
/// Nodes whose name begins with `prefix`.
inline std::vector<Node> nodes_named(const std::vector<Node>& nodes, const std::string& prefix) {
  std::vector<Node> out;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(out),
               [&](const Node& node) { return node.label.rfind(prefix, 0) == 0; });
  return out;
}

/// Runs every rank of a program: computation lasts `num_ops`, communication `comm_time`. Nodes are
/// matched in the order in which ranks issue them, per group and per tag. A collective runs when
/// all members of its group have arrived. A message runs when it is sent; with `rendezvous`, when
/// both ends have arrived.
class Machine {
 public:
  explicit Machine(const Program& program, std::int64_t comm_time = 0, bool rendezvous = false)
      : comm_time_(comm_time), rendezvous_(rendezvous) {
    for (std::size_t i = 0; i < kAxes; ++i) {
      const auto axis = static_cast<Axis>(i);
      axes_[std::string(name(axis))] = program.mesh.axis(axis);
    }
    for (std::uint32_t rank = 0; rank < program.mesh.world(); ++rank) {
      nodes.push_back(nodes_of(program, program.role_of(rank)));
      end.emplace_back(nodes.back().size(), std::int64_t{-1});
      std::map<Key, std::uint64_t> issued;
      for (std::size_t n = 0; n < nodes.back().size(); ++n) enter(rank, n, issued);
    }
  }

  /// Whether all nodes have run. All collectives and messages then have their partners.
  bool run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t rank = 0; rank < nodes.size(); ++rank) {
        for (std::size_t n = 0; n < nodes[rank].size(); ++n) {
          if (end[rank][n] < 0 && try_run(rank, n)) moved = true;
        }
      }
    }
    return std::all_of(end.begin(), end.end(), [](const auto& rank) {
      return std::all_of(rank.begin(), rank.end(), [](std::int64_t time) { return time >= 0; });
    });
  }

  [[nodiscard]] std::int64_t finish() const {
    std::int64_t last = 0;
    for (const auto& rank : end) last = std::max(last, *std::max_element(rank.begin(), rank.end()));
    return last;
  }

  std::vector<std::vector<Node>> nodes;        // by rank
  std::vector<std::vector<std::int64_t>> end;  // end time of each node; -1: not finished

 private:
  // group ("tp") or "message", two ranks (of a group: its first rank twice), tag, index in issue
  // order
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;
  using Who = std::pair<std::uint32_t, std::size_t>;  // rank, node
  struct Meeting {
    std::vector<Who> members;
    std::size_t expected = 0;
  };

  void enter(std::uint32_t rank, std::size_t n, std::map<Key, std::uint64_t>& issued) {
    const Node& node = nodes[rank][n];
    if (node.kind == graph::NodeKind::comp) return;
    Key key;
    std::size_t expected = 2;
    if (node.kind == graph::NodeKind::coll) {
      const graph::GroupAxis& group = axes_.at(node.group);
      EXPECT_TRUE(group.has(rank)) << node.label;
      expected = group.extent();
      key = {node.group, group.first(rank), group.first(rank), 0, 0};
    } else {
      const bool send = node.kind == graph::NodeKind::send;
      const auto peer =
          rank + static_cast<std::uint32_t>(send ? node.message.dst : node.message.src);
      key = {"message", send ? rank : peer, send ? peer : rank, node.message.tag, 0};
    }
    Key own = key;
    if (node.kind == graph::NodeKind::recv) std::get<0>(own) = "received";
    std::get<4>(key) = issued[own]++;
    Meeting& meeting = meetings_[key];
    meeting.expected = expected;
    for (const auto& [other, m] : meeting.members) {
      const Node& partner = nodes[other][m];
      EXPECT_EQ(partner.collective.size.count(), node.collective.size.count()) << node.label;
      EXPECT_EQ(partner.collective.type, node.collective.type) << node.label;
      EXPECT_EQ(partner.message.size.count(), node.message.size.count()) << node.label;
    }
    meeting.members.emplace_back(rank, n);
    at_[{rank, n}] = &meeting;
  }

  /// Time when a node can start; -1: not yet known.
  std::int64_t ready(Who who) const {
    std::int64_t start = 0;
    for (const std::uint64_t dep : nodes[who.first][who.second].deps) {
      const std::int64_t time = end[who.first][dep];
      if (time < 0) return -1;
      start = std::max(start, time);
    }
    return start;
  }

  bool try_run(std::uint32_t rank, std::size_t n) {
    const Node& node = nodes[rank][n];
    std::int64_t start = ready({rank, n});
    if (start < 0) return false;
    if (node.kind == graph::NodeKind::comp) {
      end[rank][n] = start + node.work.num_ops;
      return true;
    }
    if (node.kind == graph::NodeKind::send && !rendezvous_) {
      end[rank][n] = start + comm_time_;
      return true;
    }
    const Meeting& meeting = *at_.at({rank, n});
    if (meeting.members.size() != meeting.expected) return false;
    for (const Who& who : meeting.members) {
      const std::int64_t time = ready(who);
      if (time < 0) return false;
      start = std::max(start, time);
    }
    for (const Who& who : meeting.members) end[who.first][who.second] = start + comm_time_;
    return true;
  }

  std::int64_t comm_time_;
  bool rendezvous_;
  std::map<std::string, graph::GroupAxis> axes_;
  std::map<Key, Meeting> meetings_;
  std::map<Who, const Meeting*> at_;
};

}  // namespace orrery::workload
