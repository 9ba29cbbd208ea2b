// SPDX-License-Identifier: Apache-2.0
//
// Routers that move flits, cycle by cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "orrery/network/noc/noc_graph.h"
#include "orrery/network/noc/noc_matcher.h"
#include "orrery/network/noc/noc_routing.h"
#include "orrery/network/noc/noc_types.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::noc {

struct NocCounts {
  std::uint64_t injected = 0, ejected = 0;  ///< flits that entered and left routers
  std::uint64_t hops = 0;                   ///< flits that crossed a switch
  std::uint64_t steps = 0;                  ///< cycles of routers with flits
};

/// Input-queued routers with virtual channels and credits.
///
/// A flit that arrives in cycle t leaves its router after `stages` cycles: a head is assigned a
/// channel of the next router (4 stages: after one cycle for its route, otherwise the router before
/// has found it), a cycle later the switch, a cycle later it crosses the switch. With 2 stages, it
/// requests the switch together with the channel; with 1 stage, it crosses in the same cycle. It
/// arrives at the next router after the delay of the link. A credit for its place returns one cycle
/// and the delay of the link after it was assigned the switch. A node's flit arrives at the router
/// one cycle and the delay of its link after it was sent.
///
/// Each router acts at the multiples of its clock's period; what arrives in between waits for the
/// next, and between clocks, for the cycles of the synchronizer. Routers without flits cost
/// nothing. The result does not depend on the order in which routers act within a time.
class FlitEngine {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// `automatic` becomes `up_down` if `shortest` may lead to deadlocks. Errc::config_range and
  /// config_conflict: see NocRoutes::make, check_graph and check_deadlock; also a setting out of
  /// range.
  [[nodiscard]] static Result<FlitEngine> make(const NocGraph& graph,
                                               const platform::NocSettings& settings,
                                               RouteTable table = {});

  /// Adds a packet to the queue of its source. `packet.created` is not before the times until which
  /// run() has run, and does not decrease per source. Its `size` is 1 to 2^30 - 1 (cut-through: at
  /// most the buffer).
  void post(Packet packet);
  /// Whether a source has sent all its flits.
  [[nodiscard]] bool is_idle(std::uint32_t node) const { return nodes_[node].first == kNone; }

  /// Flits of a source that have not left it.
  [[nodiscard]] std::uint64_t queued(std::uint32_t node) const { return nodes_[node].queued; }

  /// Simulates all cycles that begin until `until`, inclusive.
  void run(std::int64_t until);
  /// The beginning of the next cycle in which something happens; kNever: none.
  [[nodiscard]] std::int64_t next() const;
  /// No packet is delivered before this time, unless more are posted. kNever: none.
  [[nodiscard]] std::int64_t next_delivery() const;

  /// Packets that have arrived since clear_deliveries(), in order of time. The order of those of
  /// one time has no meaning; it is the same in every run.
  [[nodiscard]] std::span<const Delivery> deliveries() const { return deliveries_; }
  void clear_deliveries() { deliveries_.clear(); }

  /// Collects the packets that cross links, from now on or no more.
  void report_links(bool reports) { reports_links_ = reports; }
  [[nodiscard]] std::span<const LinkPass> link_passes() const { return passes_; }
  void clear_link_passes() { passes_.clear(); }

  [[nodiscard]] const NocCounts& counts() const { return counts_; }
  /// Flits in buffers and on links, counted one by one. O(channels)
  [[nodiscard]] std::uint64_t in_flight() const;
  [[nodiscard]] const NocRoutes& routes() const { return *routes_; }
  [[nodiscard]] const NocGraph& graph() const { return *graph_; }
  /// Whether nothing is on its way: no packets, flits or credits.
  [[nodiscard]] bool is_idle() const;
  /// The last time at which something happened.
  [[nodiscard]] std::int64_t now() const { return now_; }

