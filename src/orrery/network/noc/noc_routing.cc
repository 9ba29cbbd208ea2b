// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/noc_routing.h"

#include <bit>
#include <utility>

#include "orrery/core/random.h"

namespace orrery::noc {

using platform::NocRouting;

namespace {

constexpr std::size_t kMostEntries = std::size_t{1} << 24;

/// How many parts the channels are divided into.
std::uint32_t parts_of(NocRouting kind, bool wraps) {
  switch (kind) {
    case NocRouting::xy:
    case NocRouting::yx:
      return wraps ? 2 : 1;
    case NocRouting::o1turn:
    case NocRouting::valiant:
      return wraps ? 4 : 2;
    case NocRouting::adaptive:
    case NocRouting::xy_escape:
      return wraps ? 3 : 2;
    case NocRouting::automatic:
    case NocRouting::shortest:
    case NocRouting::up_down:
      break;
  }
  return 1;
}

}  // namespace

Result<NocRoutes> NocRoutes::make(const NocGraph& graph, const platform::NocSettings& settings,
                                  RouteTable table) {
  if (auto done = check_graph(graph); !done) return tl::unexpected(done.error());
  NocRoutes made;
  made.kind_ = settings.routing;
  if (made.kind_ == NocRouting::automatic)
    made.kind_ = graph.extents.empty() ? NocRouting::shortest : NocRouting::xy;
  made.channels_ = static_cast<std::uint32_t>(settings.channels);
  made.all_ = static_cast<std::uint32_t>((std::uint64_t{1} << made.channels_) - 1);
  made.routers_ = graph.router_count();
  made.nodes_ = graph.nodes;
  made.wraps_ = graph.has_ring();
  made.rings_ = graph.wraps;
  made.extents_ = graph.extents;
  made.dims_ = static_cast<std::uint32_t>(graph.extents.size());
  const bool by_table = made.kind_ == NocRouting::shortest || made.kind_ == NocRouting::up_down;
  if (!by_table && graph.extents.empty())
    return tl::unexpected(Error{Errc::config_conflict, "routing",
                                "it needs a mesh, a torus or a ring without broken links",
                                "use `shortest` or `up_down` in this network"});
  const std::uint32_t parts = parts_of(made.kind_, made.wraps_);
  if (!by_table && made.channels_ < parts)
    return tl::unexpected(Error{Errc::config_conflict, "channels",
                                "the routing divides them into " + std::to_string(parts) + " parts",
                                "use at least " + std::to_string(parts) + " channels"});
  made.escape_ = made.all_;
  if (made.kind_ == NocRouting::adaptive || made.kind_ == NocRouting::xy_escape) {
    made.escape_ = made.wraps_ ? 3 : 1;
    made.classes_ =
        made.wraps_ ? std::vector<std::uint32_t>{0, 1, 2} : std::vector<std::uint32_t>{0, 1};
  } else {
    for (std::uint32_t i = 0; i < (by_table ? 1 : parts); ++i)
      made.classes_.push_back(static_cast<std::uint32_t>(std::countr_zero(made.part(i, parts))));
  }
  made.coordinates_.reserve(std::size_t{made.routers_} * made.dims_);
  for (std::uint32_t router = 0; router < made.routers_; ++router) {
    std::uint32_t rest = router;
    for (const std::uint32_t extent : graph.extents) {
      made.coordinates_.push_back(static_cast<std::uint16_t>(rest % extent));
      rest /= extent;
    }
  }
  if (by_table) {
    if (auto done = made.set_table(graph, std::move(table)); !done)
      return tl::unexpected(done.error());
  }
  return made;
}

Result<void> NocRoutes::set_table(const NocGraph& graph, RouteTable table) {
  if (std::size_t{routers_} * routers_ > kMostEntries)
    return tl::unexpected(Error{Errc::config_range, "routing",
                                "tables of routes for more than 4096 routers",
                                "use fewer routers, or a mesh or torus"});
  first_port_ = NocPorts(graph).first;
  enters_down_.assign(first_port_.back(), false);
  if (kind_ == NocRouting::up_down) {
    std::vector<bool> goes_down;
    table = up_down_routes(graph, goes_down);
    for (std::size_t i = 0; i < graph.links.size(); ++i) {
      const NocLink& link = graph.links[i];
      enters_down_[first_port_[link.to] + link.to_port] = goes_down[i];
    }
  } else if (table.ports.empty()) {
    table = shortest_routes(graph);
  }
  for (const NocNode& from : graph.nodes) {
    for (const NocNode& to : graph.nodes) {
      if (from.router != to.router &&
          table.ports[std::size_t{from.router} * routers_ + to.router] == RouteTable::kNoPort)
        return tl::unexpected(Error{Errc::config_range, "router " + std::to_string(from.router),
                                    "has no route to router " + std::to_string(to.router),
                                    "connect them by links"});
    }
  }
  table_ = std::move(table);
  return {};
}

std::uint32_t NocRoutes::part(std::uint32_t index, std::uint32_t count) const {
  const auto low = [&](std::uint32_t i) { return (i * channels_ + count - 1) / count; };
  const std::uint64_t below_end = (std::uint64_t{1} << low(index + 1)) - 1;
  return static_cast<std::uint32_t>(below_end & ~((std::uint64_t{1} << low(index)) - 1)) & all_;
}

bool NocRoutes::has_one_way() const {
  switch (kind_) {
    case NocRouting::xy:
    case NocRouting::yx:
    case NocRouting::xy_escape: {
      // In a ring of even size, the opposite router is as far in both directions.
      bool has_ties = false;
      for (std::uint32_t dim = 0; dim < dims_; ++dim)
        has_ties |= rings_[dim] && extents_[dim] % 2 == 0;
      return !has_ties;
    }
    case NocRouting::shortest:
    case NocRouting::up_down:
      return true;
    case NocRouting::automatic:
    case NocRouting::o1turn:
    case NocRouting::adaptive:
    case NocRouting::valiant:
      break;
  }
  return false;
}

void NocRoutes::prepare(Packet& packet) const {
  const std::uint32_t bits = static_cast<std::uint32_t>(mix_bits(packet.key ^ 0x51ed270b) >> 32);
  packet.reversed = kind_ == NocRouting::yx || (kind_ == NocRouting::o1turn && bits % 2 == 1);
  packet.second_phase = kind_ != NocRouting::valiant;
  packet.ring = 0;
  packet.middle = static_cast<std::uint32_t>((std::uint64_t{bits} * routers_) >> 32);
}

/// The port of the shorter way in a dimension, `from` is not `to`. Equal ones: by the packet's key.
std::uint32_t NocRoutes::toward(const Packet& packet, std::uint32_t dim, std::uint32_t from,
                                std::uint32_t to) const {
  if (!rings_[dim]) return 2 * dim + (from < to ? 0 : 1);
  const std::uint32_t extent = extents_[dim];
  const std::uint32_t ahead = 2 * ((to + extent - from) % extent);
  if (ahead == extent) return 2 * dim + (packet.key >> dim & 1);
  return 2 * dim + (ahead < extent ? 0 : 1);
}

std::uint32_t NocRoutes::next_port(const Packet& packet, std::uint32_t router, std::uint32_t to,
                                   std::uint32_t in_port, bool reversed, std::uint8_t& ring) const {
  for (std::uint32_t i = 0; i < dims_; ++i) {
    const std::uint32_t dim = reversed ? dims_ - 1 - i : i;
    const std::uint32_t here = at(router, dim), there = at(to, dim);
    if (here == there) continue;
    if (rings_[dim] && in_port / 2 == dim) return in_port ^ 1;  // in the same direction
    const std::uint32_t port = toward(packet, dim, here, there);
    ring = rings_[dim] && (port % 2 == 0) == (here > there) ? 1 : 0;
    return port;
  }
  return kNone;
}

void NocRoutes::find_adaptive(Packet& packet, std::uint32_t router, std::uint32_t to,
                              std::uint32_t in_port, std::uint32_t in_channel,
                              RouteSet& out) const {
  // A packet in a node's channel has not used the escape.
  const bool escaped = in_port < 2 * dims_ && is_escape(in_channel);
  const std::uint32_t port =
      next_port(packet, router, to, escaped ? in_port : 2 * dims_, false, packet.ring);
  out.add(port, wraps_ ? 1u << packet.ring : 1u);
  if (escaped) return;
  if (kind_ == NocRouting::xy_escape) return out.add(port, all_ & ~escape_);
  for (std::uint32_t dim = 0; dim < dims_; ++dim) {
    if (at(router, dim) != at(to, dim))
      out.add(toward(packet, dim, at(router, dim), at(to, dim)), all_ & ~escape_);
  }
}

std::uint32_t NocRoutes::by_table(std::uint32_t router, std::uint32_t to,
                                  std::uint32_t in_port) const {
  const bool down = !table_.ports_down.empty() && enters_down_[first_port_[router] + in_port];
  return (down ? table_.ports_down : table_.ports)[std::size_t{router} * routers_ + to];
}

void NocRoutes::find(Packet& packet, std::uint32_t router, std::uint32_t in_port,
                     std::uint32_t in_channel, RouteSet& out) const {
  out.count = 0;
  const NocNode& end = nodes_[packet.destination];
  if (!packet.second_phase && router == packet.middle) {
    packet.second_phase = true;
    in_port = 2 * dims_;  // it enters its ring anew
  }
  const std::uint32_t to = packet.second_phase ? end.router : packet.middle;
  if (router == to) return out.add(end.port, all_);
  const auto halves = [&](std::uint32_t port, std::uint32_t half) {
    out.add(port, wraps_ ? part(2 * half + packet.ring, 4) : part(half, 2));
  };
  switch (kind_) {
    case NocRouting::xy:
    case NocRouting::yx: {
      const std::uint32_t port =
          next_port(packet, router, to, in_port, packet.reversed, packet.ring);
      return out.add(port, wraps_ ? part(packet.ring, 2) : all_);
    }
    case NocRouting::o1turn:
      return halves(next_port(packet, router, to, in_port, packet.reversed, packet.ring),
                    packet.reversed ? 1 : 0);
    case NocRouting::valiant:
      return halves(next_port(packet, router, to, in_port, false, packet.ring),
                    packet.second_phase ? 1 : 0);
    case NocRouting::adaptive:
    case NocRouting::xy_escape:
      return find_adaptive(packet, router, to, in_port, in_channel, out);
    case NocRouting::automatic:
    case NocRouting::shortest:
    case NocRouting::up_down:
      return out.add(by_table(router, to, in_port), all_);
  }
}

}  // namespace orrery::noc
