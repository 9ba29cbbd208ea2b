// SPDX-License-Identifier: Apache-2.0
//
// Rings, meshes, tori, and dimensions stacked on each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/core/system/memory_limit.h"
#include "orrery/platform/topology/generators/generator_parts.h"

namespace orrery::platform::generators {

namespace {

using Block = StackedDim::Block;

class GridRoutes final : public FormulaRoutes {
 public:
  explicit GridRoutes(std::vector<GridDim> dims) : dims_(std::move(dims)) {
    std::int64_t stride = 1;
    for (const GridDim& dim : dims_) {
      strides_.push_back(stride);
      stride *= dim.size;
    }
    devices_ = static_cast<NodeIndex>(stride);
  }

  void next(const Topology& topology, NodeIndex at, NodeIndex to,
            std::vector<LinkIndex>& out) const override {
    out.clear();
    if (to >= devices_ || topology.kind(at) == NodeClass::memory) return;
    if (at < devices_) {
      const NodeIndex towards = next_node(at, to);
      add(topology, at, towards, out);
      if (out.empty()) add_circuits(topology, at, towards, out);
      return;
    }
    if (topology.kind(at) == NodeClass::optical) {
      const auto [first, last] = topology.out(at);
      for (LinkIndex link = first; link < last; ++link) {
        if (out.empty() || remaining_hops(topology.link(link).to, to) <
                               remaining_hops(topology.link(out[0]).to, to))
          out.assign(1, link);
      }
      return;
    }
    const std::size_t d = dim_of_switch(at);
    const std::int64_t member =
        (at - dims_[d].switches) % strides_[d] +
        (at - dims_[d].switches) / strides_[d] * strides_[d] * dims_[d].size +
        coordinate(to, d) * strides_[d];
    add(topology, at, static_cast<NodeIndex>(member), out);
  }

 private:
  [[nodiscard]] std::int64_t coordinate(std::int64_t node, std::size_t d) const {
    return node / strides_[d] % dims_[d].size;
  }
  static void add(const Topology& topology, NodeIndex at, NodeIndex towards,
                  std::vector<LinkIndex>& out) {
    const auto [first, last] = topology.between(at, towards);
    for (LinkIndex link = first; link < last; ++link) out.push_back(link);
  }
  static void add_circuits(const Topology& topology, NodeIndex at, NodeIndex towards,
                           std::vector<LinkIndex>& out) {
    const auto [first, last] = topology.out(at);
    for (LinkIndex link = first; link < last; ++link) {
      const NodeIndex there = topology.link(link).to;
      if (topology.kind(there) != NodeClass::optical) continue;
      const auto [on, end] = topology.between(there, towards);
      if (on != end) out.push_back(link);
    }
  }
  [[nodiscard]] std::size_t dim_of_switch(NodeIndex node) const {
    std::size_t found = 0;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (dims_[d].block == Block::switched && dims_[d].switches <= node) found = d;
    }
    return found;
  }
  /// From the switch of a dimension everyone is reached; on a line or ring, the shorter way.
  [[nodiscard]] NodeIndex next_node(NodeIndex at, NodeIndex to) const {
    std::size_t d = 0;
    while (coordinate(at, d) == coordinate(to, d)) ++d;
    const GridDim& dim = dims_[d];
    const std::int64_t here = coordinate(at, d), there = coordinate(to, d);
    if (dim.block == Block::switched) {
      const std::int64_t group = at / (strides_[d] * dim.size) * strides_[d] + at % strides_[d];
      return dim.switches + static_cast<NodeIndex>(group);
    }
    std::int64_t next = there;
    if (dim.block == Block::ring) {
      const std::int64_t up = there > here ? there - here : dim.size - (here - there);
      const bool rises = dim.wrap ? up <= dim.size - up : there > here;
      next = (here + (rises ? 1 : dim.size - 1)) % dim.size;
    }
    return static_cast<NodeIndex>(at + (next - here) * strides_[d]);
  }
  [[nodiscard]] std::int64_t remaining_hops(NodeIndex at, NodeIndex to) const {
    std::int64_t hops = 0;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const std::int64_t apart = std::abs(coordinate(at, d) - coordinate(to, d));
      hops += dims_[d].wrap ? std::min(apart, dims_[d].size - apart) : apart;
    }
    return hops;
  }