  /// The parts of the network, in which packets have effects on later ones: the links, by number;
  /// then the entries of the nodes, then their exits. Packets without a common part have none.
  [[nodiscard]] std::uint32_t part_count() const {
    return static_cast<std::uint32_t>(graph_->links.size() + 2 * nodes_.size());
  }
  [[nodiscard]] std::uint32_t entry_of(std::uint32_t node) const {
    return static_cast<std::uint32_t>(graph_->links.size()) + node;
  }
  [[nodiscard]] std::uint32_t exit_of(std::uint32_t node) const {
    return static_cast<std::uint32_t>(graph_->links.size() + nodes_.size()) + node;
  }
  /// Appends the pointers of the allocators of a part, the only state of an idle one.
  void append_turns(std::uint32_t part, std::vector<std::uint32_t>& out) const;
  /// Sets them from the begin of a list; the number of pointers.
  std::size_t set_turns(std::uint32_t part, std::span<const std::uint32_t> turns);
  /// Until when the link of a part, or its node's, is busy.
  [[nodiscard]] std::int64_t busy_until(std::uint32_t part) const;
  /// Whether an allocator depends on the number of the cycle: the moving diagonals of `wavefront`.
  [[nodiscard]] bool uses_diagonals() const;
  /// After how many cycles the diagonals of a router are as before: channels, switch.
  [[nodiscard]] std::array<std::int64_t, 2> diagonals_of(std::uint32_t router) const;
  /// Memory of the state.
  [[nodiscard]] std::size_t state_bytes() const;

  /// Least and most credits of all channels.
  [[nodiscard]] std::pair<std::int32_t, std::int32_t> credit_range() const;

 private:
  enum class State : std::uint8_t { idle, waiting, active };
  /// A virtual channel at an input.
  struct Channel {
    State state = State::idle;
    std::uint16_t first = 0, count = 0;  // flits in its part of `buffers_`
    std::uint16_t out_port = 0, out_channel = 0;
    std::int64_t ready = 0;  // the cycle from which it may request
    RouteSet route;
  };
  struct OutPort {
    std::uint32_t target = kNone;  // first channel of the input it leads to, or the node
    std::uint32_t domain = 0;
    std::uint32_t link = kNone;  // kNone: leads to a node
    std::uint32_t free = 0;      // channels that serve no packet, as bits
    std::uint32_t tail_sent = 0;
    std::int64_t delay = 0;   // picoseconds, from the assignment of the switch
    std::int64_t cycles = 0;  // the same, if both have one clock; else 0
    std::int64_t flit_time = 1, idle_at = 0;
  };
  struct InPort {
    std::uint32_t target = kNone;  // first channel of the output it comes from
    std::uint32_t domain = 0;
    std::int64_t delay = 0, cycles = 0;  // of a credit, as of OutPort
    std::int64_t use = 0;                // cycles until it is used
  };
  struct Router {
    std::uint32_t first_port = 0, ports = 0;
    std::uint32_t first_word = 0, words = 0;
    std::uint32_t domain = 0, slot = 0;  // its place in the clock's list
  };
  struct Node {
    std::uint32_t first = kNone, last = kNone;  // packets to send
    std::uint32_t sent = 0;                     // flits of the first
    std::uint64_t queued = 0;                   // flits
    std::uint32_t channel = 0, last_channel = kNone;
    std::uint32_t free = 0, tail_sent = 0;  // channels of the router's input
    std::uint32_t router = 0, in_port = 0;  // in `in_ports_`
    std::uint32_t domain = 0, slot = 0;
    std::int64_t arrival = 0;  // cycles until a flit arrives
  };
  struct Arrival {
    std::uint32_t place = 0;  // channel of an input, or kNode + that of a node's output
    Flit flit;
  };
  struct Bucket {
    std::vector<Arrival> flits;
    std::vector<std::uint32_t> credits;  // channels of outputs, then of nodes
  };
  struct Domain {
    std::int64_t period = 1;
    std::int64_t cycle = 0, since = 0;  // the next one in which it acts; not before `since`
    std::vector<Bucket> wheel;          // by cycle, modulo its size
    std::uint64_t pending = 0;          // arrivals in it
    std::deque<std::int64_t> leaving;   // cycles in which packets will arrive, ascending
    std::vector<std::uint32_t> routers, nodes;
    std::vector<std::uint64_t> active_routers, active_nodes;  // bits, by place in the lists
    std::uint32_t active = 0;                                 // bits that are set
  };
  /// Reused by every router.
  struct Scratch {
    Matcher channels, switches;
    std::vector<MatchRequest> requests;
    std::vector<std::uint32_t> request_of;  // by input and output of a switch: 1 + request
    std::vector<std::uint32_t> speculating;
  };
  static constexpr std::uint32_t kNode = 1u << 31;

