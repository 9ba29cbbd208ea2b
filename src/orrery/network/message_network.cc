// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/message_network.h"

#include <algorithm>

namespace orrery::model {

namespace {

constexpr std::uint64_t kIdle = std::uint64_t{1} << 32;  // bit in codes: a link becomes idle

constexpr auto kDueLater = [](const auto& a, const auto& b) { return a.time > b.time; };

}  // namespace

template <class L>
LinkNetwork<L>::LinkNetwork(const platform::Platform& platform, Traits traits)
    : Network({.ranks = static_cast<std::uint32_t>(platform.npu_count()),
               .memories = L::memories(platform),
               .switches = L::switches(platform)},
              traits),
      links_(platform) {}

template <class L>
std::uint32_t LinkNetwork<L>::add(const Send& message) {
  const std::uint32_t number = links_.add(message.from, message.to, message.bytes);
  if (number >= messages_.size()) messages_.resize(number + 1);
  messages_[number] = message;
  return number;
}

template <class L>
void LinkNetwork<L>::forward(std::uint32_t message, std::int64_t now, Sink& sink) {
  DimensionLinks::Departure departure;
  if (links_.forward(message, departure)) depart(departure, now, sink);
}

template <class L>
MessageNetworkOn<L>::MessageNetworkOn(const platform::Platform& platform)
    : LinkNetwork<L>(platform, {.tick_order_free = true}) {}

template <class L>
void MessageNetworkOn<L>::settle(std::int64_t now, Sink& sink) {
  std::sort(this->sent_.begin(), this->sent_.end());
  for (const Send& message : this->sent_) this->forward(this->add(message), now, sink);
  this->sent_.clear();
}

template <class L>
void MessageNetworkOn<L>::advance(std::int64_t until, Sink& sink) {
  while (next_ <= until) {
    const std::int64_t now = next_;
    arriving_.clear();
    while (!events_.empty() && events_.front().time == now) {
      const DueEvent due = events_.front();
      std::pop_heap(events_.begin(), events_.end(), kDueLater);
      events_.pop_back();
      if (due.arrival) {
        arriving_.push_back(due.number);
        continue;
      }
      DimensionLinks::Departure departure;
      if (this->links_.idle(due.number, departure)) depart(departure, now, sink);
    }
    std::sort(arriving_.begin(), arriving_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return this->messages_[a] < this->messages_[b];
    });
    for (const std::uint32_t message : arriving_) {
      if (this->links_.arrived(message)) {
        sink.arrives(this->messages_[message].token);
      } else {
        this->forward(message, now, sink);
      }
    }
    next_ = events_.empty() ? kNever : events_.front().time;
    ++epoch_;
  }
}

template <class L>
void MessageNetworkOn<L>::depart(const DimensionLinks::Departure& departure, std::int64_t now,
                                 Sink& sink) {
  if (departure.arrival >= MultiDimFabric::kTooLong - now) return sink.exceeds_clock();
  this->report_carried(departure.link, now, now + departure.busy, departure.size);
  schedule({now + departure.arrival, true, departure.message});
  schedule({now + departure.busy, false, departure.link});
}

template <class L>
void MessageNetworkOn<L>::schedule(const DueEvent& due) {
  events_.push_back(due);
  std::push_heap(events_.begin(), events_.end(), kDueLater);
  if (due.time >= next_) return;
  next_ = due.time;
  ++epoch_;
}

template <class L>
std::unique_ptr<Network> MessageNetworkOn<L>::snapshot() const {
  return std::make_unique<MessageNetworkOn>(*this);
}

template class LinkNetwork<DimensionLinks>;
template class LinkNetwork<FabricLinks>;
template class MessageNetworkOn<DimensionLinks>;
template class MessageNetworkOn<FabricLinks>;

OrderedMessageNetwork::OrderedMessageNetwork(const platform::Platform& platform)
    : LinkNetwork<DimensionLinks>(platform, {}) {}

void OrderedMessageNetwork::settle(std::int64_t now, Sink& sink) {
  for (const Send& message : sent_) forward(add(message), now, sink);
  sent_.clear();
}

void OrderedMessageNetwork::called(std::int64_t now, std::uint64_t code, Sink& sink) {
  const auto number = static_cast<std::uint32_t>(code);
  if ((code & kIdle) != 0) {
    DimensionLinks::Departure departure;
    if (links_.idle(number, departure)) depart(departure, now, sink);
    return;
  }
  if (links_.arrived(number)) return sink.arrives(messages_[number].token);
  forward(number, now, sink);
}

void OrderedMessageNetwork::depart(const DimensionLinks::Departure& departure, std::int64_t now,
                                   Sink& sink) {
  if (departure.arrival >= MultiDimFabric::kTooLong - now) return sink.exceeds_clock();
  report_carried(departure.link, now, now + departure.busy, departure.size);
  sink.call(departure.arrival, departure.message);
  sink.call(departure.busy, kIdle | departure.link);
}

std::unique_ptr<Network> OrderedMessageNetwork::snapshot() const {
  return std::make_unique<OrderedMessageNetwork>(*this);
}

}  // namespace orrery::model
