// SPDX-License-Identifier: Apache-2.0
//
// Hosts and what joins them, and level by level what joins blocks of those.
#include "orrery/platform/topology/generators/topology_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/platform/topology/generators/generator_parts.h"

namespace orrery::platform {

namespace generators {

namespace {

/// A part of the fabric that is joined with others like it.
struct JoinedBlock {
  std::vector<NodeIndex> nodes;         // all that are in it
  std::vector<Port> ports;              // what is joined to its network
  std::vector<NodeIndex> top_switches;  // the highest switches of its network
};

bool is_grid(NetworkShape shape) {
  return shape == NetworkShape::ring || shape == NetworkShape::mesh || shape == NetworkShape::torus;
}

/// It joins the i-th port of a block to the i-th of others.
bool joins_blocks(NetworkShape shape) {
  return is_grid(shape) || shape == NetworkShape::fully_connected;
}

class LevelBuilder {
 public:
  LevelBuilder(TopologyBuilder& builder, const std::vector<BlockPlan>& blocks,
               const std::vector<LevelPlan>& levels)
      : builder_(builder), plans_(blocks), levels_(levels) {
    for (std::size_t plan = 0; plan < plans_.size(); ++plan)
      cycle_.insert(cycle_.end(), static_cast<std::size_t>(plans_[plan].count), plan);
  }

  /// There are no more devices than there may be.
  [[nodiscard]] std::optional<KeyError> build() {
    std::int64_t blocks = 1;
    for (const LevelPlan& level : levels_) blocks *= level.count;
    add_innermost(static_cast<std::size_t>(blocks));
    const bool bare = builder_.node_count() == devices_ && builder_.link_count() == 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t plan = cycle_[i % cycle_.size()];
      if (auto wrong = join_block(blocks_[i], plans_[plan].network, 0)) {
        wrong->place = plans_[plan].place + wrong->place;
        return wrong;
      }
      if (!builder_.has_room(0)) return std::nullopt;
    }
    set_innermost_grid(bare);
    for (std::size_t level = 0; level < levels_.size() && builder_.has_room(0); ++level) {
      if (auto wrong = join_level(level)) {
        wrong->place = fmt::format("/levels/{}", level) + wrong->place;
        return wrong;
      }
    }
    if (grid_) builder_.set_formula_routes(grid_routes(*std::move(grid_)));
    return std::nullopt;
  }

 private:
  /// What blocks of one kind have.
  struct Counts {
    std::size_t devices = 0, numbers = 0, hosts = 0;  // hosts and lone devices; hosts alone
  };
  [[nodiscard]] static Counts counts_of(const BlockPlan& plan) {
    Counts made;
    for (const HostShape& shape : plan.hosts) {
      const auto count = static_cast<std::size_t>(shape.count);
      made.devices += count * static_cast<std::size_t>(shape.devices);
      made.numbers += count;
      if (shape.devices > 1 || shape.nics > 0) made.hosts += count;
    }
    return made;
  }

  void add_innermost(std::size_t count) {
    std::vector<HostShape> hosts;
    for (const std::size_t plan : cycle_)
      hosts.insert(hosts.end(), plans_[plan].hosts.begin(), plans_[plan].hosts.end());
    const std::vector<Port> ports =
        add_hosts(builder_, hosts, static_cast<std::int64_t>(count / cycle_.size()));
    while (devices_ < builder_.node_count() && builder_.kind(devices_) == NodeClass::device)
      ++devices_;
    per_block_ = devices_ / count;
    blocks_.resize(count);
    std::vector<std::uint32_t> of_host;  // its block
    std::size_t port = 0, numbers = 0, device = 0;
    for (std::size_t block = 0; block < count; ++block) {
      const Counts own = counts_of(plans_[cycle_[block % cycle_.size()]]);
      numbers += own.numbers;
      for (; port < ports.size() && static_cast<std::size_t>(ports[port].host) < numbers; ++port)
        blocks_[block].ports.push_back(ports[port]);
      of_host.insert(of_host.end(), own.hosts, static_cast<std::uint32_t>(block));
      for (const std::size_t end = device + own.devices; device < end && device < devices_;
           ++device)
        blocks_[block].nodes.push_back(static_cast<NodeIndex>(device));
    }
    for (NodeIndex node = devices_; node < builder_.node_count(); ++node)
      blocks_[of_host[builder_.host(node)]].nodes.push_back(node);
  }

  /// "block2.1." of block 1 in block 2, when levels below `level` are joined.
  [[nodiscard]] std::string prefix(const JoinedBlock& block, std::size_t level) const {
    auto number = &block - blocks_.data();
    std::string text;
    for (; level < levels_.size(); ++level) {
      text = fmt::format("{}.", number % levels_[level].count) + text;
      number /= levels_[level].count;
    }
    return text.empty() ? text : "block" + text;
  }

