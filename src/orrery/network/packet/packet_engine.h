// SPDX-License-Identifier: Apache-2.0
//
// Packets in output queues: the events of the packet network.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "orrery/core/packet_record.h"
#include "orrery/network/packet/event_heap.h"
#include "orrery/network/packet/packet_buffers.h"
#include "orrery/network/packet/packet_monitor.h"
#include "orrery/network/packet/packet_route_pool.h"
#include "orrery/network/packet/packet_types.h"
#include "orrery/network/packet/reliability.h"
#include "orrery/platform/packet_rules.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// Data packets since the begin. sent = received + dropped + trimmed + in flight.
struct PacketCounts {
  std::uint64_t sent = 0;       ///< each transmission
  std::uint64_t again = 0;      ///< of these, repeated ones
  std::uint64_t received = 0;   ///< at their receiver, repeated ones included
  std::uint64_t discarded = 0;  ///< of these, out of order (go-back-N)
  std::uint64_t dropped = 0;
  std::array<std::uint64_t, kPacketDrops> dropped_by = {};  ///< by PacketDrop; sum: dropped
  std::uint64_t trimmed = 0;
  std::uint64_t marked = 0;
  std::uint64_t acknowledgements = 0;
  std::uint64_t notifications = 0;  ///< of congestion, sent by receivers
  std::uint64_t credits = 0;
  std::uint64_t pauses = 0;
  std::int64_t paused = 0;         ///< picoseconds, of all links whose pauses have ended
  std::int64_t longest_queue = 0;  ///< bytes, of one priority of a switch's port
  std::uint64_t gave_up = 0;       ///< connections, after too many timeouts
  std::uint64_t events = 0;
};

