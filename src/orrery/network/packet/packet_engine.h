// SPDX-License-Identifier: Apache-2.0
//
// Packets in output queues: the events of the packet network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "orrery/network/packet/event_heap.h"
#include "orrery/network/packet/packet_route_pool.h"
#include "orrery/network/packet/packet_types.h"
#include "orrery/network/packet/reliability.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// Data packets since the begin. sent = received + dropped + trimmed + in flight.
struct PacketCounts {
  std::uint64_t sent = 0;      ///< each transmission
  std::uint64_t again = 0;     ///< of these, repeated ones
  std::uint64_t received = 0;  ///< at their receiver, repeated ones included
  std::uint64_t dropped = 0;
  std::uint64_t trimmed = 0;
  std::uint64_t marked = 0;
  std::uint64_t acknowledgements = 0;
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
    /// The sender has the acknowledgements of all packets of a message that has arrived.
    virtual void acknowledged(std::uint32_t /*token*/, std::int64_t /*now*/) {}
    virtual void carries(std::uint32_t link, std::int64_t from, std::int64_t until,
                         std::int64_t bytes) = 0;
  };
  static constexpr std::int64_t kNever = EventHeap::kNone;

  /// `settings` has a payload and a header. Without a window, each pair has its own: one unloaded
  /// round trip at the rate of its first link, at least 64 packets.
  PacketEngine(const platform::PacketSettings& settings, const std::vector<PacketLink>& links,
               std::shared_ptr<PacketRouter> router);

  /// Sends a message at `now`, after all events until then (run()).
  void post(const PacketPost& message, std::int64_t now, Report& report);
  /// Handles all events until `until`, which is at most next_arrival().
  void run(std::int64_t until, Report& report);
  /// No message arrives before this time, unless one is posted. kNever: nothing is in flight.
  [[nodiscard]] std::int64_t next_arrival() const;
  void report_links(bool on) { reports_links_ = on; }

  [[nodiscard]] const PacketCounts& counts() const { return counts_; }
  /// Data packets in queues and on links. O(packets).
  [[nodiscard]] std::uint64_t in_flight() const;
  /// Number of packets of a message.
  [[nodiscard]] std::int64_t packet_count(std::int64_t bytes) const {
    return std::max<std::int64_t>(1, bytes / payload_ + (bytes % payload_ != 0 ? 1 : 0));
  }
  /// Time to send `bytes` on the wire over a link, and then to reach its end, in picoseconds.
  [[nodiscard]] std::int64_t serial_time(std::uint32_t link, std::int64_t bytes) const {
    return serial(ports_[link], bytes);
  }
  [[nodiscard]] std::int64_t latency(std::uint32_t link) const { return ports_[link].latency; }

 private:
  static constexpr std::int64_t kOwnWindow = -1;  ///< no window is stated

  [[nodiscard]] std::int64_t serial(const Port& port, std::int64_t bytes) const;
  [[nodiscard]] std::uint32_t connection_of(std::uint32_t from, std::uint32_t to);
  [[nodiscard]] std::int64_t window_of(std::int64_t round_trip, double bytes_per_ps) const;
  [[nodiscard]] std::uint32_t take_packet();
  void release_packet(std::uint32_t number);
  void set_route(Packet& packet, PacketRoute route) const;
  [[nodiscard]] std::uint32_t link_of(const Packet& packet, std::uint32_t hop) const;
  // The sender:
  [[nodiscard]] bool may_send(std::uint32_t connection);
  void add_timer(std::uint32_t connection, std::int64_t at);
  void time_out(std::uint32_t connection);
  [[nodiscard]] std::int64_t unloaded_round_trip(const Connection& connection);
  void lose(std::uint32_t connection, std::uint64_t number);
  void release_messages(std::uint32_t connection);
  [[nodiscard]] std::uint32_t packet_bytes(const PacketMessage& message,
                                           std::uint64_t packet) const;
  [[nodiscard]] std::uint32_t make_packet(std::uint32_t connection);
  void choose_route(Connection& connection);
  void send_what_is_allowed(std::uint32_t connection);
  void take_turn(std::uint32_t connection);
  void acknowledged(const Packet& packet);
  // Ports:
  void enqueue(std::uint32_t port, std::uint32_t packet);
  [[nodiscard]] bool make_room(Port& port, std::uint32_t packet);
  void mark(const Port& port, Packet& packet);
  [[nodiscard]] double random();
  void append(Port& port, std::uint32_t packet);
  void transmit(std::uint32_t port, std::uint32_t packet);
  void serve(std::uint32_t port);
  void schedule_wake(std::uint32_t port);
  [[nodiscard]] static bool has_work(const Port& port);
  // The receiver:
  void receive(std::uint32_t packet);
  void receive_data(std::uint32_t packet);
  void receive_header(std::uint32_t packet);
  void answer(const Packet& packet, PacketKind kind, std::int64_t received);
  [[nodiscard]] static std::uint64_t full_number(std::uint64_t near, std::uint32_t number) {
    return near + static_cast<std::uint64_t>(std::int64_t{
                      static_cast<std::int32_t>(number - static_cast<std::uint32_t>(near))});
  }
  void on_last_link(const Packet& packet, std::int64_t arrival);
  [[nodiscard]] PacketMessage& message_of(const Connection& connection, std::uint32_t number);

  platform::PacketSettings settings_;
  std::int64_t payload_, header_, window_;
  CongestionLimits limits_;
  bool is_lossy_;  // queues of switches are limited
  PacketRoutePool routes_;
  EventHeap events_;
  std::vector<Packet> packets_;
  std::uint32_t unused_packet_ = kNoPacket;
  std::vector<Port> ports_;
  std::vector<Connection> connections_;
  std::unordered_map<std::uint64_t, std::uint32_t> connection_numbers_;  // by both end points
  std::vector<Reliability> reliability_;  // by connection; empty: no packet is lost
  std::vector<PacketMessage> messages_;
  std::uint32_t unused_message_ = kNoPacket;
  std::vector<std::int64_t> completions_;  // a heap: times of packets that may complete a message
  std::int64_t least_last_hop_;  // from the event that causes it to the arrival of a packet
  std::int64_t now_ = 0;
  std::uint64_t undelivered_ = 0;  // messages
  std::uint64_t samples_ = 0;      // random numbers so far
  Report* report_ = nullptr;       // during a call
  bool reports_links_ = false;
  PacketCounts counts_;
};

}  // namespace orrery::model
