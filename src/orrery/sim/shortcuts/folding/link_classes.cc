// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/link_classes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "orrery/sim/engine/state/network_memories.h"

namespace orrery::sim {

namespace {

// With more crossings, the comparison costs more than it saves.
constexpr std::size_t kMaxCrossings = std::size_t{1} << 24;

// Whether sums of such shares are exact in any order.
bool is_exact(float share) {
  constexpr int kBits = 20;
  const float scaled = std::ldexp(share, kBits);
  return scaled == std::floor(scaled);
}

}  // namespace

LinkClasses::LinkClasses(const graph::Workload& workload, const platform::RemoteMemory& memory,
                         const model::Network& network, const GraphShapes& shapes,
                         RankGroups& groups, std::vector<bool> ordered)
    : network_(network) {
  add_routes(workload, memory, shapes, groups);
  first_carried_.assign(network.link_count() + std::size_t{1}, 0);
  for (const model::Crossing& crossing : crossings_) ++first_carried_[crossing.link + 1];
  kinds_.assign(network.link_count(), kNone);
  WordInterner kinds;
  for (std::uint32_t link = 0; link < network.link_count(); ++link) {
    if (first_carried_[link + 1] > 0) {
      const model::LinkKind kind = network.link_kind(link);
      words_ = {std::bit_cast<std::uint64_t>(kind.bytes_per_ns),
                std::bit_cast<std::uint64_t>(kind.latency_ns)};
      kinds_[link] = kinds.number(words_);
    }
    first_carried_[link + 1] += first_carried_[link];
  }
  colors_.resize(kinds_.size());
  if (!why_not_.empty()) return;
  if (network.traits().in_order) {
    order_.emplace(carried_messages(), network.link_count(), std::move(ordered));
  } else {
    carried_.resize(crossings_.size());
  }
}

void LinkClasses::add_routes(const graph::Workload& workload, const platform::RemoteMemory& memory,
                             const GraphShapes& shapes, RankGroups& groups) {
  const std::uint32_t ranks = workload.rank_count();
  const bool in_order = network_.traits().in_order;
  first_message_route_.push_back(0);
  for (std::uint32_t rank = 0; rank < ranks && why_not_.empty(); ++rank) {
    for (const Peer& named : shapes.peers(workload.graph_of_rank[rank])) {
      const std::int64_t peer = named.of(rank);
      const bool there = peer >= 0 && peer < std::int64_t{ranks};
      add_route(rank, there ? static_cast<std::uint32_t>(peer) : rank);
    }
    const auto add = [&](model::EndPoint from, model::EndPoint to) {
      if (in_order && from != rank) why_not_ = "messages of switches wait at links";
      add_route(from, to);
    };
    if (!groups.each_message(rank, add)) why_not_ = "switches reduce over several levels";
    if (accesses_network(memory, shapes, workload.graph_of_rank[rank])) {
      if (in_order) why_not_ = "messages of memories wait at links";
      for (const model::EndPoint one : memories_of(memory, network_, rank)) {
        add_route(one, rank);
        add_route(rank, one);
      }
    }
    first_message_route_.push_back(message_routes_.size());
  }
}

// A message without a receiver, or to its own sender, crosses no links.
void LinkClasses::add_route(std::uint32_t from, std::uint32_t to) {
  MessageRoute& route = message_routes_.emplace_back();
  route.first = crossings_.size();
  if (from == to || to == kNone || !why_not_.empty()) return;
  network_.crossings(from, to, found_);
  for (const model::Crossing& crossing : found_) {
    if (!is_exact(crossing.share)) why_not_ = "messages are split unevenly";
    split_ = split_ || crossing.share != 1;
  }
  route.count = static_cast<std::uint32_t>(found_.size());
  crossings_.insert(crossings_.end(), found_.begin(), found_.end());
  if (crossings_.size() > kMaxCrossings) why_not_ = "messages use too many paths over shared links";
}

std::vector<CarriedMessage> LinkClasses::carried_messages() const {
  std::vector<CarriedMessage> made;
  made.reserve(crossings_.size());
  for (std::uint32_t rank = 0; rank + 1 < first_message_route_.size(); ++rank) {
    for (std::size_t i = first_message_route_[rank]; i < first_message_route_[rank + 1]; ++i) {
      const auto kind = static_cast<std::uint32_t>(i - first_message_route_[rank]);
      for (std::uint32_t hop = 0; hop < message_routes_[i].count; ++hop)
        made.push_back({crossings_[message_routes_[i].first + hop].link, rank, kind, hop});
    }
  }
  return made;
}

void LinkClasses::classify(const RankPartition& ranks) {
  if (order_) {
    order_->classify(ranks, kinds_, colors_);
  } else {
    count_carried(ranks);
    color_by_counts();
  }
  route_classes_.clear();
}

// Iterates class by class and kind by kind, so that the entries of each link are in that order.
void LinkClasses::count_carried(const RankPartition& ranks) {
  std::vector<std::size_t> next(first_carried_.begin(), first_carried_.end() - 1);
  for (std::uint32_t one = 0; one < ranks.classes(); ++one) {
    const auto members = ranks.members(one);
    const std::size_t kinds =
        first_message_route_[members.front() + 1] - first_message_route_[members.front()];
    for (std::uint32_t kind = 0; kind < kinds; ++kind) {
      for (const std::uint32_t rank : members) {
        const MessageRoute& route = message_routes_[first_message_route_[rank] + kind];
        for (std::uint32_t c = 0; c < route.count; ++c) {
          const model::Crossing& crossing = crossings_[route.first + c];
          carried_[next[crossing.link]++] = {pack_pair(one, kind), crossing.share};
        }
      }
    }
  }
}

void LinkClasses::color_by_counts() {
  WordInterner colors;
  for (std::uint32_t link = 0; link < kinds_.size(); ++link) {
    const auto first = carried_.begin() + static_cast<std::ptrdiff_t>(first_carried_[link]);
    const auto end = carried_.begin() + static_cast<std::ptrdiff_t>(first_carried_[link + 1]);
    if (split_) std::sort(first, end);
    words_.assign(1, kinds_[link]);
    for (auto one = first; one != end; ++one) {
      words_.push_back(one->what);
      if (split_) words_.push_back(std::bit_cast<std::uint32_t>(one->share));
    }
    colors_[link] = colors.number(words_);
  }
}

void LinkClasses::add_classes(std::uint32_t rank, std::vector<std::uint64_t>& words) {
  for (std::size_t i = first_message_route_[rank]; i < first_message_route_[rank + 1]; ++i) {
    words_.clear();
    for (std::uint32_t c = 0; c < message_routes_[i].count; ++c) {
      const std::size_t number = message_routes_[i].first + c;
      const model::Crossing& crossing = crossings_[number];
      words_.push_back(
          pack_pair(colors_[crossing.link],
                    order_ ? order_->role(number) : std::bit_cast<std::uint32_t>(crossing.share)));
    }
    words.push_back(route_classes_.number(words_));
  }
}

model::EquivalentLinks LinkClasses::equivalent() const {
  model::EquivalentLinks made;
  made.first.resize(colors_.size());
  made.count.assign(colors_.size(), 0);
  std::vector<std::uint32_t> first_of(colors_.size(), kNone);  // by color
  for (std::uint32_t link = 0; link < colors_.size(); ++link) {
    std::uint32_t& first = first_of[colors_[link]];
    if (first == kNone) first = link;
    made.first[link] = first;
    ++made.count[first];
  }
  for (std::uint32_t link = 0; link < colors_.size(); ++link)
    made.count[link] = made.count[made.first[link]];
  if (order_) order_->add_to(made);
  return made;
}

}  // namespace orrery::sim