  std::vector<GridDim> dims_;
  std::vector<std::int64_t> strides_;
  NodeIndex devices_ = 0;
};

}  // namespace

std::shared_ptr<const FormulaRoutes> grid_routes(std::vector<GridDim> dims) {
  return std::make_shared<const GridRoutes>(std::move(dims));
}

std::vector<std::int64_t> even_sizes(std::int64_t count, std::size_t dims) {
  std::vector<std::int64_t> sizes;
  for (std::size_t left = dims; left > 1; --left) {
    const double even = std::pow(static_cast<double>(count), 1.0 / static_cast<double>(left));
    auto size = static_cast<std::int64_t>(std::floor(even + 1e-9));
    while (count % size != 0) --size;
    sizes.push_back(size);
    count /= size;
  }
  sizes.push_back(count);
  return sizes;
}

namespace {

/// Whether two positions of a grid are on different dies.
bool are_dies_apart(std::span<const GridDim> dims, std::span<const std::int64_t> dies,
                    std::int64_t a, std::int64_t b) {
  for (std::size_t d = 0; d < dies.size(); ++d) {
    if (a % dims[d].size / dies[d] != b % dims[d].size / dies[d]) return true;
    a /= dims[d].size;
    b /= dims[d].size;
  }
  return false;
}

}  // namespace

void join_grid(TopologyBuilder& builder, std::span<const Port> ports, std::span<const GridDim> dims,
               const LinkFigures& figures) {
  NetworkPlan plan;
  plan.port = figures;
  join_grid(builder, ports, dims, plan);
}

void join_grid(TopologyBuilder& builder, std::span<const Port> ports, std::span<const GridDim> dims,
               const NetworkPlan& plan) {
  const std::vector<std::int64_t>& twists = plan.twists;
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::int64_t size = dims[d].size;
    const std::size_t other = (d + 1) % dims.size();
    std::int64_t other_stride = 1;
    for (std::size_t i = 0; i < other; ++i) other_stride *= dims[i].size;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(ports.size()); ++at) {
      const std::int64_t here = at / stride % size;
      const bool closes = here + 1 == size;
      // Two in a ring have one link, as in a line.
      if (size == 1 || (closes && (!dims[d].wrap || size == 2))) continue;
      std::int64_t to = at + (closes ? 1 - size : 1) * stride;
      if (closes && d < twists.size() && twists[d] != 0) {
        const std::int64_t was = to / other_stride % dims[other].size;
        const std::int64_t is = (was + twists[d]) % dims[other].size;
        to += (is - was) * other_stride;
      }
      builder.join(ports[static_cast<std::size_t>(at)].node,
                   ports[static_cast<std::size_t>(to)].node,
                   are_dies_apart(dims, plan.dies, at, to) ? plan.die_link : plan.port);
    }
    stride *= size;
  }
}

void join_all(TopologyBuilder& builder, std::span<const Port> ports, const LinkFigures& figures) {
  const auto count = static_cast<double>(ports.size());
  if (!builder.has_room(count * (count - 1))) return;
  for (std::size_t a = 0; a < ports.size(); ++a) {
    for (std::size_t b = a + 1; b < ports.size(); ++b)
      builder.join(ports[a].node, ports[b].node, figures);
  }
}

bool is_twisted(const NetworkPlan& plan) {
  return std::any_of(plan.twists.begin(), plan.twists.end(),
                     [](std::int64_t twist) { return twist != 0; });
}

