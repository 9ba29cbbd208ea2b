// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/messages/p2p_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/check.h"

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

std::optional<MessageKey> P2pMessages::key(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const bool sends = graph.kind(node) == NodeKind::send;
  auto found = key(graph, run_.real(rank), node, sends, {rank, node});
  if (found && sends) {
    const FoldedRoute route = run_.folded_workload.route(rank, found->dst);
    found->src = route.src;
    found->dst = route.dst;
  }
  return found;
}

std::string P2pMessages::text(const Place& place) const {
  const std::string of_rank = run_.place(place.rank, place.node);
  if (!place.within) return of_rank;
  return fmt::format("{} (custom algorithm, node {})", of_rank, *place.within);
}

// Missing source of a send and missing destination of a receive default to the rank itself.
std::optional<MessageKey> P2pMessages::key(const graph::Graph& graph, std::uint32_t rank,
                                           NodeId node, bool sends, const Place& place) {
  const graph::PointToPoint message = graph.message(node, rank);
  // Only messages of a collective can have shares of its buffer as size.
  const bool sized = graph.has(node, graph::kHasCommSize) || (place.within && message.pieces != 0);
  const bool complete = sized && graph.has(node, graph::kHasTag) &&
                        graph.has(node, sends ? graph::kHasDst : graph::kHasSrc);
  if (!complete) {
    run_.fail({Errc::input_missing_attr, text(place),
               fmt::format("a {} lacks comm_size, comm_tag or comm_{}", sends ? "send" : "receive",
                           sends ? "dst" : "src"),
               ""});
    return std::nullopt;
  }
  const std::int64_t self = rank;
  const std::int64_t src = graph.has(node, graph::kHasSrc) ? message.src : self;
  const std::int64_t dst = graph.has(node, graph::kHasDst) ? message.dst : self;
  if ((sends ? src : dst) != self) {
    run_.fail({Errc::input_corrupt, text(place),
               fmt::format("rank {} cannot {} rank {}", rank, sends ? "send for" : "receive for",
                           sends ? src : dst),
               ""});
    return std::nullopt;
  }
  const std::int64_t peer = sends ? dst : src;
  if (peer < 0 || peer >= static_cast<std::int64_t>(run_.fabric.rank_count())) {
    run_.fail(
        {Errc::input_range, text(place),
         fmt::format("rank {} does not exist: there are {} ranks", peer, run_.fabric.rank_count()),
         ""});
    return std::nullopt;
  }
  const std::uint64_t tag = run_.policy.tags != 0 ? message.tag % run_.policy.tags : message.tag;
  return MessageKey{tag, static_cast<std::uint32_t>(src), static_cast<std::uint32_t>(dst),
                    message.size.count()};
}

void P2pMessages::send(const Endpoint& who, const MessageKey& key) {
  if (!run_.platform.collectives.rendezvous) return transmit(who, key);
  // The payload leaves when the receiver's announcement has arrived.
  Mailbox& box = state_.announcements.at({key.tag, key.src, key.dst, 0});
  const std::uint32_t number = new_message({key, who});
  if (box.arrived > 0) {
    --box.arrived;
    run_.push({.time = run_.now(), .kind = EventKind::p2p_matched, .first = number});
    guard_.expect_local(who.rank, run_.now());
    return;
  }
  wait_in(box, state_.next_announced, number);
}

std::uint32_t P2pMessages::new_message(const P2pMessage& message) {
  if (state_.free_messages.empty()) {
    state_.messages.push_back(message);
    return static_cast<std::uint32_t>(state_.messages.size() - 1);
  }
  const std::uint32_t number = state_.free_messages.back();
  state_.free_messages.pop_back();
  state_.messages[number] = message;
  return number;
}

