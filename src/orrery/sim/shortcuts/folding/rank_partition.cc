// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/rank_partition.h"

#include <algorithm>
#include <utility>

namespace orrery::sim {

RankPartition::RankPartition(std::vector<std::uint32_t> class_of, std::uint32_t classes)
    : class_of_(std::move(class_of)), parts_(classes) {
  order_.resize(class_of_.size());
  place_.resize(class_of_.size());
  for (const std::uint32_t one : class_of_) ++parts_[one].size;
  std::uint32_t first = 0;
  for (Part& part : parts_) {
    part.first = first;
    first += std::exchange(part.size, 0);
  }
  for (std::uint32_t rank = 0; rank < class_of_.size(); ++rank) {
    Part& part = parts_[class_of_[rank]];
    place_[rank] = part.first + part.size++;
    order_[place_[rank]] = rank;
  }
}

void RankPartition::split(std::vector<SplitDecision>& decisions,
                          std::vector<std::uint32_t>& changed) {
  std::sort(decisions.begin(), decisions.end());
  for (std::size_t begin = 0; begin < decisions.size();) {
    std::size_t end = begin + 1;
    while (end < decisions.size() && decisions[end].of_class == decisions[begin].of_class) ++end;
    split_class({decisions.data() + begin, end - begin}, changed);
    begin = end;
  }
}

void RankPartition::split_class(std::span<const SplitDecision> decisions,
                                std::vector<std::uint32_t>& changed) {
  const std::uint32_t one = decisions.front().of_class;
  const Part whole = parts_[one];
  const bool all = decisions.size() == whole.size;
  if (all && decisions.front().part == decisions.back().part) return;
  // Moves part by part to the end of the class; ranks without a decision remain at its beginning.
  made_.clear();
  std::uint32_t end = whole.first + whole.size;
  for (std::size_t i = decisions.size(); i-- > 0;) {
    const bool next = i + 1 == decisions.size() || decisions[i].part != decisions[i + 1].part;
    if (next) made_.push_back({end, 0});
    move(decisions[i].rank, --end);
    --made_.back().first;
    ++made_.back().size;
  }
  if (!all) made_.push_back({whole.first, end - whole.first});
  const auto smaller = [](const Part& a, const Part& b) { return a.size < b.size; };
  std::swap(*std::max_element(made_.begin(), made_.end(), smaller), made_.back());
  parts_[one] = made_.back();
  made_.pop_back();
  for (const Part& part : made_) rename(part, changed);
}

void RankPartition::move(std::uint32_t rank, std::uint32_t to) {
  const std::uint32_t other = order_[to];
  std::swap(order_[place_[rank]], order_[to]);
  std::swap(place_[rank], place_[other]);
}

void RankPartition::rename(const Part& part, std::vector<std::uint32_t>& changed) {
  const auto number = static_cast<std::uint32_t>(parts_.size());
  parts_.push_back(part);
  for (const std::uint32_t rank : members(number)) {
    class_of_[rank] = number;
    changed.push_back(rank);
  }
}

}  // namespace orrery::sim