tl::expected<std::vector<GridDim>, KeyError> grid_of(const NetworkPlan& plan, std::int64_t count) {
  std::vector<std::int64_t> sizes = plan.sizes;
  if (sizes.empty()) sizes = {count};
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(product, size, &product)) product = 0;
  }
  if (product != count)
    return tl::unexpected(
        KeyError{"/network/sizes",
                 fmt::format("{} is {} positions, but there are {} devices or NICs",
                             fmt::join(sizes, " x "), product, count),
                 "their product must be the number of devices, or of NICs if hosts have NICs"});
  if (plan.wraps.size() > sizes.size() || plan.twists.size() > sizes.size())
    return tl::unexpected(
        KeyError{plan.wraps.size() > sizes.size() ? "/network/wraps" : "/network/twists",
                 "lists more dimensions than `sizes`",
                 {}});
  const bool closed = plan.shape != NetworkShape::mesh;
  std::vector<GridDim> dims;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    dims.push_back(
        {Block::ring, sizes[d], closed && (d >= plan.wraps.size() || plan.wraps[d] != 0), 0});
  for (std::size_t d = 0; d < plan.twists.size(); ++d) {
    const std::int64_t next = dims[(d + 1) % dims.size()].size;
    if (plan.twists[d] < 0 || plan.twists[d] >= std::max<std::int64_t>(next, 1) ||
        (plan.twists[d] != 0 && dims.size() == 1))
      return tl::unexpected(KeyError{
          fmt::format("/network/twists/{}", d),
          fmt::format("{} is not a valid shift of a dimension of size {}", plan.twists[d], next),
          {}});
  }
  for (std::size_t d = 0; d < plan.dies.size(); ++d) {
    if (d >= dims.size() || plan.dies[d] < 1 || dims[d].size % plan.dies[d] != 0)
      return tl::unexpected(
          KeyError{fmt::format("/network/dies/{}", d),
                   fmt::format("{} positions cannot be divided into dies of {}",
                               fmt::join(sizes, " x "), fmt::join(plan.dies, " x ")),
                   "use divisors of `sizes`, at most one for each dimension"});
  }
  return dims;
}

std::optional<KeyError> join_grid_network(TopologyBuilder& builder, std::span<const Port> ports,
                                          const NetworkPlan& plan) {
  const auto dims = grid_of(plan, static_cast<std::int64_t>(ports.size()));
  if (!dims) return dims.error();
  join_grid(builder, ports, *dims, plan);
  return std::nullopt;
}

// A cube's inner links are electrical; those on its faces go through an optical switch, which
// joins them to the opposite face of the next cube (Jouppi et al., TPU v4, ISCA 2023). A circuit is
// a node of its own, since light is not routed: switch `face position` has those of all cubes.
std::optional<KeyError> join_tpu(TopologyBuilder& builder, std::span<const Port> ports,
                                 const NetworkPlan& plan) {
  constexpr std::int64_t kCube = 4;
  std::int64_t product = 1;
  for (const std::int64_t size : plan.sizes) {
    if (size % kCube != 0 || __builtin_mul_overflow(product, size, &product)) product = 0;
  }
  if (plan.sizes.size() != 3 || product != static_cast<std::int64_t>(ports.size()))
    return KeyError{"/network/sizes",
                    fmt::format("needs three multiples of 4 whose product is {}", ports.size()),
                    "for smaller slices, use a mesh"};
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::int64_t at = 0; at < product; ++at) {
      const std::int64_t here = at / stride % plan.sizes[d];
      const NodeIndex from = ports[static_cast<std::size_t>(at)].node;
      const std::int64_t to = at + (here + 1 == plan.sizes[d] ? 1 - plan.sizes[d] : 1) * stride;
      const NodeIndex there = ports[static_cast<std::size_t>(to)].node;
      if (here % kCube != kCube - 1) {
        builder.join(from, there, plan.port);
        continue;
      }
      std::int64_t face = 0, cube = 0, below = 1;
      for (std::size_t other = 0; other < 3; ++other) {
        const std::int64_t c = at / below % plan.sizes[other];
        if (other != d) face = face * kCube + c % kCube;
        cube = cube * (plan.sizes[other] / kCube) + c / kCube;
        below *= plan.sizes[other];
      }
      join_optically(
          builder, from, there,
          fmt::format("{}ocs{}.{}", plan.prefix, static_cast<std::int64_t>(d) * 16 + face, cube),
          plan.port);
    }
    stride *= plan.sizes[d];
  }
  return std::nullopt;
}

}  // namespace orrery::platform::generators