void P2pMessages::transmit(const Endpoint& who, const MessageKey& key) {
  const std::uint32_t number = new_message({key, who});
  prefetch_next_sends(who);
  const bool abroad = border_ != nullptr && border_->part_of(key.dst) != border_->part;
  if (!abroad) start_receive(key, run_.now());
  if (run_.policy.first_dimension_counts && who.custom == kNone && run_.fabric.dim_count() > 1)
    note_dims(who, key);
  const auto bytes = static_cast<std::uint64_t>(key.size);
  run_.shared.results[who.rank].sent_bytes += bytes;
  if (who.custom == kNone) {
    accounting_.sent_message(who.rank, bytes);
  } else {
    accounting_.sent(who.rank, who.owner, bytes);
  }
  const std::uint32_t from = key.src % run_.fabric.rank_count();
  const std::int64_t delay = transport_.duration(from, key.dst, key.size);
  if (abroad) return send_across_parts(number, delay);
  if (run_.observer != nullptr) run_.observer->message(from, key.dst, key.size, delay);
  transport_.send({.from = from,
                   .to = key.dst,
                   .bytes = key.size,
                   .weight = run_.weight(who.rank),
                   .traffic = model::TrafficClass::point_to_point,
                   .flow = who.custom,
                   .order = who.node},
                  delay, {.kind = EventKind::p2p_deliver, .first = number});
  guard_.expect_message(who, key, run_.guarded ? run_.after(delay) : 0);
}

// A message is in flight since `when`: the oldest receive without a sent message begins.
void P2pMessages::start_receive(const MessageKey& key, std::int64_t when) {
  Mailbox& box = state_.mailboxes.at(key);
  if (box.expecting == kNone) {
    ++box.in_flight;
    return;
  }
  const std::uint32_t receive = box.expecting;
  box.expecting = state_.next_receive[receive];
  if (is_across_parts(key)) --run_.shared.states[state_.receives[receive].who.rank].awaited;
  begin_receive(receive, when);
}

// ASTRA rules charge a message for the first dimension it crosses.
void P2pMessages::note_dims(const Endpoint& who, const MessageKey& key) {
  int crossed = 0;
  for (std::size_t d = 0; d < run_.fabric.dim_count(); ++d) {
    if (run_.fabric.coordinate(key.src, d) != run_.fabric.coordinate(key.dst, d)) ++crossed;
  }
  if (crossed >= 2) run_.note(FindingCode::dims_not_crossed, who.rank, who.node);
}

void P2pMessages::receive(const Endpoint& who, const MessageKey& key) {
  const std::uint32_t number = new_receive(who, key);
  if (!run_.platform.collectives.rendezvous) return post(number);
  const std::uint32_t sender = key.src % run_.fabric.rank_count();
  transport_.send({.from = key.dst,
                   .to = sender,
                   .bytes = kAnnouncementBytes,
                   .weight = run_.weight(who.rank),
                   .traffic = model::TrafficClass::announcement,
                   .flow = who.custom,
                   .order = who.node},
                  transport_.duration(key.dst, sender, kAnnouncementBytes),
                  {.kind = EventKind::p2p_ready, .first = number});
}

// The announcement of a receive has reached the sender.
void P2pMessages::on_announcement(std::uint32_t receive) {
  const MessageKey key = state_.receives[receive].key;
  post(receive);
  Mailbox& box = state_.announcements.at({key.tag, key.src, key.dst, 0});
  if (box.first == kNone) {
    ++box.arrived;
    return;
  }
  const P2pMessage message = take_message(take_first(box, state_.next_announced));
  transmit(message.sender, message.key);
}

void P2pMessages::post(std::uint32_t number) {
  Receive& receive = state_.receives[number];
  const MessageKey key = receive.key;
  receive.posted = run_.now();
  Mailbox& box = state_.mailboxes.at(key);
  if (box.arrived == 0) {
    wait_in(box, state_.next_receive, number);
    if (box.in_flight > 0) {
      --box.in_flight;
      return begin_receive(number, run_.now());
    }
    if (box.expecting == kNone) box.expecting = number;
    if (is_across_parts(key)) ++run_.shared.states[receive.who.rank].awaited;
    return;
  }
  --box.arrived;
  drop_if_empty(key, box);
  run_.push({.time = run_.now(), .kind = EventKind::p2p_late, .first = number});
  guard_.expect_local(state_.receives[number].who.rank, run_.now());
}