  FlitEngine() = default;
  [[nodiscard]] Result<void> check_size(const NocGraph& graph) const;
  void build(const NocGraph& graph);
  void build_ports(const NocGraph& graph);
  void build_clocks(const NocGraph& graph);
  [[nodiscard]] std::int64_t next_cycle(const Domain& domain) const;
  /// The output port and the input port of a part, and its sender; kNone: it has none.
  struct Part {
    std::uint32_t out_port = kNone, in_port = kNone, node = kNone;
  };
  [[nodiscard]] Part part(std::uint32_t number) const;
  template <class Engine, class Use>
  static void for_turns(Engine& engine, std::uint32_t part, const Use& use);

  void step(Domain& domain);
  void receive(Domain& domain, Bucket& bucket);
  void receive_credit(std::uint32_t channel);
  void receive_flit(const Domain& domain, const Arrival& arrival);
  void eject(const Domain& domain, std::uint32_t channel, const Flit& flit);
  void begin_packet(std::uint32_t channel, std::int64_t ready);
  void inject(Domain& domain, std::uint32_t node);
  [[nodiscard]] bool take_channel(Node& node, std::uint32_t number, const Packet& packet);
  void step_router(const Domain& domain, Router& router);
  void assign_channels(const Domain& domain, const Router& router);
  void assign_switch(const Domain& domain, Router& router);
  void request_switch(const Router& router, std::uint32_t local, std::uint32_t out_port);
  void grant_switch(const Domain& domain, const Router& router, std::uint32_t local);
  void send_flit(const Domain& domain, const Router& router, std::uint32_t local);
  void send_credit(const Domain& domain, std::uint32_t channel);
  void activate(std::uint32_t router);
  [[nodiscard]] Bucket& bucket_of(std::uint32_t domain, std::int64_t cycle);
  void schedule_flit(std::uint32_t domain, std::int64_t cycle, const Arrival& arrival);
  void schedule_credit(std::uint32_t domain, std::int64_t cycle, std::uint32_t channel);
  [[nodiscard]] std::int64_t arrival_cycle(const Domain& from, std::uint32_t to, std::int64_t delay,
                                           std::int64_t cycles) const;

  std::shared_ptr<const NocGraph> graph_;
  std::shared_ptr<const NocRoutes> routes_;
  platform::NocSettings settings_;
  std::uint32_t channels_ = 1, shift_ = 0, depth_ = 1;  // per port: 2^shift_ places
  std::int64_t hold_ = 2;                               // cycles from the switch to the link
  std::vector<Domain> domains_;
  std::vector<Router> routers_;
  std::vector<Node> nodes_;
  std::vector<OutPort> out_ports_;
  std::vector<InPort> in_ports_;
  std::vector<std::uint32_t> router_of_;  // by port
  std::vector<Channel> inputs_;           // by port and channel
  std::vector<Flit> buffers_;
  std::vector<std::int32_t> credits_;            // by port and channel; then by node and channel
  std::vector<std::uint64_t> waiting_, active_;  // bits of a router's channels
  std::vector<std::uint32_t> channel_in_, channel_out_;  // pointers of the allocators
  std::vector<std::uint32_t> switch_in_, switch_out_, switch_turn_;
  Scratch scratch_;
  std::vector<Packet> packets_;
  std::uint32_t unused_ = kNone;
  std::uint64_t undelivered_ = 0;  // packets
  std::vector<Delivery> deliveries_;
  std::vector<LinkPass> passes_;
  bool reports_links_ = false;
  NocCounts counts_;
  std::int64_t now_ = 0;  // the time of the current step
};

}  // namespace orrery::noc