/// Splits messages into packets and forwards them, link by link. A node sends a packet on when it
/// has received it completely (store and forward). A link sends one packet after another, at its
/// rate: first urgent ones (acknowledgements, pauses, credits), then by priority, in order of
/// arrival.
///
/// All messages of one priority of a pair of end points are one connection with one window. A
/// message arrives when its last packet does.
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

  /// `settings` has a payload and a header. Without a window, pairs of transport `window` have
  /// `usual_window` packets. Without that, each pair has its own: one unloaded round trip at the
  /// rate of its first link, at least 64 packets. `may_fail`: links may fail later (set_link()), so
  /// that packets are lost.
  PacketEngine(const platform::PacketSettings& settings, const std::vector<PacketLink>& links,
               std::shared_ptr<PacketRouter> router, bool may_fail = false,
               std::optional<std::int64_t> usual_window = {});

  /// Appends a link, and `back`, the link in the other direction, unless it is null. Returns the
  /// number of the first. `PacketLink::reverse` is ignored.
  std::uint32_t add_link(const PacketLink& link, const PacketLink* back);
  /// Sends a message at `now`, after all events until then (run()).
  void post(const PacketPost& message, std::int64_t now, Report& report);
  /// Handles all events until `until`, which is at most next_arrival().
  void run(std::int64_t until, Report& report);
  /// As run(), but also ends after the event by which `connection` has sent its packets before
  /// `number`. False: `until` came first.
  bool run_until_sent(std::uint32_t connection, std::uint64_t number, std::int64_t until,
                      Report& report);
  /// No message arrives before this time, unless one is posted or a link changes. kNever: nothing
  /// is in flight.
  [[nodiscard]] std::int64_t next_arrival() const;
  /// Messages that have not arrived.
  [[nodiscard]] std::uint64_t undelivered() const { return undelivered_; }
  void report_links(bool on) { reports_links_ = on; }
  /// No packet, acknowledgement or pause is on its way, and none follows unless a message is
  /// posted. What happens later does not depend on what happened before, if is_memoryless().
  [[nodiscard]] bool is_quiet() const {
    return used_packets_ == 0 && unacknowledged_ == 0 && notifies_ == 0;
  }
  /// is_quiet(): since when.
  [[nodiscard]] std::int64_t quiet_since() const { return quiet_since_; }
  [[nodiscard]] std::int64_t now() const { return now_; }
  /// Records what happens from now on.
  void record() {
    if (!monitor_) monitor_.emplace(ports_.size());
  }
  /// What happened until the end of the last run(). Empty: it was not recorded.
  [[nodiscard]] std::optional<PacketRecord> recorded() const;
  [[nodiscard]] PacketTotals totals() const;
  [[nodiscard]] const std::vector<PauseSpread>& pause_spreads() const { return buffers_.spreads; }
  /// How much the congestion control of one transport did.
  struct ControlUse {
    platform::PacketTransport transport = platform::PacketTransport::window;
    std::uint64_t connections = 0;
    std::uint64_t reductions = 0;  ///< of windows and rates
    bool acted = false;            ///< it reduced a window or a rate, or a sender lacked credit
  };
  /// By rules: of all links, then of classes.
  [[nodiscard]] std::vector<ControlUse> control_use() const;

  /// From `now` on, the link has this share of its bandwidth. 0: it is down, and loses the packets
  /// in its queue and those that reach it. `may_fail` is true. Follow it with reroute() or wake().
  void set_link(std::uint32_t link, double share, std::int64_t now);
  /// From `now` on, new packets use the routes of another state of faults.
  void reroute(std::uint32_t state, std::int64_t now, Report& report);

  // Steady states (packet_steady.cc):
  /// A later bound than next_arrival(), by the packets that every message still needs.
  /// O(messages).
  [[nodiscard]] std::int64_t earliest_arrival() const;
  /// The connection with most packets to send, if these are at least `least`; else kNoPacket.
  [[nodiscard]] std::uint32_t longest_sender(std::uint64_t least) const;
  [[nodiscard]] bool is_sending(std::uint32_t connection) const {
    return connections_[connection].sending != kNoPacket;
  }
  /// The number of the next packet of a connection.
  [[nodiscard]] std::uint64_t next_packet(std::uint32_t connection) const {
    return connections_[connection].next;
  }
  /// Appends what determines all events from now on, relative to now() and to the numbers of
  /// packets, except how many packets senders still have. False: something depends on that, as
  /// while packets of two messages of a connection are in flight, or after a loss. O(packets).
  [[nodiscard]] bool append_state(std::vector<std::uint64_t>& state) const;
  /// The number of the next packet, by connection.
  void append_progress(std::vector<std::uint64_t>& next) const;
  /// How often all connections can send as many full packets as `sent` says, by connection, before
  /// the end of a message is near.
  [[nodiscard]] std::int64_t periods_left(const std::vector<std::uint64_t>& sent) const;
  /// Removes `times` times the packets `sent` from the messages that are being sent.
  void skip(const std::vector<std::uint64_t>& sent, std::uint64_t times);

  [[nodiscard]] const PacketCounts& counts() const { return counts_; }
  /// Data packets in queues and on links. O(packets).
  [[nodiscard]] std::uint64_t in_flight() const;
  /// The bytes in the queue of a link, of all priorities.
  [[nodiscard]] std::int64_t waiting(std::uint32_t link) const;
  /// Links that wait for each other because of pauses, in order. Empty: there is no such cycle.
  /// O(packets).
  [[nodiscard]] std::vector<std::uint32_t> paused_cycle() const;
  /// Number of packets of a message.
  [[nodiscard]] std::int64_t packet_count(std::int64_t bytes) const {
    return std::max<std::int64_t>(1, bytes / payload_ + (bytes % payload_ != 0 ? 1 : 0));
  }
  /// Time to send `bytes` on the wire over a link without a fault, and then to reach its end, in
  /// picoseconds.
  [[nodiscard]] std::int64_t serial_time(std::uint32_t link, std::int64_t bytes) const {
    return serial_of(1e3 / links_[link].bytes_per_ns, bytes);
  }
  [[nodiscard]] std::int64_t latency(std::uint32_t link) const { return ports_[link].latency; }

 private:
  static constexpr std::int64_t kOwnWindow = -1;  ///< each pair has its own
  static constexpr std::uint32_t kPauseBytes =
      64;  ///< smallest Ethernet frame (IEEE 802.3, 802.1Qbb)

  void add_rules(const platform::PacketRules& rules);
  void add_port(const PacketLink& link, const PacketLink* back);
  [[nodiscard]] std::int64_t serial(const Port& port, std::int64_t bytes) const {
    return bytes == limits_.front().packet ? port.full : serial_of(port.ps_per_byte, bytes);
  }
  [[nodiscard]] static std::int64_t serial_of(double ps_per_byte, std::int64_t bytes);
  [[nodiscard]] std::uint32_t connection_of(const PacketPost& message);
  [[nodiscard]] std::uint8_t rules_of(const PacketRoute& route) const;
  [[nodiscard]] std::int64_t window_of(platform::PacketTransport transport, std::int64_t round_trip,
                                       double bytes_per_ps) const;
  [[nodiscard]] std::uint32_t take_packet();
  void release_packet(std::uint32_t number);
  void set_route(Packet& packet, const PacketRoute& route) const;
  [[nodiscard]] std::uint32_t link_of(const Packet& packet, std::uint32_t hop) const;
  void step();
  void handle(const PacketEvent& event);
  void append_events(std::vector<std::uint64_t>& state) const;
  void append_packet(std::uint32_t packet, std::vector<std::uint64_t>& state) const;
  void append_port(std::uint32_t port, std::vector<std::uint64_t>& state) const;
  [[nodiscard]] bool append_connection(const Connection& connection, std::uint32_t number,
                                       std::vector<std::uint64_t>& state) const;
  // The sender:
  [[nodiscard]] bool may_send(std::uint32_t connection);
  [[nodiscard]] bool is_paced(std::uint32_t connection);
  void add_timer(std::uint32_t connection, std::int64_t at);
  void time_out(std::uint32_t connection);
  void back_off(Connection& connection);
  [[nodiscard]] std::int64_t unloaded_round_trip(const Connection& connection,
                                                 const PacketRoute& forth);
  void lose(std::uint32_t connection, std::uint64_t number);
  void go_back(std::uint32_t connection, std::uint64_t number);
  void release_messages(std::uint32_t connection);
  [[nodiscard]] std::uint32_t packet_bytes(const PacketMessage& message,
                                           std::uint64_t packet) const;
  [[nodiscard]] std::uint32_t make_packet(std::uint32_t connection);
  void fill_packet(std::uint32_t connection, Packet& packet);
  void note_repeated(const Connection& connection, const Packet& packet);
  void choose_route(Connection& connection);
  void send_what_is_allowed(std::uint32_t connection);
  void take_turn(std::uint32_t connection);
  void acknowledged(const Packet& packet, std::uint32_t number);
  void report_lost(const Packet& packet);
  [[nodiscard]] std::int64_t take_acknowledged(const Packet& packet);
  // Ports:
  void enqueue(std::uint32_t port, std::uint32_t packet);
  [[nodiscard]] PacketQueue& queue_of(std::uint32_t port, std::uint32_t priority) {
    return queues_[port * priorities_ + priority];
  }
  [[nodiscard]] std::int64_t queue_limit(const Port& port) const;
  [[nodiscard]] bool make_room(std::uint32_t port, std::uint32_t packet);
  void drop(std::uint32_t port, std::uint32_t packet, PacketDrop why);
  void mark(std::uint32_t port, const PacketQueue& queue, Packet& packet);
  [[nodiscard]] double random();
  void append(std::uint32_t port, std::uint32_t packet);
  void transmit(std::uint32_t port, std::uint32_t packet);
  void write_load(std::uint32_t port, std::uint32_t packet);
  void choose_link(std::uint32_t packet);
  void serve(std::uint32_t port);
  [[nodiscard]] std::uint32_t pick_priority(std::uint32_t port, std::uint32_t ready);
  void send_first(std::uint32_t port, std::uint32_t priority);
  void schedule_wake(std::uint32_t port);
  [[nodiscard]] static std::uint32_t ready(const Port& port) {
    return port.is_down ? 0u : (port.has_packets | port.has_senders) & ~std::uint32_t{port.paused};
  }
  [[nodiscard]] static bool has_work(const Port& port) {
    return ready(port) != 0 || (port.first != kNoPacket && !port.is_down);
  }
  void empty_queues(std::uint32_t port);
  // Shared buffers and priority flow control:
  [[nodiscard]] std::uint32_t incoming_link(const Packet& packet) const;
  [[nodiscard]] double threshold(std::uint32_t node) const;
  [[nodiscard]] bool hold(std::uint32_t port, std::uint32_t packet);
  void release_held(const Port& port, Packet& packet);
  void send_pause(std::uint32_t link, std::uint32_t priority, bool begins);
  void receive_pause(const Packet& packet);
  void forget_pauses(std::uint32_t link);
  void set_paused(std::uint32_t link, std::uint8_t priorities);
  void note_cause(std::uint32_t port, std::uint32_t link, std::uint32_t priority);
  /// Of a run that is recorded. Out of line, so that others pay for one comparison only.
  [[gnu::cold, gnu::noinline]] void record_event(std::uint32_t port,
                                                 std::uint64_t PortPackets::*what) {
    monitor_->count(port, now_, what);
  }
  [[gnu::cold, gnu::noinline]] void record_queue(std::uint32_t port) {
    monitor_->queue(port, now_, waiting(port));
  }
  void note_queue(std::uint32_t port) {
    if (monitor_) [[unlikely]]
      record_queue(port);
  }
  // The receiver:
  void receive(std::uint32_t packet);
  void receive_data(std::uint32_t packet);
  void receive_in_order(const Packet& packet, std::uint32_t number);
  void accept_data(const Packet& packet, std::uint32_t number, std::int64_t received);
  void receive_header(std::uint32_t packet);
  void notify(std::uint32_t connection);
  void delay_answer(const Packet& packet);
  void flush(std::uint32_t connection);
  void request_credit(std::uint32_t connection, std::int64_t request, std::int64_t again);
  void grant_credit(std::uint32_t end_point);
  /// `source`: of the loads that switches have written; kNoPacket: none.
  void answer(const Packet& packet, PacketKind kind, std::int64_t received,
              std::uint32_t source = kNoPacket);
  [[nodiscard]] static std::uint64_t full_number(std::uint64_t near, std::uint32_t number) {
    return near + static_cast<std::uint64_t>(std::int64_t{
                      static_cast<std::int32_t>(number - static_cast<std::uint32_t>(near))});
  }
  void on_last_link(const Packet& packet, std::int64_t arrival);
  [[nodiscard]] PacketMessage& message_of(const Connection& connection, std::uint32_t number);

  platform::PacketSettings settings_;
  std::int64_t payload_, header_;
  std::int64_t window_;                       // of all pairs, if the settings state it, in bytes
  std::int64_t usual_window_;                 // of those with transport `window`
  std::vector<platform::PacketRules> rules_;  // of all links, then of classes
  std::vector<CongestionLimits> limits_;      // by rules
  std::array<std::uint8_t, platform::kLinkClasses> rules_by_class_ = {};
  std::uint32_t priorities_ = 1;
  bool is_lossy_;      // packets may be dropped
  bool is_adaptive_;   // switches choose routes
  bool writes_loads_;  // switches write their load into packets
  bool goes_back_;
  bool has_changed_ = false;  // a fault began or ended
  PacketRoutePool routes_;
  EventHeap events_;
  std::vector<Packet> packets_;
  std::vector<std::array<LinkLoadRecord, kLoadRecords>> loads_;  // by packet, if written
  std::uint32_t unused_packet_ = kNoPacket;
  std::vector<Port> ports_;
  std::vector<PacketQueue> queues_;  // by port and priority
  std::vector<PacketLink> links_;
  std::vector<std::int64_t> carried_;  // by link: bytes so far, if loads are written
  SharedBuffers buffers_;
  std::vector<Connection> connections_;
  std::unordered_map<std::uint64_t, std::uint32_t> connection_numbers_;  // by priority and ends
  std::vector<Reliability> reliability_;  // by connection; empty: no packet is lost
  std::vector<CreditPacer> pacers_;       // by end point, as far as needed
  std::vector<PacketMessage> messages_;
  std::uint32_t unused_message_ = kNoPacket;
  std::vector<std::int64_t> completions_;  // a heap: times of packets that may complete a message
  std::int64_t least_last_hop_;  // from the event that causes it to the arrival of a packet
  std::int64_t now_ = 0;
  std::uint64_t undelivered_ = 0;     // messages
  std::uint64_t unacknowledged_ = 0;  // messages
  std::uint64_t used_packets_ = 0;    // of packets_
  std::uint64_t notifies_ = 0;        // events kNotify that follow
  std::int64_t quiet_since_ = 0;      // the last time at which used_packets_ became 0
  std::uint64_t samples_ = 0;         // random numbers so far
  Report* report_ = nullptr;          // during a call
  bool reports_links_ = false;
  PacketCounts counts_;
  std::optional<PacketMonitor> monitor_;  // while it records
};

}  // namespace orrery::model