  std::optional<KeyError> join_block(JoinedBlock& block, NetworkPlan plan, std::size_t level) {
    plan.prefix = prefix(block, level);
    const NodeIndex before = builder_.node_count();
    auto wrong = level == 0 || !joins_blocks(plan.shape)
                     ? join(builder_, block.ports, plan)
                     : join_planes(block.ports, levels_[level - 1].count, plan);
    int highest = 1;
    for (NodeIndex node = before; node < builder_.node_count(); ++node) {
      block.nodes.push_back(node);
      const NodeClass kind = builder_.kind(node);
      const int own = kind == NodeClass::switched ? 1 : switch_tier(kind);
      if (own > highest) block.top_switches.clear();
      highest = std::max(highest, own);
      if (own == highest) block.top_switches.push_back(node);
    }
    return wrong;
  }

  /// The i-th ports of all parts to each other.
  std::optional<KeyError> join_planes(std::span<const Port> ports, std::int64_t parts,
                                      const NetworkPlan& plan) {
    const std::size_t count = static_cast<std::size_t>(parts), each = ports.size() / count;
    for (std::size_t plane = 0; plane < each; ++plane) {
      std::vector<Port> members;
      for (std::size_t part = 0; part < count; ++part)
        members.push_back(ports[part * each + plane]);
      if (!builder_.has_room(2.0 * static_cast<double>(count))) return std::nullopt;
      if (auto wrong = join(builder_, members, plan)) {
        if (wrong->place == "/network/sizes") wrong->hint = "their product must be `count`";
        return wrong;
      }
    }
    return std::nullopt;
  }

  /// What of a block is joined to others; nothing where that would be too much.
  [[nodiscard]] std::vector<Port> ports_of(const JoinedBlock& block, const LevelPlan& level,
                                           std::size_t number) {
    std::vector<NodeIndex> nodes;
    if (level.ports) {
      for (const NodeIndex node : block.nodes) {
        if (builder_.kind(node) == *level.ports) nodes.push_back(node);
      }
    } else if (!block.top_switches.empty()) {
      nodes = block.top_switches;
    } else {
      for (const Port& port : block.ports) {
        if (nodes.empty() || nodes.back() != port.node) nodes.push_back(port.node);
      }
    }
    std::vector<Port> ports;
    if (!builder_.has_room(2.0 * static_cast<double>(nodes.size()) *
                           static_cast<double>(level.uplinks)))
      return {};
    for (const NodeIndex node : nodes) {
      for (std::int64_t i = 0; i < level.uplinks; ++i)
        ports.push_back(
            {node, static_cast<std::int64_t>(number), static_cast<std::int64_t>(ports.size())});
    }
    return ports;
  }

  std::optional<KeyError> join_level(std::size_t number) {
    const LevelPlan& level = levels_[number];
    if (level.network.shape == NetworkShape::tpu)
      return KeyError{"/network/kind", "a tpu network joins devices, not blocks",
                      "use `circuits` to join blocks optically"};
    const auto count = static_cast<std::size_t>(level.count);
    std::vector<JoinedBlock> joined(blocks_.size() / count);
    double all = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      JoinedBlock &part = blocks_[i], &whole = joined[i / count];
      const std::vector<Port> ports = ports_of(part, level, i % count);
      if (ports.empty() && builder_.has_room(0))
        return KeyError{"/ports", "no node of a block has that class", {}};
      if (joins_blocks(level.network.shape) && i % count > 0 &&
          ports.size() * (i % count) != whole.ports.size() && builder_.has_room(0))
        return KeyError{
            "/network/kind",
            "joins the i-th ports of all blocks, but the blocks have different numbers of ports",
            "use a kind that joins all ports of all blocks"};
      all += static_cast<double>(ports.size());
      if (!builder_.has_room(2.0 * all)) return std::nullopt;
      whole.ports.insert(whole.ports.end(), ports.begin(), ports.end());
      whole.nodes.insert(whole.nodes.end(), part.nodes.begin(), part.nodes.end());
      part = {};
    }
    per_block_ *= count;
    extend_grid(level, joined.front());
    blocks_ = std::move(joined);
    for (JoinedBlock& block : blocks_) {
      if (auto wrong = join_block(block, level.network, number + 1)) return wrong;
      if (!builder_.has_room(0)) break;
    }
    return std::nullopt;
  }

