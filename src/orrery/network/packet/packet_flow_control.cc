// SPDX-License-Identifier: Apache-2.0
//
// Shared buffers, priority flow control, and links that fail.
#include <algorithm>
#include <utility>

#include "orrery/network/packet/packet_engine.h"

namespace orrery::model {

/// The link over which a packet came that waits at a node. kNoPacket: it begins there.
std::uint32_t PacketEngine::incoming_link(const Packet& packet) const {
  if (packet.hop == 0) return kNoPacket;
  if (packet.hops == 0) return packet.links[1];
  return packet.hop == 1 ? routes_.links()[packet.route] : link_of(packet, packet.hop - 1u);
}

/// Bytes that one queue, or the packets from one link, may use of a node's shared buffer.
double PacketEngine::threshold(std::uint32_t node) const {
  return buffers_.share *
         static_cast<double>(std::max<std::int64_t>(0, buffers_.size - buffers_.used[node]));
}

/// Counts a packet that must wait in a node with priority flow control, and pauses its link if that
/// uses too much: in the shared buffer, else in the headroom. False: the packet is dropped. Source
/// of the thresholds: IEEE 802.1Qbb, and the switch of the public simulator of HPCC.
bool PacketEngine::hold(std::uint32_t at, std::uint32_t number) {
  const Port& port = ports_[at];
  Packet& packet = packets_[number];
  const std::uint32_t link = incoming_link(packet);
  if (!rules_[port.rules].pfc || link == kNoPacket) return true;
  HeldPackets& held = buffers_.held[link * priorities_ + packet.priority];
  const double limit = threshold(port.node);
  const std::int64_t size = packet.size;
  packet.in_headroom = held.headroom > 0 || static_cast<double>(held.shared + size) > limit;
  if (packet.in_headroom) {
    if (held.headroom + size > buffers_.headroom[link]) {
      drop(at, number, PacketDrop::no_headroom);
      return false;
    }
    held.headroom += size;
  } else {
    held.shared += size;
    buffers_.used[port.node] += size;
  }
  packet.is_held = true;
  if (packet.in_headroom && !held.is_paused) {
    held.is_paused = true;
    note_cause(at, link, packet.priority);
    send_pause(link, packet.priority, true);
  }
  return true;
}

/// A pause of `link` begins, because packets wait for `port`. If that is paused itself, the pause
/// spreads from the port that caused the other one.
void PacketEngine::note_cause(std::uint32_t port, std::uint32_t link, std::uint32_t priority) {
  HeldPackets& held = buffers_.held[link * priorities_ + priority];
  const Port& waits = ports_[port];
  held.congested = port;
  if ((waits.paused >> priority & 1) == 0) return;
  held.congested = buffers_.held[port * priorities_ + priority].congested;
  if (!waits.is_switch || waits.node == ports_[held.congested].node) return;
  auto spread = std::ranges::find(buffers_.spreads, held.congested, &PauseSpread::port);
  if (spread == buffers_.spreads.end())
    spread = buffers_.spreads.insert(spread, {.port = held.congested, .since = now_});
  const auto place = std::ranges::lower_bound(spread->switches, waits.node);
  if (place == spread->switches.end() || *place != waits.node)
    spread->switches.insert(place, waits.node);
}

/// A packet leaves the buffer.
void PacketEngine::release_held(const Port& port, Packet& packet) {
  packet.is_held = false;
  std::int64_t& used = buffers_.used[port.node];
  if (!rules_[port.rules].pfc) {
    used -= packet.size;
    return;
  }
  const std::uint32_t link = incoming_link(packet);
  HeldPackets& held = buffers_.held[link * priorities_ + packet.priority];
  if (packet.in_headroom) {
    held.headroom -= packet.size;
  } else {
    held.shared -= packet.size;
    used -= packet.size;
  }
  packet.in_headroom = false;
  if (!held.is_paused || held.headroom > 0) return;
  const double after = static_cast<double>(held.shared + settings_.resume_below.count());
  if (held.shared > 0 && after > threshold(port.node)) return;
  held.is_paused = false;
  send_pause(link, packet.priority, false);
}

/// Makes the sender of a link pause a priority, or resume it, by a frame that goes before all but
/// other pause frames. A frame of this priority that still waits changes instead.
void PacketEngine::send_pause(std::uint32_t link, std::uint32_t priority, bool begins) {
  counts_.pauses += begins;
  if (monitor_ && begins) record_event(link, &PortPackets::pauses);
  const std::uint32_t back = links_[link].reverse;
  std::uint32_t before = kNoPacket;  // the last pause frame that waits
  for (std::uint32_t at = back == kNoPacket ? kNoPacket : ports_[back].first;
       at != kNoPacket && packets_[at].kind == PacketKind::pause; at = packets_[at].next) {
    Packet& waiting = packets_[at];
    if (waiting.number == link && waiting.priority == priority) {
      waiting.marked = begins;
      waiting.received = buffers_.changes[link];
      return;
    }
    before = at;
  }
  const std::uint32_t made = take_packet();
  Packet& frame = packets_[made];
  frame.kind = PacketKind::pause;
  frame.number = link;
  frame.priority = static_cast<std::uint8_t>(priority);
  frame.marked = begins;
  frame.size = kPauseBytes;
  frame.hops = 1;
  frame.received = buffers_.changes[link];
  if (back == kNoPacket || ports_[back].ps_per_byte == 0 || ports_[back].is_down) {
    // There is no link for it: it arrives as if there were a free one.
    const Port& port = ports_[link];
    events_.push({now_ + serial_of(port.ps_per_byte, kPauseBytes) + port.latency, made,
                  PacketEvent::kReceived});
    return;
  }
  Port& port = ports_[back];
  if (port.idle_at <= now_ && !port.is_waking) return transmit(back, made);
  std::uint32_t& place = before == kNoPacket ? port.first : packets_[before].next;
  frame.next = place;
  place = made;
  if (frame.next == kNoPacket) port.last = made;
  schedule_wake(back);
}

void PacketEngine::receive_pause(const Packet& packet) {
  if (packet.received != buffers_.changes[packet.number]) return;  // from before a fault
  Port& port = ports_[packet.number];
  const auto bit = static_cast<std::uint8_t>(1u << packet.priority);
  set_paused(packet.number,
             static_cast<std::uint8_t>(packet.marked ? port.paused | bit : port.paused & ~bit));
  if (!packet.marked) schedule_wake(packet.number);
}

/// Which priorities of a link are paused, from now on.
void PacketEngine::set_paused(std::uint32_t link, std::uint8_t priorities) {
  const bool was_paused = std::exchange(ports_[link].paused, priorities) != 0;
  if (was_paused == (priorities != 0)) return;
  std::int64_t& since = buffers_.paused_since[link];
  if (was_paused) counts_.paused += now_ - since;
  since = now_;
  if (monitor_) monitor_->pause(link, now_, !was_paused);
}

// Faults

void PacketEngine::set_link(std::uint32_t link, double share, std::int64_t now) {
  now_ = now;
  has_changed_ = true;
  Port& port = ports_[link];
  if (buffers_.pauses) {
    forget_pauses(link);
    if (links_[link].reverse != kNoPacket) forget_pauses(links_[link].reverse);
  }
  const double rate = links_[link].bytes_per_ns * share;
  port.is_down = rate <= 0;
  if (port.is_down) return empty_queues(link);
  port.ps_per_byte = 1e3 / rate;
  port.full = serial_of(port.ps_per_byte, payload_ + header_);
  schedule_wake(link);
}

/// Frames may be lost with the link: both ends begin anew.
void PacketEngine::forget_pauses(std::uint32_t link) {
  ++buffers_.changes[link];
  set_paused(link, 0);
  for (std::uint32_t i = 0; i < priorities_; ++i)
    buffers_.held[link * priorities_ + i].is_paused = false;
  schedule_wake(link);
}

/// Drops all packets in the queues of a link. Those of senders wait.
void PacketEngine::empty_queues(std::uint32_t link) {
  Port& port = ports_[link];
  const auto drop_all = [&](std::uint32_t& first) {
    while (first != kNoPacket) {
      const std::uint32_t packet = first;
      first = packets_[packet].next;
      if (packets_[packet].is_held) release_held(port, packets_[packet]);
      drop(link, packet, PacketDrop::link_down);
    }
  };
  drop_all(port.first);
  for (std::uint32_t i = 0; i < priorities_; ++i) {
    drop_all(queue_of(link, i).first);
    queue_of(link, i).waiting = 0;
  }
  port.has_packets = 0;
  note_queue(link);
}

void PacketEngine::reroute(std::uint32_t state, std::int64_t now, Report& report) {
  report_ = &report;
  now_ = now;
  routes_.set_state(state);
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    ports_[i].has_senders = 0;
    for (std::uint32_t one = 0; one < priorities_; ++one)
      queue_of(i, one).first_sender = queue_of(i, one).last_sender = kNoPacket;
  }
  for (std::uint32_t i = 0; i < connections_.size(); ++i) {
    Connection& connection = connections_[i];
    connection.has_turn = false;
    connection.route =
        routes_.find(connection.forth, connection.entropy, connection.from, connection.to);
  }
  for (std::uint32_t i = 0; i < connections_.size(); ++i) send_what_is_allowed(i);
}

