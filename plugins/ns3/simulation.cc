// SPDX-License-Identifier: MIT
#include "simulation.h"

#include <algorithm>
#include <stdexcept>

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/ppp-header.h"

namespace orrery_ns3 {

namespace {

constexpr std::uint16_t kProtocol = 0x0800;  // PppHeader knows only numbers of IP

constexpr std::uint32_t kPppBytes = 2;
static_assert(ORRERY_NS3_LEAST_PACKET > kPppBytes);

}  // namespace

Simulation::Simulation(const OrreryNs3Setup& setup)
    : payload_(setup.payload),
      header_(setup.header),
      acknowledgement_(setup.acknowledgement),
      turns_(setup.turns != 0),
      links_(setup.links, setup.links + setup.link_count) {
  QueueSimulator::select(&events_);
  if (header_ < ORRERY_NS3_LEAST_PACKET || acknowledgement_ < ORRERY_NS3_LEAST_PACKET)
    throw std::invalid_argument("headers and acknowledgements have at least 3 bytes");
  if (payload_ < 1) throw std::invalid_argument("packets have no payload");
  for (std::uint32_t i = 0; i < setup.nodes; ++i) nodes_.push_back(ns3::CreateObject<ns3::Node>());
  ports_.resize(links_.size());
  for (std::uint32_t i = 0; i < links_.size(); ++i) add_link(links_[i], i);
  events_.run(0);  // ns-3 starts its nodes and devices
}

Simulation::~Simulation() {
  for (Port& port : ports_)
    if (port.queue) port.queue->pull = nullptr;
  for (const ns3::Ptr<ns3::Node>& node : nodes_) node->Dispose();
}

void Simulation::add_link(const OrreryNs3Link& link, std::uint32_t number) {
  if (link.from >= nodes_.size() || link.to >= nodes_.size() || link.delay_ps < 0)
    throw std::invalid_argument("a link has an unknown node or a negative delay");
  if (link.bits_per_second == 0) return;
  const auto channel = ns3::CreateObject<ns3::PointToPointChannel>();
  channel->SetAttribute("Delay", ns3::TimeValue(ns3::PicoSeconds(link.delay_ps)));
  const auto make_device = [&](std::uint32_t node) {
    const auto device = ns3::CreateObject<ns3::PointToPointNetDevice>();
    device->SetAddress(ns3::Mac48Address::Allocate());
    device->SetDataRate(ns3::DataRate(link.bits_per_second));
    nodes_[node]->AddDevice(device);
    return device;
  };
  Port& port = ports_[number];
  port.device = make_device(link.from);
  const auto end = make_device(link.to);
  port.queue = ns3::CreateObject<PortQueue>();
  port.queue->begins = [this, number](const ns3::Packet& packet) { begins(number, packet); };
  port.queue->is_urgent = [this](const ns3::Packet& packet) {
    return turns_ && travellers_.at(packet.GetUid()).is_acknowledgement;
  };
  if (turns_) port.queue->pull = [this, number] { return pull(number); };
  port.device->SetQueue(port.queue);
  port.device->Attach(channel);
  end->SetQueue(ns3::CreateObject<PortQueue>());
  end->Attach(channel);
  end->SetReceiveCallback(ns3::MakeCallback(&Simulation::receive, this));
}

void Simulation::check_route(const std::uint32_t* links, std::size_t count) const {
  if (count == 0) throw std::invalid_argument("a route has no link");
  for (std::size_t i = 0; i < count; ++i) {
    if (links[i] >= links_.size() || !ports_[links[i]].device)
      throw std::invalid_argument("a route has an unknown link, or one without bandwidth");
    if (i > 0 && links_[links[i - 1]].to != links_[links[i]].from)
      throw std::invalid_argument("the links of a route do not follow each other");
  }
}

std::uint32_t Simulation::connect(const OrreryNs3Connection& made) {
  check_route(made.forth, made.forth_count);
  check_route(made.back, made.back_count);
  Connection& connection = connections_.emplace_back();
  connection.forth.assign(made.forth, made.forth + made.forth_count);
  connection.back.assign(made.back, made.back + made.back_count);
  connection.window = made.window;
  return static_cast<std::uint32_t>(connections_.size() - 1);
}

void Simulation::send(std::int64_t now, std::uint32_t number, std::int64_t bytes,
                      std::uint32_t token) {
  if (number >= connections_.size()) throw std::invalid_argument("there is no such connection");
  if (bytes < 0) throw std::invalid_argument("a message has a negative size");
  events_.run(now);
  const std::int64_t full = bytes / payload_ + (bytes % payload_ != 0 ? 1 : 0);
  const auto packets = static_cast<std::uint64_t>(std::max<std::int64_t>(1, full));
  connections_[number].messages.push_back({bytes, packets, packets, token});
  send_what_is_allowed(number);
}

std::uint32_t Simulation::next_size(const Connection& connection) const {
  const Message& message = connection.messages[connection.sending - connection.first];
  return static_cast<std::uint32_t>(std::min(message.unsent, payload_) + header_);
}

bool Simulation::may_send(const Connection& connection) const {
  if (connection.sending == connection.first + connection.messages.size()) return false;
  return connection.in_flight == 0 || connection.window == 0 ||
         connection.in_flight + next_size(connection) <= connection.window;
}

/// The next packet of a connection that may send, without ns-3's header.
ns3::Ptr<ns3::Packet> Simulation::make_packet(std::uint32_t number) {
  Connection& connection = connections_[number];
  const std::uint32_t size = next_size(connection);
  Message& message = connection.messages[connection.sending - connection.first];
  const auto packet = ns3::Create<ns3::Packet>(size - kPppBytes);
  travellers_[packet->GetUid()] = {number, 0, connection.sending, size, false};
  message.unsent -= size - header_;
  connection.in_flight += size;
  if (--message.to_send == 0) ++connection.sending;
  ++packets_sent_;
  return packet;
}

void Simulation::put(std::uint32_t link, const ns3::Ptr<ns3::Packet>& packet) {
  const Port& port = ports_[link];
  port.device->Send(packet, port.device->GetBroadcast(), kProtocol);
}

void Simulation::send_what_is_allowed(std::uint32_t number) {
  if (turns_) return take_turn(number);
  while (may_send(connections_[number])) {
    const ns3::Ptr<ns3::Packet> packet = make_packet(number);
    put(connections_[number].forth[0], packet);
  }
}

/// A sender with a packet sends it if the link is idle; else it waits for its turn.
void Simulation::take_turn(std::uint32_t number) {
  Connection& connection = connections_[number];
  if (connection.has_turn || !may_send(connection)) return;
  Port& port = ports_[connection.forth[0]];
  if (!port.queue->is_busy()) put(connection.forth[0], make_packet(number));
  if (connection.has_turn || !may_send(connection)) return;
  connection.has_turn = true;
  port.senders.push_back(number);
}

ns3::Ptr<ns3::Packet> Simulation::pull(std::uint32_t link) {
  Port& port = ports_[link];
  if (port.senders.empty()) return nullptr;
  const std::uint32_t number = port.senders.front();
  port.senders.pop_front();
  connections_[number].has_turn = false;
  const ns3::Ptr<ns3::Packet> packet = make_packet(number);
  ns3::PppHeader header;
  header.SetProtocol(0x0021);  // as the device does for kProtocol
  packet->AddHeader(header);
  if (may_send(connections_[number])) {
    connections_[number].has_turn = true;
    port.senders.push_back(number);
  }
  return packet;
}

bool Simulation::receive(ns3::Ptr<ns3::NetDevice> /*device*/, ns3::Ptr<const ns3::Packet> packet,
                         std::uint16_t /*protocol*/, const ns3::Address& /*from*/) {
  const auto found = travellers_.find(packet->GetUid());
  Traveller& traveller = found->second;
  const Connection& connection = connections_[traveller.connection];
  const auto& route = traveller.is_acknowledgement ? connection.back : connection.forth;
  if (++traveller.hop < route.size()) {
    put(route[traveller.hop], packet->Copy());
    return true;
  }
  const Traveller last = traveller;
  travellers_.erase(found);
  deliver(last);
  return true;
}

void Simulation::deliver(Traveller traveller) {
  Connection& connection = connections_[traveller.connection];
  if (traveller.is_acknowledgement) {
    connection.in_flight -= traveller.size;
    return send_what_is_allowed(traveller.connection);
  }
  const auto answer = ns3::Create<ns3::Packet>(acknowledgement_ - kPppBytes);
  traveller.is_acknowledgement = true;
  traveller.hop = 0;
  travellers_[answer->GetUid()] = traveller;
  put(connection.back[0], answer);
  Message& message = connection.messages[traveller.message - connection.first];
  if (--message.to_receive > 0) return;
  arrivals_.push_back(message.token);
  while (!connection.messages.empty() && connection.messages.front().to_receive == 0) {
    connection.messages.pop_front();
    ++connection.first;
  }
}

void Simulation::begins(std::uint32_t link, const ns3::Packet& packet) {
  if (!records_transfers_) return;
  const Traveller& traveller = travellers_.at(packet.GetUid());
  const std::int64_t payload = std::int64_t{traveller.size} - header_;
  if (traveller.is_acknowledgement || payload <= 0) return;
  const std::int64_t time = ns3::DataRate(links_[link].bits_per_second)
                                .CalculateBytesTxTime(packet.GetSize())
                                .GetTimeStep();
  transfers_.push_back({link, events_.now(), events_.now() + time, payload});
}

const std::vector<std::uint32_t>& Simulation::take_arrivals() {
  taken_arrivals_.clear();
  taken_arrivals_.swap(arrivals_);
  return taken_arrivals_;
}

const std::vector<OrreryNs3Transfer>& Simulation::take_transfers() {
  taken_transfers_.clear();
  taken_transfers_.swap(transfers_);
  return taken_transfers_;
}

}  // namespace orrery_ns3
