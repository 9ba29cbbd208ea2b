// SPDX-License-Identifier: Apache-2.0
//
// Packets in output queues: the events of the packet network.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "orrery/network/packet/event_heap.h"
#include "orrery/network/packet/packet_routes.h"
#include "orrery/network/packet/packet_types.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// Packets since the begin. sent = received + dropped + in flight.
struct PacketCounts {
  std::uint64_t sent = 0;      ///< data packets, each transmission
  std::uint64_t received = 0;  ///< data packets at their receiver
  std::uint64_t dropped = 0;
  std::uint64_t events = 0;
};

/// Splits messages into packets and forwards them, link by link. A node sends a packet on when it
/// has received it completely (store and forward). A link sends one packet after another, at its
/// rate, in order of arrival; urgent packets (acknowledgements) before others.
///
/// All messages of a pair of end points are one connection with one window. A message arrives when
/// its last packet does.
///
/// Times are whole picoseconds. Events of one time happen in the order in which they were caused.
class PacketEngine {
 public:
  /// Where the packets of `observer` report their bytes, and where arrivals go.
  struct Report {
    virtual ~Report() = default;
    virtual void arrives(std::uint32_t token) = 0;
    virtual void carries(std::uint32_t link, std::int64_t from, std::int64_t until,
                         std::int64_t bytes) = 0;
  };
  static constexpr std::int64_t kNever = EventHeap::kNone;

  PacketEngine(const platform::PacketSettings& settings, std::shared_ptr<FabricRoutes> routes);

  /// Sends a message at `now`, after all events until then (run()).
  void post(const Send& message, std::int64_t now, Report& report);
  /// Handles all events until `until`, which is at most next_arrival().
  void run(std::int64_t until, Report& report);
  /// No message arrives before this time, unless one is posted. kNever: nothing is in flight.
  [[nodiscard]] std::int64_t next_arrival() const;
  void report_links(bool on) { reports_links_ = on; }

  [[nodiscard]] const PacketCounts& counts() const { return counts_; }
  /// Data packets in queues and on links. O(packets).
  [[nodiscard]] std::uint64_t in_flight() const;
  [[nodiscard]] const PacketRoutes& routes() const { return routes_; }
  /// Picoseconds without contention: see PacketNetwork.
  [[nodiscard]] std::int64_t uncontended_time(EndPoint from, EndPoint to,
                                              std::int64_t bytes) const;

 private:
  [[nodiscard]] std::int64_t serial(const Port& port, std::int64_t bytes) const;
  [[nodiscard]] std::uint32_t connection_of(EndPoint from, EndPoint to);
  [[nodiscard]] std::uint32_t take_packet();
  void release_packet(std::uint32_t number);
  void set_route(Packet& packet, PacketRoute route) const;
  [[nodiscard]] std::uint32_t link_of(const Packet& packet, std::uint32_t hop) const;
  // The sender:
  [[nodiscard]] bool may_send(const Connection& connection) const;
  [[nodiscard]] std::uint32_t packet_bytes(const PacketMessage& message, std::uint64_t packet) const;
  [[nodiscard]] std::uint32_t make_packet(std::uint32_t connection);
  void choose_route(Connection& connection);
  void send_what_is_allowed(std::uint32_t connection);
  void take_turn(std::uint32_t connection);
  void acknowledged(const Packet& packet);
  // Ports:
  void enqueue(std::uint32_t port, std::uint32_t packet);
  void append(Port& port, std::uint32_t packet);
  void transmit(std::uint32_t port, std::uint32_t packet);
  void serve(std::uint32_t port);
  void schedule_wake(std::uint32_t port);
  [[nodiscard]] static bool has_work(const Port& port);
  // The receiver:
  void receive(std::uint32_t packet);
  void receive_data(std::uint32_t packet);
  void acknowledge(std::uint32_t connection, const Packet& packet);
  void on_last_link(const Packet& packet, std::int64_t arrival);
  [[nodiscard]] PacketMessage& message_of(const Connection& connection, std::uint32_t number);

  platform::PacketSettings settings_;
  std::int64_t payload_, header_, window_;
  PacketRoutes routes_;
  EventHeap events_;
  std::vector<Packet> packets_;
  std::uint32_t unused_packet_ = kNoPacket;
  std::vector<Port> ports_;
  std::vector<Connection> connections_;
  std::unordered_map<std::uint64_t, std::uint32_t> connection_numbers_;  // by both end points
  std::vector<PacketMessage> messages_;
  std::uint32_t unused_message_ = kNoPacket;
  std::vector<std::int64_t> completions_;  // a heap: times of packets that may complete a message
  std::int64_t least_last_hop_;  // from the event that causes it to the arrival of a packet
  std::int64_t now_ = 0;
  Report* report_ = nullptr;  // during a call
  bool reports_links_ = false;
  PacketCounts counts_;
};

}  // namespace orrery::model
