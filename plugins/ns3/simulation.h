// SPDX-License-Identifier: MIT
//
// Links, connections and messages as devices and packets of ns-3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "event_queue.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"
#include "orrery_ns3.h"
#include "port_queue.h"

namespace orrery_ns3 {

/// One simulation. Each link is a channel of its own with two devices of ns-3, of which one sends.
/// QueueSimulator::select() has selected its queue during each call.
class Simulation {
 public:
  explicit Simulation(const OrreryNs3Setup& setup);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  /// Throws std::invalid_argument for a route of links that do not follow each other.
  std::uint32_t connect(const OrreryNs3Connection& connection);
  void send(std::int64_t now, std::uint32_t connection, std::int64_t bytes, std::uint32_t token);
  void advance(std::int64_t until) { events_.run(until); }

  [[nodiscard]] EventQueue& events() { return events_; }
  [[nodiscard]] const EventQueue& events() const { return events_; }
  [[nodiscard]] std::uint64_t packets_sent() const { return packets_sent_; }
  [[nodiscard]] const std::vector<std::uint32_t>& take_arrivals();
  [[nodiscard]] const std::vector<OrreryNs3Transfer>& take_transfers();
  void record_transfers(bool on) { records_transfers_ = on; }

 private:
  struct Message {
    std::int64_t unsent = 0;       ///< bytes
    std::uint64_t to_send = 0;     ///< packets
    std::uint64_t to_receive = 0;  ///< packets
    std::uint32_t token = 0;
  };
  struct Connection {
    std::vector<std::uint32_t> forth, back;
    std::int64_t window = 0;
    std::int64_t in_flight = 0;  ///< bytes on the wire that are not acknowledged
    std::deque<Message> messages;
    std::uint64_t first = 0;    ///< number of the first message of the list
    std::uint64_t sending = 0;  ///< number of the message that sends
    bool has_turn = false;
  };
  struct Port {
    ns3::Ptr<ns3::PointToPointNetDevice> device;
    ns3::Ptr<PortQueue> queue;
    std::deque<std::uint32_t> senders;  ///< connections that take turns
  };
  /// What travels, by the number that ns-3 gives to a packet.
  struct Traveller {
    std::uint32_t connection = 0;
    std::uint32_t hop = 0;
    std::uint64_t message = 0;
    std::uint32_t size = 0;  ///< of the data packet, on the wire
    bool is_acknowledgement = false;
  };

  void add_link(const OrreryNs3Link& link, std::uint32_t number);
  void check_route(const std::uint32_t* links, std::size_t count) const;
  [[nodiscard]] std::uint32_t next_size(const Connection& connection) const;
  [[nodiscard]] bool may_send(const Connection& connection) const;
  [[nodiscard]] ns3::Ptr<ns3::Packet> make_packet(std::uint32_t connection);
  [[nodiscard]] ns3::Ptr<ns3::Packet> pull(std::uint32_t link);
  void send_what_is_allowed(std::uint32_t connection);
  void take_turn(std::uint32_t connection);
  void put(std::uint32_t link, const ns3::Ptr<ns3::Packet>& packet);
  bool receive(ns3::Ptr<ns3::NetDevice> device, ns3::Ptr<const ns3::Packet> packet,
               std::uint16_t protocol, const ns3::Address& from);
  void deliver(Traveller traveller);
  void begins(std::uint32_t link, const ns3::Packet& packet);

  EventQueue events_;
  std::int64_t payload_, header_, acknowledgement_;
  bool turns_;
  std::vector<OrreryNs3Link> links_;
  std::vector<ns3::Ptr<ns3::Node>> nodes_;
  std::vector<Port> ports_;  ///< by link
  std::vector<Connection> connections_;
  std::unordered_map<std::uint64_t, Traveller> travellers_;
  std::vector<std::uint32_t> arrivals_, taken_arrivals_;
  std::vector<OrreryNs3Transfer> transfers_, taken_transfers_;
  bool records_transfers_ = false;
  std::uint64_t packets_sent_ = 0;
};

}  // namespace orrery_ns3