/// Links whose packets wait for the next link in the cycle, which is paused because packets of the
/// one after wait, and so on.
std::vector<std::uint32_t> PacketEngine::paused_cycle() const {
  if (!buffers_.pauses) return {};
  // By link: the paused links at its end for which its packets wait.
  std::vector<std::vector<std::uint32_t>> waits(ports_.size());
  for (std::uint32_t link = 0; link < ports_.size(); ++link) {
    for (std::uint32_t i = 0; i < priorities_; ++i) {
      if ((ports_[link].paused >> i & 1) == 0) continue;
      for (std::uint32_t at = queues_[link * priorities_ + i].first; at != kNoPacket;
           at = packets_[at].next) {
        const std::uint32_t from = incoming_link(packets_[at]);
        if (from != kNoPacket && ports_[from].paused != 0) waits[from].push_back(link);
      }
    }
  }
  enum : std::uint8_t { unseen, open, done };
  std::vector<std::uint8_t> seen(ports_.size(), unseen);
  for (std::uint32_t start = 0; start < ports_.size(); ++start) {
    std::vector<std::uint32_t> path;
    if (seen[start] == unseen) path.push_back(start);
    while (!path.empty()) {
      const std::uint32_t at = path.back();
      seen[at] = open;
      if (waits[at].empty()) {
        seen[at] = done;
        path.pop_back();
        continue;
      }
      const std::uint32_t next = waits[at].back();
      waits[at].pop_back();
      if (seen[next] == open) return {std::find(path.begin(), path.end(), next), path.end()};
      if (seen[next] == unseen) path.push_back(next);
    }
  }
  return {};
}

}  // namespace orrery::model