  /// Ways are known where devices themselves are a grid. `bare`: there is nothing else yet.
  void set_innermost_grid(bool bare) {
    const std::vector<Port>& ports = blocks_.front().ports;
    if (ports.empty() || cycle_.size() > 1) return;
    const NetworkPlan& network = plans_.front().network;
    const auto count = static_cast<std::int64_t>(ports.size());
    const bool devices = ports.front().node == 0 && ports.back().node + 1 == ports.size();
    if (is_grid(network.shape) && bare && !is_twisted(network)) {
      if (auto dims = grid_of(network, count)) grid_ = *std::move(dims);
    } else if (network.shape == NetworkShape::tpu && devices) {
      grid_.emplace();
      for (const std::int64_t size : network.sizes)
        grid_->push_back({StackedDim::Block::ring, size, true, 0});
    } else if (network.shape == NetworkShape::fully_connected && bare && !levels_.empty()) {
      grid_ = {{StackedDim::Block::fully_connected, count, true, 0}};
    } else if (count == 1 && bare && !levels_.empty()) {
      grid_.emplace();  // one device, and no way yet
    }
  }
  /// … and of blocks of them, if each of their devices is in it.
  void extend_grid(const LevelPlan& level, const JoinedBlock& block) {
    const bool all = block.ports.size() == per_block_ && block.ports.front().node == 0 &&
                     block.ports.back().node + 1 == per_block_;
    const NetworkPlan& plan = level.network;
    if (!grid_ || !all || !joins_blocks(plan.shape) || is_twisted(plan)) {
      grid_.reset();
    } else if (plan.shape == NetworkShape::fully_connected) {
      grid_->push_back({StackedDim::Block::fully_connected, level.count, true, 0});
    } else if (const auto dims = grid_of(plan, level.count)) {
      grid_->insert(grid_->end(), dims->begin(), dims->end());
    }
  }

  TopologyBuilder& builder_;
  const std::vector<BlockPlan>& plans_;
  const std::vector<LevelPlan>& levels_;
  std::vector<std::size_t> cycle_;  // plans of the blocks that the first level joins
  NodeIndex devices_ = 0;
  std::size_t per_block_ = 0;  // devices of one of blocks_
  std::vector<JoinedBlock> blocks_;
  std::optional<std::vector<GridDim>> grid_;
};

}  // namespace

std::optional<KeyError> join(TopologyBuilder& builder, std::span<const Port> ports,
                             const NetworkPlan& network) {
  switch (network.shape) {
    case NetworkShape::none:
      return std::nullopt;
    case NetworkShape::switched: {
      const NodeIndex hub = builder.add(NodeClass::switched, network.prefix + "switch");
      for (const Port& port : ports) builder.join(port.node, hub, network.port);
      return std::nullopt;
    }
    case NetworkShape::fully_connected:
      join_all(builder, ports, network.port);
      return std::nullopt;
    case NetworkShape::ring:
    case NetworkShape::mesh:
    case NetworkShape::torus:
      return join_grid_network(builder, ports, network);
    case NetworkShape::tpu:
      return join_tpu(builder, ports, network);
    case NetworkShape::fat_tree:
      return join_tree(builder, ports, network);
    case NetworkShape::rail_optimized:
    case NetworkShape::rail_only:
    case NetworkShape::dual_plane:
      return join_rails(builder, ports, network);
    case NetworkShape::dragonfly:
    case NetworkShape::dragonfly_plus:
      return join_dragonfly(builder, ports, network);
    case NetworkShape::circuits:
      return join_circuits(builder, ports, network);
  }
  return std::nullopt;
}

}  // namespace generators

Result<Topology> generate_blocks(const std::string& name, const std::vector<BlockPlan>& blocks,
                                 const std::vector<LevelPlan>& levels, const std::string& where) {
  TopologyBuilder builder(name, "generated");
  std::optional<generators::KeyError> wrong = generators::check_size(blocks, levels, builder);
  if (!wrong && builder.has_room(0))
    wrong = generators::LevelBuilder(builder, blocks, levels).build();
  if (wrong)
    return tl::unexpected(
        Error{Errc::config_conflict, where + wrong->place, wrong->what, wrong->hint});
  return builder.finish(where);
}

Result<Topology> generate(const std::string& name, const std::vector<HostShape>& hosts,
                          const NetworkPlan& network, const std::vector<LevelPlan>& levels,
                          const std::string& where) {
  return generate_blocks(name, {{hosts, network, 1}}, levels, where);
}

Result<Topology> generate(const std::string& name, const std::vector<HostShape>& hosts,
                          const NetworkPlan& network, const std::string& where) {
  return generate(name, hosts, network, {}, where);
}

}  // namespace orrery::platform
