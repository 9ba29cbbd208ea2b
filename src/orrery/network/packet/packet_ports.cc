// SPDX-License-Identifier: Apache-2.0
//
// The ports of the packet network: queues, marks, losses and the order of packets.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "orrery/core/random.h"
#include "orrery/network/packet/packet_engine.h"

namespace orrery::model {

void PacketEngine::enqueue(std::uint32_t number, std::uint32_t packet) {
  Port& port = ports_[number];
  Packet& added = packets_[packet];
  if (port.is_down) return drop(number, packet, PacketDrop::link_down);
  const bool is_data = added.kind == PacketKind::data;
  const bool may_go = !is_data || (port.paused >> added.priority & 1) == 0;
  if (port.idle_at <= now_ && !port.is_waking && may_go) return transmit(number, packet);
  if (is_data && port.is_switch && !make_room(number, packet)) return;
  if (is_data && buffers_.pauses && !port.is_switch && !hold(number, packet)) return;
  append(number, packet);
  schedule_wake(number);
}

double PacketEngine::random() {
  return uniform_double(
      mix_bits(mix_bits(static_cast<std::uint64_t>(settings_.seed)) + ++samples_));
}

void PacketEngine::drop(std::uint32_t port, std::uint32_t number, PacketDrop why) {
  static constexpr std::uint64_t PortPackets::*kColumns[kPacketDrops] = {
      &PortPackets::dropped_no_room, &PortPackets::dropped_no_headroom,
      &PortPackets::dropped_link_down};
  if (packets_[number].kind == PacketKind::data) {
    ++counts_.dropped;
    ++counts_.dropped_by[static_cast<std::size_t>(why)];
    if (monitor_) record_event(port, kColumns[static_cast<std::size_t>(why)]);
  }
  release_packet(number);
}

/// The bytes of one queue of the port.
std::int64_t PacketEngine::queue_limit(const Port& port) const {
  const std::int64_t own = rules_[port.rules].queue.count();
  const std::int64_t limit = own > 0 ? own : std::numeric_limits<std::int64_t>::max();
  if (buffers_.size == 0) return limit;
  return std::min(limit, static_cast<std::int64_t>(threshold(port.node)));
}

/// If the queue of the port has no room for the packet, drops it, or trims it or the last one in
/// the queue. False: the packet is dropped.
bool PacketEngine::make_room(std::uint32_t at, std::uint32_t number) {
  Port& port = ports_[at];
  const platform::PacketRules& rules = rules_[port.rules];
  if (rules.pfc) return hold(at, number);
  if (rules.queue.count() == 0 && buffers_.size == 0) return true;
  Packet* packet = &packets_[number];
  PacketQueue& queue = queue_of(at, packet->priority);
  const std::int64_t length = queue.waiting + (port.idle_at > now_ ? port.serving : 0);
  std::int64_t* const used = buffers_.size > 0 ? &buffers_.used[port.node] : nullptr;
  if (length + packet->size <= queue_limit(port)) {
    packet->is_held = used != nullptr;
    if (used != nullptr) *used += packet->size;
    return true;
  }
  if (!rules.trims) {
    drop(at, number, PacketDrop::no_room);
    return false;
  }
  ++counts_.trimmed;
  if (monitor_) record_event(at, &PortPackets::trimmed);
  if (queue.first != kNoPacket && random() < 0.5) {
    // The last packet of the queue is trimmed, and this one takes its place.
    Packet& last = packets_[queue.last];
    if (last.kind == PacketKind::data) {
      const std::int64_t more = std::int64_t{packet->size} - last.size;
      queue.waiting += more;
      if (used != nullptr) *used += more;
      std::swap(*packet, last);
      std::swap(packet->next, last.next);
      last.is_held = packet->is_held;
      note_queue(at);
    }
  }
  packet->kind = PacketKind::header;
  packet->size = static_cast<std::uint32_t>(header_);
  packet->marked = true;
  packet->is_held = false;
  return true;
}

/// Marks a packet that leaves the queue of a switch, by the length of the queue: with a probability
/// that rises linearly between two lengths, always above (Floyd and Jacobson, "Random Early
/// Detection Gateways for Congestion Avoidance", IEEE/ACM ToN 1(4), 1993, on the current length).
void PacketEngine::mark(std::uint32_t at, const PacketQueue& queue, Packet& packet) {
  counts_.longest_queue = std::max(counts_.longest_queue, queue.waiting);
  const platform::PacketRules& rules = rules_[ports_[at].rules];
  if (queue.waiting <= rules.mark_from.count() || packet.marked) return;
  const double from = static_cast<double>(rules.mark_from.count());
  const double to = static_cast<double>(rules.mark_to.count());
  const double length = static_cast<double>(queue.waiting);
  if (to <= 0 || length <= from || packet.marked) return;
  if (length < to && random() >= rules.mark_most * (length - from) / (to - from)) return;
  packet.marked = true;
  ++counts_.marked;
  if (monitor_) record_event(at, &PortPackets::marked);
}

void PacketEngine::append(std::uint32_t at, std::uint32_t number) {
  Port& port = ports_[at];
  Packet& packet = packets_[number];
  packet.next = kNoPacket;
  if (packet.kind != PacketKind::data && settings_.posting != platform::PacketPosting::fifo) {
    (port.first == kNoPacket ? port.first : packets_[port.last].next) = number;
    port.last = number;
    return;
  }
  PacketQueue& queue = queue_of(at, packet.priority);
  if (packet.kind == PacketKind::data) {
    queue.waiting += packet.size;
    note_queue(at);
  }
  (queue.first == kNoPacket ? queue.first : packets_[queue.last].next) = number;
  queue.last = number;
  port.has_packets = static_cast<std::uint8_t>(port.has_packets | 1u << packet.priority);
}

void PacketEngine::schedule_wake(std::uint32_t number) {
  Port& port = ports_[number];
  if (port.is_waking || !has_work(port)) return;
  port.is_waking = true;
  events_.push({std::max(port.idle_at, now_), number, PacketEvent::kPortIdle});
}

/// The priority that sends next, among those of the bits `ready`.
std::uint32_t PacketEngine::pick_priority(std::uint32_t at, std::uint32_t ready) {
  if (settings_.scheduling == platform::PacketScheduling::strict)
    return static_cast<std::uint32_t>(std::bit_width(ready)) - 1;
  // Shreedhar and Varghese, "Efficient Fair Queueing Using Deficit Round Robin", IEEE/ACM ToN 4(3),
  // 1996; a full packet per unit of weight and turn.
  Port& port = ports_[at];
  while (true) {
    const std::uint32_t one = port.turn;
    PacketQueue& queue = queue_of(at, one);
    if ((ready >> one & 1) != 0) {
      const std::int64_t size =
          queue.first != kNoPacket ? packets_[queue.first].size : payload_ + header_;
      if (queue.deficit >= size) {
        queue.deficit -= size;
        return one;
      }
      queue.deficit += settings_.weights[one] * (payload_ + header_);
    } else {
      queue.deficit = 0;
    }
    port.turn = static_cast<std::uint8_t>((one + 1) % priorities_);
  }
}

/// Starts the next transmission of an idle port, if there is any.
void PacketEngine::serve(std::uint32_t number) {
  Port& port = ports_[number];
  if (port.is_down) return;
  if (port.first != kNoPacket) {
    const std::uint32_t packet = port.first;
    port.first = packets_[packet].next;
    transmit(number, packet);
  } else if (const std::uint32_t choices = ready(port); choices != 0) {
    send_first(number, priorities_ == 1 ? 0 : pick_priority(number, choices));
  }
  schedule_wake(number);
}

/// Sends the first packet of a priority: one that waits, else one of a sender.
void PacketEngine::send_first(std::uint32_t number, std::uint32_t priority) {
  Port& port = ports_[number];
  PacketQueue& queue = queue_of(number, priority);
  const std::uint32_t bit = 1u << priority;
  if (queue.first != kNoPacket) {
    const std::uint32_t packet = queue.first;
    Packet& first = packets_[packet];
    queue.first = first.next;
    if (queue.first == kNoPacket) port.has_packets &= static_cast<std::uint8_t>(~bit);
    if (first.kind == PacketKind::data) {
      if (port.is_switch) mark(number, queue, first);
      queue.waiting -= first.size;
      note_queue(number);
      if (first.is_held) release_held(port, first);
    }
    transmit(number, packet);
    return;
  }
  const std::uint32_t sender = queue.first_sender;
  queue.first_sender = connections_[sender].next_sender;
  if (queue.first_sender == kNoPacket) port.has_senders &= static_cast<std::uint8_t>(~bit);
  connections_[sender].has_turn = false;
  if (is_lossy_ && !may_send(sender)) return;  // what was lost has arrived
  transmit(number, make_packet(sender));
  take_turn(sender);
}

void PacketEngine::transmit(std::uint32_t number, std::uint32_t packet) {
  Port& port = ports_[number];
  const Packet& sent = packets_[packet];
  port.idle_at = now_ + serial(port, sent.size);
  port.serving = sent.kind == PacketKind::data ? sent.size : 0;
  const std::int64_t arrival = port.idle_at + port.latency;
  if (writes_loads_) write_load(number, packet);
  const std::uint32_t hop = sent.hop + 1u;
  const bool is_chosen = sent.hops == 0;  // by switches
  const bool is_last =
      is_chosen ? links_[number].to == connections_[sent.connection].to_node : hop == sent.hops;
  const std::uint32_t next = is_last     ? PacketEvent::kReceived
                             : is_chosen ? PacketEvent::kChoose
                                         : link_of(sent, hop);
  events_.push({arrival, packet, next});
  if (sent.kind != PacketKind::data) return;
  if (is_last) on_last_link(sent, arrival);
  if (reports_links_ && sent.size > header_)
    report_->carries(number, now_, port.idle_at, sent.size - header_);
}

/// HPCC: a switch writes its load into a data packet that leaves it.
void PacketEngine::write_load(std::uint32_t number, std::uint32_t packet) {
  const Port& port = ports_[number];
  const Packet& sent = packets_[packet];
  carried_[number] += sent.size;
  if (sent.kind != PacketKind::data || sent.hop == 0 || sent.hop > kLoadRecords) return;
  LinkLoadRecord& record = loads_[packet][sent.hop - 1];
  record = LinkLoadRecord{};
  if (!port.is_switch) return;
  record = {now_, carried_[number], port.ps_per_byte,
            static_cast<std::uint32_t>(std::min<std::int64_t>(waiting(number), UINT32_MAX)),
            number};
}

/// A packet reaches a node that chooses its next link: the one with the shortest queue among those
/// on shortest routes; of equal ones, a random one.
void PacketEngine::choose_link(std::uint32_t number) {
  Packet& packet = packets_[number];
  const PacketRoutePool::Choice choice =
      routes_.next(links_[packet.links[0]].to, connections_[packet.connection].to);
  if (choice.count == 0) return drop(packet.links[0], number, PacketDrop::link_down);
  const auto offset = static_cast<std::uint32_t>(choice.count == 1 ? 0 : random() * choice.count);
  std::uint32_t best = kNoPacket;
  constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();
  std::int64_t least = kLongest;
  for (std::uint32_t i = 0; i < choice.count; ++i) {
    const std::uint32_t link = routes_.links()[choice.first + (offset + i) % choice.count];
    const Port& port = ports_[link];
    std::int64_t length = waiting(link);
    if (port.idle_at > now_) length += port.serving;
    if (port.is_down) length = kLongest - 1;  // only if there is no other
    if (length >= least) continue;
    least = length;
    best = link;
  }
  packet.links[1] = packet.links[0];
  packet.links[0] = best;
  ++packet.hop;
  enqueue(best, number);
}

}  // namespace orrery::model
