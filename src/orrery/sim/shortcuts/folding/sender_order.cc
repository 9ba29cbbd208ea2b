// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/sender_order.h"

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::sim {

SenderOrder::SenderOrder(std::vector<CarriedMessage> carried, std::uint32_t links,
                         std::vector<bool> ordered)
    : carried_(std::move(carried)),
      by_link_(carried_.size()),
      roles_(carried_.size()),
      ordered_(std::move(ordered)) {
  std::vector<std::size_t> next(links + std::size_t{1}, 0);
  for (const CarriedMessage& one : carried_) ++next[one.link + 1];
  for (std::uint32_t link = 0; link < links; ++link) next[link + 1] += next[link];
  for (std::size_t i = 0; i < carried_.size(); ++i) by_link_[next[carried_[i].link]++] = i;
  // Now next[link] is the end of the link's messages.
  std::size_t at = 0;
  for (std::uint32_t link = 0; link < links; ++link) {
    first_sender_.push_back(senders_.size());
    for (; at < next[link]; ++at) {
      const std::uint32_t rank = carried_[by_link_[at]].sender;
      const bool is_new = senders_.size() == first_sender_.back() || senders_.back().rank != rank;
      if (is_new) senders_.push_back({at, rank, 0});
    }
  }
  first_sender_.push_back(senders_.size());
  senders_.push_back({by_link_.size(), kNone, 0});
}

void SenderOrder::number_sets(const RankPartition& ranks) {
  WordInterner sets;
  for (std::size_t s = 0; s + 1 < senders_.size(); ++s) {
    words_.assign(1, ranks.class_of()[senders_[s].rank]);
    for (std::size_t i = senders_[s].first; i < senders_[s + 1].first; ++i) {
      const CarriedMessage& one = carried_[by_link_[i]];
      words_.push_back(pack_pair(one.kind, one.hop));
    }
    senders_[s].set = sets.number(words_);
  }
}

// Leaves the sets of the link's senders in sorted_, ascending, each with the index of its sender.
void SenderOrder::find_roles(std::uint32_t link) {
  const auto all = senders(link);
  sorted_.clear();
  for (std::uint32_t s = 0; s < all.size(); ++s) sorted_.push_back(pack_pair(all[s].set, s));
  std::sort(sorted_.begin(), sorted_.end());
  std::uint32_t repeats = 0;
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    repeats = i > 0 && sorted_[i] >> 32 == sorted_[i - 1] >> 32 ? repeats + 1 : 0;
    const std::size_t sender = first_sender_[link] + static_cast<std::uint32_t>(sorted_[i]);
    words_.assign(1, pack_pair(senders_[sender].set, repeats));
    const std::uint32_t role = role_numbers_.number(words_);
    for (std::size_t m = senders_[sender].first; m < senders_[sender + 1].first; ++m)
      roles_[by_link_[m]] = role;
  }
}

void SenderOrder::classify(const RankPartition& ranks, std::span<const std::uint32_t> kinds,
                           std::vector<std::uint32_t>& colors) {
  number_sets(ranks);
  role_numbers_.clear();
  WordInterner numbers;
  for (std::uint32_t link = 0; link < kinds.size(); ++link) {
    find_roles(link);
    const bool in_sequence = !ordered_.empty() && ordered_[link];
    words_.assign(1, pack_pair(kinds[link], in_sequence ? 1 : 0));
    if (in_sequence) {
      for (const Sender& one : senders(link)) words_.push_back(one.set);
    } else {
      for (const std::uint64_t one : sorted_) words_.push_back(one >> 32);
    }
    colors[link] = numbers.number(words_);
  }
}

void SenderOrder::add_to(model::EquivalentLinks& links) const {
  const auto count = static_cast<std::uint32_t>(links.first.size());
  links.first_sender = first_sender_;
  links.ordered.assign(count, true);
  for (std::size_t s = 0; s + 1 < senders_.size(); ++s) links.senders.push_back(senders_[s].rank);
  links.places.resize(links.senders.size());
  std::vector<std::vector<std::uint64_t>> place_of(
      count);  // by first link: (set, place), ascending
  for (std::uint32_t link = 0; link < count; ++link) {
    const auto all = senders(link);
    std::vector<std::uint64_t>& known = place_of[links.first[link]];
    if (links.first[link] == link) {
      for (std::uint32_t s = 0; s < all.size(); ++s) known.push_back(pack_pair(all[s].set, s));
      std::sort(known.begin(), known.end());
    }
    for (std::uint32_t s = 0; s < all.size(); ++s) {
      const auto found = std::lower_bound(known.begin(), known.end(), pack_pair(all[s].set, 0));
      ORRERY_CHECK(found != known.end() && *found >> 32 == all[s].set);
      const auto place = static_cast<std::uint32_t>(*found);
      links.places[first_sender_[link] + s] = place;
      if (place != s) links.ordered[links.first[link]] = false;
    }
  }
}

}  // namespace orrery::sim
