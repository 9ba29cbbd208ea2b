// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/message_network.h"

#include <algorithm>
#include <utility>

namespace orrery::model {

namespace {

constexpr std::uint64_t kIdle = std::uint64_t{1} << 32;  // bit in codes: a link becomes idle

constexpr auto kDueLater = [](const auto& a, const auto& b) { return a.time > b.time; };

}  // namespace

template <class L>
LinkNetwork<L>::LinkNetwork(const platform::Platform& platform, L links, bool tick_order_free)
    : Network(
          {.ranks = static_cast<std::uint32_t>(platform.npu_count()),
           .memories = L::memories(platform),
           .switches = L::switches(platform)},
          {.tick_order_free = tick_order_free, .foldable = links.is_foldable(), .in_order = true}),
      links_(std::move(links)) {}

template <class L>
void LinkNetwork<L>::fold(const std::vector<std::uint32_t>& /*class_of*/,
                          const std::vector<std::uint32_t>& /*members*/,
                          const EquivalentLinks& links) {
  equivalent_ = links;
  links_.fold(links.first);
}

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
MessageNetworkOn<L>::MessageNetworkOn(const platform::Platform& platform, L links)
    : LinkNetwork<L>(platform, std::move(links), true) {}

template <class L>
void MessageNetworkOn<L>::settle(std::int64_t now, Sink& sink) {
  std::sort(this->sent_.begin(), this->sent_.end());
  for (const Send& message : this->sent_) {
    const std::uint32_t number = this->add(message);
    if (this->is_folded()) {
      entering_.push_back(number);
    } else {
      this->forward(number, now, sink);
    }
  }
  this->sent_.clear();
  enter(now, sink);
}

// Puts entering messages on their links, link by link.
template <class L>
void MessageNetworkOn<L>::enter(std::int64_t now, Sink& sink) {
  if (entering_.empty()) return;
  entries_.clear();
  for (const std::uint32_t message : entering_) {
    const std::uint32_t link = this->links_.link_of(message);
    entries_.push_back({this->equivalent_.first[link], this->messages_[message], message});
  }
  entering_.clear();
  const auto by_queue = [](const Entry& a, const Entry& b) { return a.queue < b.queue; };
  std::stable_sort(entries_.begin(), entries_.end(), by_queue);
  for (std::size_t first = 0, end = 0; first < entries_.size(); first = end) {
    while (end < entries_.size() && entries_[end].queue == entries_[first].queue) ++end;
    if (!sort_by_place({entries_.data() + first, end - first}))
      sink.order_matters(entries_[first].queue);
    for (std::size_t i = first; i < end; ++i) this->forward(entries_[i].message, now, sink);
  }
}

// Sorts messages that reach one link together. Returns false if their order is not the same on all
// equivalent links.
template <class L>
bool MessageNetworkOn<L>::sort_by_place(std::span<Entry> entries) {
  if (entries.size() == 1) return true;
  for (Entry& entry : entries)
    entry.order.from =
        this->equivalent_.place(this->links_.link_of(entry.message), entry.order.from);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.order < b.order; });
  return entries.front().order.from == entries.back().order.from ||
         this->equivalent_.is_ordered(entries.front().queue);
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
      } else if (this->is_folded()) {
        entering_.push_back(message);
      } else {
        this->forward(message, now, sink);
      }
    }
    enter(now, sink);
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

OrderedMessageNetwork::OrderedMessageNetwork(const platform::Platform& platform,
                                             DimensionLinks links)
    : LinkNetwork<DimensionLinks>(platform, std::move(links), false) {}

void OrderedMessageNetwork::settle(std::int64_t now, Sink& sink) {
  for (const Send& message : sent_) enter(add(message), kNew, now, sink);
  sent_.clear();
}

void OrderedMessageNetwork::enter(std::uint32_t message, std::int64_t departed, std::int64_t now,
                                  Sink& sink) {
  if (is_folded()) {
    const std::uint32_t link = links_.link_of(message), queue = equivalent_.first[link];
    if (entries_.empty()) entries_.resize(links_.link_count());
    Entry& last = entries_[queue];
    const Entry entry{now, departed, equivalent_.place(link, messages_[message].from)};
    const bool decided = departed != last.departed ? departed != kNew && last.departed != kNew
                                                   : departed == kNew && entry.place == last.place;
    if (last.time == now && !decided) sink.order_matters(queue);
    last = entry;
  }
  forward(message, now, sink);
}

void OrderedMessageNetwork::called(std::int64_t now, std::uint64_t code, Sink& sink) {
  const auto number = static_cast<std::uint32_t>(code);
  if ((code & kIdle) != 0) {
    DimensionLinks::Departure departure;
    if (links_.idle(number, departure)) depart(departure, now, sink);
    return;
  }
  if (links_.arrived(number)) return sink.arrives(messages_[number].token);
  enter(number, is_folded() ? departed_[number] : kNew, now, sink);
}

void OrderedMessageNetwork::depart(const DimensionLinks::Departure& departure, std::int64_t now,
                                   Sink& sink) {
  if (departure.arrival >= MultiDimFabric::kTooLong - now) return sink.exceeds_clock();
  report_carried(departure.link, now, now + departure.busy, departure.size);
  if (is_folded()) {
    departed_.resize(std::max(departed_.size(), messages_.size()));
    departed_[departure.message] = now;
    if (links_.is_on_last_link(departure.message))
      sink.will_arrive(messages_[departure.message], departure.arrival, departure.link);
  }
  sink.call(departure.arrival, departure.message);
  sink.call(departure.busy, kIdle | departure.link);
}

std::unique_ptr<Network> OrderedMessageNetwork::snapshot() const {
  return std::make_unique<OrderedMessageNetwork>(*this);
}

}  // namespace orrery::model
