// SPDX-License-Identifier: Apache-2.0
//
// Sends and receives. The k-th send matches the k-th receive with the same tag, source, destination
// and size.
#include <fmt/format.h>

#include <algorithm>

#include "orrery/sim/engine.h"

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

std::optional<MessageKey> Engine::message_key(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  auto key = message_key(graph, run_.real(rank), node, graph.kind(node) == NodeKind::send,
                         [&] { return run_.place(rank, node); });
  if (key) *key = as_received(*key);
  return key;
}

// Missing source of a send and missing destination of a receive default to the rank itself.
std::optional<MessageKey> Engine::message_key(const graph::Graph& graph, std::uint32_t rank,
                                              NodeId node, bool sends,
                                              const std::function<std::string()>& where) {
  const graph::PointToPoint message = graph.message(node, rank);
  const bool complete = graph.has(node, graph::kHasCommSize) && graph.has(node, graph::kHasTag) &&
                        graph.has(node, sends ? graph::kHasDst : graph::kHasSrc);
  if (!complete) {
    run_.fail({Errc::input_missing_attr, where(),
               fmt::format("a {} lacks comm_size, comm_tag or comm_{}", sends ? "send" : "receive",
                           sends ? "dst" : "src"),
               ""});
    return std::nullopt;
  }
  const std::int64_t self = rank;
  const std::int64_t src = graph.has(node, graph::kHasSrc) ? message.src : self;
  const std::int64_t dst = graph.has(node, graph::kHasDst) ? message.dst : self;
  if ((sends ? src : dst) != self) {
    run_.fail({Errc::input_corrupt, where(),
               fmt::format("rank {} cannot {} rank {}", rank, sends ? "send for" : "receive for",
                           sends ? src : dst),
               ""});
    return std::nullopt;
  }
  const std::int64_t peer = sends ? dst : src;
  if (peer < 0 || peer >= static_cast<std::int64_t>(run_.fabric.rank_count())) {
    run_.fail({Errc::input_range, where(),
               fmt::format("there is no rank {} among {}", peer, run_.fabric.rank_count()), ""});
    return std::nullopt;
  }
  const std::uint64_t tag = run_.astra() ? message.tag % kAstraTags : message.tag;
  return MessageKey{tag, static_cast<std::uint32_t>(src), static_cast<std::uint32_t>(dst),
                    message.size.count()};
}

void Engine::start_send(const Endpoint& who, const MessageKey& key) {
  if (!run_.platform.collectives.rendezvous) return transmit(who, key);
  // The payload leaves when the receiver's announcement is here.
  Mailbox& box = p2p_announcements_.at({key.tag, key.src, key.dst, 0});
  std::uint32_t number = static_cast<std::uint32_t>(messages_.size());
  messages_.push_back({key, who});
  if (box.arrived > 0) {
    --box.arrived;
    run_.queue.push(
        {.time = run_.now(), .kind = EventKind::p2p_ready, .first = number, .count = 0});
    guard_.own(who.rank, run_.now());
    return;
  }
  wait_in(box, next_announced_p2p_, number);
}

std::uint32_t Engine::new_message(const P2pMessage& message) {
  if (free_messages_.empty()) {
    messages_.push_back(message);
    return static_cast<std::uint32_t>(messages_.size() - 1);
  }
  const std::uint32_t number = free_messages_.back();
  free_messages_.pop_back();
  messages_[number] = message;
  return number;
}

void Engine::transmit(const Endpoint& who, const MessageKey& key) {
  const std::uint32_t number = new_message({key, who});
  const bool abroad = parts_ != nullptr && part_of(key.dst) != part_;
  if (!abroad) sent(key, run_.now());
  if (run_.astra() && who.custom == kNone && run_.fabric.dim_count() > 1) note_dims(who, key);
  const auto bytes = static_cast<std::uint64_t>(key.size);
  run_.ground.seats[who.rank].sent_bytes += bytes;
  if (who.custom == kNone) {
    accounts_.sent_message(who.rank, bytes);
  } else {
    const Endpoint& owner = customs_[who.custom].owner;
    accounts_.sent(owner.rank, owner.node, bytes);
  }
  const std::int64_t delay =
      run_.fabric.delay(key.src % run_.fabric.rank_count(), key.dst, key.size);
  if (abroad) return send_abroad(number, delay);
  if (run_.recorder) run_.recorder->message(key.src, key.dst, key.size, run_.now(), delay);
  transport_.send(key.src, key.dst, key.size, delay,
                  {.kind = EventKind::p2p_deliver, .first = number}, run_.weight(who.rank));
  guard_.message(who, key, run_.guarded ? run_.after(delay) : 0);
}

// A message is on its way since `when`: the oldest receive that nothing has been sent for begins.
void Engine::sent(const MessageKey& key, std::int64_t when) {
  Mailbox& box = mailboxes_.at(key);
  if (box.expecting == kNone) {
    ++box.flying;
    return;
  }
  const std::uint32_t receive = box.expecting;
  box.expecting = next_receive_[receive];
  if (from_abroad(key)) --run_.ground.states[receives_[receive].who.rank].awaited;
  receive_begins(receive, when);
}

