// SPDX-License-Identifier: Apache-2.0
//
// Routes of packets, decided at each router, and the virtual channels that they may use.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "orrery/network/noc/noc_graph.h"
#include "orrery/network/noc/noc_types.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::noc {

/// Output ports by router and destination. Rows are routers, columns destinations' routers.
struct RouteTable {
  static constexpr std::uint16_t kNoPort = 0xffff;
  std::vector<std::uint16_t> ports;
  /// up_down: after the first link down. Empty: as `ports`.
  std::vector<std::uint16_t> ports_down;
};

/// Shortest routes by number of links; of equal ones, that over the lowest port.
[[nodiscard]] RouteTable shortest_routes(const NocGraph& graph);
/// Shortest routes that go up a tree from router 0, then down (Schroeder et al., "Autonet: a
/// high-speed, self-configuring local area network using point-to-point links", 1991, section 6.6).
/// `goes_down`, by link, receives the direction.
[[nodiscard]] RouteTable up_down_routes(const NocGraph& graph, std::vector<bool>& goes_down);

/// The routes of one network. Cubes compute them from coordinates. In a ring, packets that pass the
/// link between the last and the first router use other channels than those that do not (datelines;
/// Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks",
/// IEEE Transactions on Computers 36 (5), 1987).
class NocRoutes {
 public:
  /// Errc::config_conflict: the routing does not fit the graph or needs more channels;
  /// Errc::config_range: a destination cannot be reached, or tables exceed 2^24 entries. `table`,
  /// if not empty, replaces that of `shortest`. `automatic` is `xy` in cubes, else `shortest`.
  [[nodiscard]] static Result<NocRoutes> make(const NocGraph& graph,
                                              const platform::NocSettings& settings,
                                              RouteTable table = {});

  /// Chooses what is random about the route of a packet, from its key.
  void prepare(Packet& packet) const;
  /// The outputs after `router`, for a packet that has come through `in_port` on `in_channel`.
  /// Updates the state of the route in `packet`.
  void find(Packet& packet, std::uint32_t router, std::uint32_t in_port, std::uint32_t in_channel,
            RouteSet& out) const;

  /// Channels that packets use alike: the lowest of each class.
  [[nodiscard]] const std::vector<std::uint32_t>& channel_classes() const { return classes_; }
  /// A cycle of waiting packets may include channels that are no escape: see check_deadlock().
  [[nodiscard]] bool is_escape(std::uint32_t channel) const {
    return (escape_ >> channel & 1) != 0;
  }
  [[nodiscard]] platform::NocRouting kind() const { return kind_; }
  /// All packets from one node to another take the same way.
  [[nodiscard]] bool has_one_way() const;

 private:
  NocRoutes() = default;
  [[nodiscard]] Result<void> set_table(const NocGraph& graph, RouteTable table);
  [[nodiscard]] std::uint32_t part(std::uint32_t index, std::uint32_t count) const;
  [[nodiscard]] std::uint32_t at(std::uint32_t router, std::uint32_t dim) const {
    return coordinates_[router * dims_ + dim];
  }
  /// The next port by dimensions, and the class of channels of a ring in `ring`.
  [[nodiscard]] std::uint32_t next_port(const Packet& packet, std::uint32_t router,
                                        std::uint32_t to, std::uint32_t in_port, bool reversed,
                                        std::uint8_t& ring) const;
  [[nodiscard]] std::uint32_t toward(const Packet& packet, std::uint32_t dim, std::uint32_t from,
                                     std::uint32_t to) const;
  void find_adaptive(Packet& packet, std::uint32_t router, std::uint32_t to, std::uint32_t in_port,
                     std::uint32_t in_channel, RouteSet& out) const;
  [[nodiscard]] std::uint32_t by_table(std::uint32_t router, std::uint32_t to,
                                       std::uint32_t in_port) const;

  platform::NocRouting kind_ = platform::NocRouting::xy;
  std::uint32_t channels_ = 1, all_ = 1, escape_ = 1;
  std::uint32_t dims_ = 0, routers_ = 0;
  bool wraps_ = false;       // a dimension does
  std::vector<bool> rings_;  // by dimension
  std::vector<std::uint32_t> extents_;
  std::vector<std::uint16_t> coordinates_;
  std::vector<NocNode> nodes_;
  std::vector<std::uint32_t> classes_;
  RouteTable table_;
  std::vector<std::size_t> first_port_;  // of NocPorts
  std::vector<bool> enters_down_;        // by input port: up_down
};

/// Calls `pass(link, outputs)` for each link on the way of a prepared packet that is alone in the
/// network, with the number of the link and the outputs that the packet may use there; of several,
/// it takes the first one. O(links of the way)
template <class Pass>
void walk_route(const NocGraph& graph, const NocPorts& ports, const NocRoutes& routes,
                Packet packet, const Pass& pass) {
  std::uint32_t at = graph.nodes[packet.source].router;
  std::uint32_t in_port = graph.nodes[packet.source].port, channel = 0;
  while (true) {
    RouteSet next;
    routes.find(packet, at, in_port, channel, next);
    const RouteChoice& choice = next.choices[0];
    const std::uint32_t number = ports.link_at(at, choice.port);
    if (number == kNone) return;
    const NocLink& link = graph.links[number];
    pass(number, next);
    at = link.to;
    in_port = link.to_port;
    channel = static_cast<std::uint32_t>(std::countr_zero(choice.channels));
  }
}

}  // namespace orrery::noc
