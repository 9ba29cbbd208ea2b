// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/node_pages.h"

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::sim {
namespace {

constexpr std::uint64_t kReleaseEvery = 4;  // pages: costs a few microseconds per about 4,000 nodes

}  // namespace

void NodePages::add(const graph::Graph& graph) {
  Rank& rank = ranks_.emplace_back();
  rank.graph = &graph;
  rank.first_page = pending_.size();
  const std::size_t pages =
      rank.first_page + static_cast<std::size_t>((std::uint64_t{graph.size()} + kPage - 1) / kPage);
  waits_.resize(pages);
  times_.resize(pages);
  pending_.resize(pages, kNotBegun);
  if (graph.spilled_bytes() == 0) return;
  const auto [known, fresh] =
      spilled_number_.emplace(&graph, static_cast<std::uint32_t>(spilled_.size()));
  if (fresh) spilled_.push_back({&graph, 0, 0});
  rank.spilled = known->second;
  ++spilled_[rank.spilled].ranks;
}

std::uint32_t NodePages::size_of(std::uint32_t rank, std::size_t page) const {
  const std::size_t before = (page - ranks_[rank].first_page) * kPage;
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(kPage, ranks_[rank].graph->size() - before));
}

template <class T>
std::unique_ptr<T[]> NodePages::take_array(std::uint32_t size,
                                           std::vector<std::unique_ptr<T[]>>& spare) {
  if (size == kPage && !spare.empty()) {
    auto array = std::move(spare.back());
    spare.pop_back();
    return array;
  }
  array_bytes_ += size * sizeof(T);
  return std::make_unique<T[]>(size);
}

template <class T>
void NodePages::return_array(std::unique_ptr<T[]>& array, std::uint32_t size,
                             std::vector<std::unique_ptr<T[]>>& spare) {
  if (size == kPage) {
    spare.push_back(std::move(array));
  } else {
    array_bytes_ -= size * sizeof(T);
    array.reset();
  }
}

void NodePages::make_page(std::uint32_t rank, std::size_t page) {
  ORRERY_CHECK(pending_[page] == kNotBegun);  // a page that has ended is never requested
  const std::uint32_t size = size_of(rank, page);
  waits_[page] = take_array(size, spare_waits_);
  times_[page] = take_array(size, spare_times_);
  pending_[page] = static_cast<std::uint16_t>(size);
  const Rank& of = ranks_[rank];
  const auto degrees = of.graph->in_degrees().subspan((page - of.first_page) << kShift, size);
  std::copy(degrees.begin(), degrees.end(), waits_[page].get());
  std::fill_n(times_[page].get(), size, NodeTimes{});
}

void NodePages::free_page(std::uint32_t rank, std::size_t page) {
  const std::uint32_t size = size_of(rank, page);
  return_array(waits_[page], size, spare_waits_);
  return_array(times_[page], size, spare_times_);
  if (ranks_[rank].spilled != kInMemory) count_ended(spilled_[ranks_[rank].spilled]);
}

// Ranks that share a graph progress at about the same speed, so that the graph is released after
// this many pages of each.
void NodePages::count_ended(Spilled& spilled) {
  ++spilled.ended;
  const std::uint64_t pages = (std::uint64_t{spilled.graph->size()} + kPage - 1) >> kShift;
  if (spilled.ended % (kReleaseEvery * spilled.ranks) == 0 ||
      spilled.ended == pages * spilled.ranks)
    spilled.graph->release();
}

std::size_t NodePages::resident_bytes() const {
  return array_bytes_ + ranks_.capacity() * sizeof(Rank) + spilled_.capacity() * sizeof(Spilled) +
         pending_.capacity() * (sizeof(waits_[0]) + sizeof(times_[0]) + sizeof(pending_[0]));
}

void NodePages::save(StateWriter& to) const {
  to(pending_);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::size_t end =
        rank + 1 < ranks_.size() ? ranks_[rank + 1].first_page : pending_.size();
    for (std::size_t page = ranks_[rank].first_page; page < end; ++page) {
      to(waits_[page] != nullptr);
      if (!waits_[page]) continue;
      for (std::uint32_t i = 0; i < size_of(rank, page); ++i) to(waits_[page][i], times_[page][i]);
    }
  }
  for (const Spilled& spilled : spilled_) to(spilled.ended);
}

void NodePages::load(StateReader& from) {
  const auto pending = from.take<std::vector<std::uint16_t>>();
  from.require(pending.size() == pending_.size());
  for (std::uint32_t rank = 0; rank < ranks_.size() && !from.failed(); ++rank) {
    const std::size_t end =
        rank + 1 < ranks_.size() ? ranks_[rank + 1].first_page : pending_.size();
    for (std::size_t page = ranks_[rank].first_page; page < end && !from.failed(); ++page) {
      if (from.take<bool>()) {
        make_page(rank, page);
        for (std::uint32_t i = 0; i < size_of(rank, page); ++i)
          from(waits_[page][i], times_[page][i]);
      }
      pending_[page] = pending[page];
    }
  }
  for (Spilled& spilled : spilled_) from(spilled.ended);
}

}  // namespace orrery::sim