namespace orrery::platform {

namespace {

/// Checks the number of nodes and links, and their memory, before they are created. A node needs
/// its name and its kind; links are sorted, which needs a second copy of them. Lists of links by
/// node, and the searches for bounds, need as much again (measured: 181 bytes per link).
Result<void> check_stack_size(const std::vector<StackedDim>& dims, const std::string& where) {
  using Joined = StackedDim::Block;
  double devices = 1, nodes = 0, links = 0;
  for (const StackedDim& dim : dims) devices *= static_cast<double>(dim.size);
  nodes = devices;
  for (const StackedDim& dim : dims) {
    const auto size = static_cast<double>(dim.size);
    if (size < 2) continue;
    if (dim.block == Joined::switched) nodes += devices / size;
    links += dim.block == Joined::fully_connected ? devices * (size - 1) : 2 * devices;
    if (dim.block == Joined::ring && dim.size == 2) links -= devices;
  }
  if (nodes > static_cast<double>(limits::kFabricNodes) ||
      links > static_cast<double>(limits::kFabricLinks))
    return fail(Errc::limit_exceeded, where,
                fmt::format("the fabric has more than {} nodes or {} links", limits::kFabricNodes,
                            limits::kFabricLinks),
                "describe a smaller fabric");
  constexpr double kNodeBytes = sizeof(std::string) + 32, kLinkBytes = 4 * sizeof(Link);
  const double bytes = nodes * kNodeBytes + links * kLinkBytes;
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return {};
  return fail(Errc::limit_exceeded, where,
              fmt::format("the graph of {:.0f} nodes and {:.0f} links needs about {:.1f} GB of "
                          "memory, but {:.1f} GB are available",
                          nodes, links, bytes / 1e9, available / 1e9),
              "use fewer devices, or a machine with more memory");
}

}  // namespace

Result<Topology> stack_dimensions(const std::string& name, const std::vector<StackedDim>& dims,
                                  const std::string& where) {
  using Joined = StackedDim::Block;
  if (auto fits = check_stack_size(dims, where); !fits) return tl::unexpected(fits.error());
  std::int64_t devices = 1;
  for (const StackedDim& dim : dims) devices *= dim.size;
  TopologyBuilder builder(name, "stacked");
  for (std::int64_t i = 0; i < devices; ++i)
    builder.add(NodeClass::device, fmt::format("npu{}", i));
  std::vector<generators::GridDim> grid;
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const StackedDim& dim = dims[d];
    grid.push_back({dim.block, dim.size, true, builder.node_count()});
    const bool switched = dim.block == Joined::switched && dim.size > 1;
    for (std::int64_t group = 0; group < devices / dim.size; ++group) {
      std::vector<generators::Port> members;
      const std::int64_t first = group / stride * stride * dim.size + group % stride;
      for (std::int64_t i = 0; i < dim.size; ++i)
        members.push_back({static_cast<NodeIndex>(first + i * stride)});
      if (switched) {
        const NodeIndex hub =
            builder.add(NodeClass::switched, fmt::format("dim{}.switch{}", d, group));
        for (const generators::Port& member : members) builder.join(member.node, hub, dim.figures);
      } else if (dim.block == Joined::fully_connected) {
        generators::join_all(builder, members, dim.figures);
      } else {
        const generators::GridDim ring[] = {{Joined::ring, dim.size, true, 0}};
        generators::join_grid(builder, members, ring, dim.figures);
      }
    }
    stride *= dim.size;
  }
  builder.set_formula_routes(generators::grid_routes(std::move(grid)));
  return builder.finish(where);
}

}  // namespace orrery::platform