// ASTRA rules charge a message for the first dimension it crosses.
void Engine::note_dims(const Endpoint& who, const MessageKey& key) {
  int crossed = 0;
  for (std::size_t d = 0; d < run_.fabric.dim_count(); ++d) {
    if (run_.fabric.coordinate(key.src, d) != run_.fabric.coordinate(key.dst, d)) ++crossed;
  }
  if (crossed >= 2) run_.note(FindingCode::dims_not_crossed, who.rank, who.node);
}

void Engine::start_receive(const Endpoint& who, const MessageKey& key) {
  const std::uint32_t number = new_receive(who, key);
  if (!run_.platform.collectives.rendezvous) return post(number);
  transport_.send(
      key.dst, key.src, kAnnouncementBytes, run_.fabric.delay(key.dst, key.src, kAnnouncementBytes),
      {.kind = EventKind::p2p_ready, .first = number, .count = 1}, run_.weight(who.rank));
}

// `count` 1: the announcement of receive `first` arrives at the sender. 0: message `first` found
// one waiting.
void Engine::p2p_ready(const Event& event) {
  if (event.count == 0) {
    const P2pMessage message = messages_[event.first];
    return transmit(message.sender, message.key);
  }
  const MessageKey key = receives_[event.first].key;
  post(event.first);
  Mailbox& box = p2p_announcements_.at({key.tag, key.src, key.dst, 0});
  if (box.first == kNone) {
    ++box.arrived;
    return;
  }
  const P2pMessage message = messages_[take_first(box, next_announced_p2p_)];
  transmit(message.sender, message.key);
}

void Engine::post(std::uint32_t number) {
  Receive& receive = receives_[number];
  const MessageKey key = receive.key;
  receive.posted = run_.now();
  Mailbox& box = mailboxes_.at(key);
  if (box.arrived == 0) {
    wait_in(box, next_receive_, number);
    if (box.flying > 0) {
      --box.flying;
      return receive_begins(number, run_.now());
    }
    if (box.expecting == kNone) box.expecting = number;
    if (from_abroad(key)) ++run_.ground.states[receive.who.rank].awaited;
    return;
  }
  --box.arrived;
  drop_if_empty(key, box);
  run_.queue.push({.time = run_.now(), .kind = EventKind::p2p_late, .first = number});
  guard_.own(receives_[number].who.rank, run_.now());
}

// The sender's node ends first, then the receiver's if it has asked already.
void Engine::p2p_arrival(std::uint32_t number) {
  const P2pMessage message = messages_[number];
  free_messages_.push_back(number);
  endpoint_done(message.sender);
  if (!run_.error) p2p_comes(message);
}

void Engine::p2p_comes(const P2pMessage& message) {
  Mailbox& box = mailboxes_.at(message.key);
  if (box.first == kNone) {
    --box.flying;
    ++box.arrived;
    return;
  }
  const std::uint32_t receive = take_first(box, next_receive_);
  drop_if_empty(message.key, box);
  const Endpoint& who = receives_[receive].who;
  if (run_.pages == nullptr && who.custom == kNone && message.sender.custom == kNone) {
    run_.ground.times[run_.ground.first_times[who.rank] + who.node].sender =
        static_cast<std::uint32_t>(senders_.size());
    senders_.push_back({message.sender.rank, message.sender.node});
  }
  receive_done(receive);
}

void Engine::drop_if_empty(const MessageKey& key, const Mailbox& box) {
  if (box.first == kNone && box.arrived == 0 && box.flying == 0) mailboxes_.erase(key);
}

std::uint32_t Engine::new_receive(const Endpoint& who, const MessageKey& key) {
  if (free_receives_.empty()) {
    receives_.push_back({who, key});
    return static_cast<std::uint32_t>(receives_.size() - 1);
  }
  const std::uint32_t number = free_receives_.back();
  free_receives_.pop_back();
  receives_[number] = {who, key};
  return number;
}

void Engine::receive_begins(std::uint32_t number, std::int64_t when) {
  Receive& receive = receives_[number];
  receive.since = std::max(when, receive.posted);
  if (receive.who.custom != kNone) return;
  accounts_.receive_begins(receive.who.rank, receive.since);
}

void Engine::receive_done(std::uint32_t number) {
  const Receive receive = receives_[number];
  free_receives_.push_back(number);
  if (receive.since >= 0 && receive.who.custom == kNone)
    accounts_.receive_ends(receive.who.rank, receive.since);
  endpoint_done(receive.who);
}

void Engine::endpoint_done(const Endpoint& who) {
  if (who.custom != kNone) return complete_custom(who.custom, who.node);
  complete(who.rank, who.node);
}

}  // namespace orrery::sim