void P2pMessages::deliver(const P2pMessage& message) {
  Mailbox& box = state_.mailboxes.at(message.key);
  if (box.first == kNone) {
    --box.in_flight;
    ++box.arrived;
    return;
  }
  const std::uint32_t receive = take_first(box, state_.next_receive);
  drop_if_empty(message.key, box);
  const Endpoint& who = state_.receives[receive].who;
  if (run_.pages == nullptr && who.custom == kNone && message.sender.custom == kNone) {
    run_.times_of(who.rank, who.node).sender = static_cast<std::uint32_t>(state_.senders.size());
    state_.senders.push_back({message.sender.rank, message.sender.node});
  }
  finish_receive(receive);
}

void P2pMessages::drop_if_empty(const MessageKey& key, const Mailbox& box) {
  if (box.first == kNone && box.arrived == 0 && box.in_flight == 0) state_.mailboxes.erase(key);
}

std::uint32_t P2pMessages::new_receive(const Endpoint& who, const MessageKey& key) {
  if (state_.free_receives.empty()) {
    state_.receives.push_back({who, key});
    return static_cast<std::uint32_t>(state_.receives.size() - 1);
  }
  const std::uint32_t number = state_.free_receives.back();
  state_.free_receives.pop_back();
  state_.receives[number] = {who, key};
  return number;
}

void P2pMessages::begin_receive(std::uint32_t number, std::int64_t when) {
  Receive& receive = state_.receives[number];
  receive.since = std::max(when, receive.posted);
  if (receive.who.custom != kNone) return;
  accounting_.receive_begins(receive.who.rank, receive.since);
}

void P2pMessages::finish_receive(std::uint32_t number) {
  const Receive receive = state_.receives[number];
  state_.free_receives.push_back(number);
  if (receive.since >= 0 && receive.who.custom == kNone)
    accounting_.receive_ends(receive.who.rank, receive.since);
  observer_.on_message_end(receive.who);
}

// The sender's end of a message to another part.
void P2pMessages::send_across_parts(std::uint32_t number, std::int64_t delay) {
  const P2pMessage& message = state_.messages[number];
  run_.result.messages += run_.weight(message.sender.rank);
  const std::int64_t arrival = run_.after(delay);
  const std::uint32_t there = border_->part_of(message.key.dst);
  ORRERY_CHECK(delay >= border_->parts.ahead(border_->part, there));
  border_->outbox.push_back({there, message, run_.now(), arrival});
  run_.push({.time = arrival, .kind = EventKind::p2p_sent, .first = number});
}

P2pMessage P2pMessages::take_message(std::uint32_t number) {
  state_.free_messages.push_back(number);
  return state_.messages[number];
}

void P2pMessages::receive_message(const CrossPartMessage& abroad, std::int64_t done) {
  const std::uint32_t number = new_message(abroad.message);
  if (abroad.sent < done) {
    start_receive(abroad.message.key, abroad.sent);
  } else {
    run_.push({.time = abroad.sent, .kind = EventKind::p2p_leaves, .first = number});
  }
  run_.push({.time = abroad.arrival, .kind = EventKind::p2p_arrives, .first = number});
}

void P2pMessages::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::p2p_deliver: {  // the sender's node ends first, then the receiver's
      const P2pMessage message = take_message(event.first);
      observer_.on_message_end(message.sender);
      if (!run_.error) deliver(message);
      return;
    }
    case EventKind::p2p_sent:
      return observer_.on_message_end(take_message(event.first).sender);
    case EventKind::p2p_leaves:
      return start_receive(state_.messages[event.first].key, run_.now());
    case EventKind::p2p_arrives:
      return deliver(take_message(event.first));
    case EventKind::p2p_late:
      return finish_receive(event.first);
    case EventKind::p2p_ready:
      return on_announcement(event.first);
    case EventKind::p2p_matched: {
      const P2pMessage message = take_message(event.first);
      return transmit(message.sender, message.key);
    }
    default:
      ORRERY_CHECK(false);
  }
}

}  // namespace orrery::sim
