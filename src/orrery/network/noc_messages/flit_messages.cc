// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc_messages/flit_messages.h"

#include <utility>

#include "orrery/core/random.h"

namespace orrery::model {

namespace {

/// Flits that a source has ready: more than it sends until the next delivery.
constexpr std::uint64_t kReadyFlits = 64;

}  // namespace

FlitMessages::FlitMessages(noc::FlitEngine engine, const platform::NocSettings& settings)
    : settings_(settings), engine_(std::move(engine)), waiting_(engine_.graph().node_count()) {}

std::uint64_t FlitMessages::packet_count(std::int64_t bytes) const {
  const std::int64_t capacity = (settings_.packet - settings_.head) * settings_.flit->count();
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(1, bytes / capacity + (bytes % capacity != 0)));
}

std::int64_t FlitMessages::flit_count(std::int64_t bytes) const {
  const std::int64_t flit = settings_.flit->count();
  return std::max<std::int64_t>(
      1, bytes / flit + (bytes % flit != 0) +
             static_cast<std::int64_t>(packet_count(bytes)) * settings_.head);
}

void FlitMessages::post(const FlitMessage& message, std::int64_t now) {
  std::uint32_t number = static_cast<std::uint32_t>(messages_.size());
  if (unused_.empty()) {
    messages_.emplace_back();
  } else {
    number = unused_.back();
    unused_.pop_back();
  }
  const std::uint64_t packets = packet_count(message.bytes);
  messages_[number] = {message.token, message.to, message.bytes, now + 1,
                       packets,       packets,    message.key};
  if (waiting_[message.from].empty()) senders_.push_back(message.from);
  waiting_[message.from].push_back(number);
  feed(message.from);
}

void FlitMessages::post_packet(std::uint32_t from, std::uint32_t number) {
  Message& message = messages_[number];
  const std::int64_t flit = settings_.flit->count();
  const std::int64_t payload = std::min(message.bytes, (settings_.packet - settings_.head) * flit);
  message.bytes -= payload;
  --message.packets;
  noc::Packet packet;
  packet.source = from;
  packet.destination = message.to;
  packet.size = static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, settings_.head + payload / flit + (payload % flit != 0)));
  packet.tag = number;
  packet.payload = payload;
  packet.created = message.created;
  packet.key = mix_bits(message.key + message.packets);
  engine_.post(packet);
}

void FlitMessages::feed(std::uint32_t from) {
  std::deque<std::uint32_t>& waiting = waiting_[from];
  while (!waiting.empty() && engine_.queued(from) < kReadyFlits) {
    post_packet(from, waiting.front());
    if (messages_[waiting.front()].packets == 0) waiting.pop_front();
  }
}

void FlitMessages::feed_senders() {
  for (const std::uint32_t from : senders_) feed(from);
  std::erase_if(senders_, [&](std::uint32_t from) { return waiting_[from].empty(); });
}

}  // namespace orrery::model
