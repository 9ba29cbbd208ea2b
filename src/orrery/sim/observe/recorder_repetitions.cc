// SPDX-License-Identifier: Apache-2.0
//
// What a recording contains of skipped repetitions. A recording depends only on the calls of the
// observer. If the run repeats, the calls repeat, later and for later nodes and chunks. The calls
// of a window (begin_window()) are the calls of one repetition.
#include <algorithm>
#include <compare>
#include <numeric>
#include <tuple>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/sim/observe/recorder.h"

namespace orrery::sim {

/// A collective to which members can still add.
struct Recorder::OpenCollective {
  CollectiveInstance one;
  std::uint32_t members = 0;  ///< see open_members_
  std::int64_t library_time = -1;
};

struct Recorder::CollectivePlace {
  std::uint32_t group_class = 0;
  std::uint64_t order = 0;

  friend auto operator<=>(const CollectivePlace&, const CollectivePlace&) = default;
};

void Recorder::begin_window() {
  in_window_ = true;
  window_traffic_.clear();
  window_collectives_ = recording_->collectives.size();
}

void Recorder::end_window() {
  in_window_ = false;
  window_traffic_ = {};
}

std::uint32_t Recorder::find(std::uint32_t group_class, std::uint64_t order) const {
  const auto& list = by_order_[group_class];
  const auto place = std::lower_bound(list.begin(), list.end(), std::pair{order, std::uint32_t{0}});
  return place == list.end() || place->first != order ? kNone : place->second;
}

// Nearly always, the collective is the last one of its class, or later than all of them.
std::uint32_t Recorder::find_or_add(std::uint32_t group_class, std::uint64_t order) {
  auto& list = by_order_[group_class];
  if (!list.empty() && list.back().first == order) return list.back().second;
  const auto place =
      list.empty() || list.back().first < order
          ? list.end()
          : std::lower_bound(list.begin(), list.end(), std::pair{order, std::uint32_t{0}});
  if (place != list.end() && place->first == order) return place->second;
  const auto number = static_cast<std::uint32_t>(recording_->collectives.size());
  list.insert(place, {order, number});
  CollectiveInstance& made = recording_->collectives.emplace_back();
  made.group_class = group_class;
  made.order = order;
  open_members_.push_back(0);
  return number;
}

// All members of the others have issued their chunks and have ended. Sorted by class and order.
std::vector<std::uint32_t> Recorder::unfinished(std::span<const IssuedChunks> issued) {
  std::erase_if(open_, [&](std::uint32_t number) {
    const CollectiveInstance& one = recording_->collectives[number];
    return open_members_[number] == 0 && one.members >= groups_.size(one.group_class);
  });
  std::vector<std::uint32_t> found = open_;
  // A collective without bytes has no chunk of its own: the next one of its group has its number.
  for (std::uint32_t c = 0; c < by_order_.size(); ++c) {
    const std::uint32_t communicator = groups_.communicator(c);
    const std::uint64_t skipped =
        communicator < skipped_chunks_.size() ? skipped_chunks_[communicator] : 0;
    for (auto at = by_order_[c].rbegin();
         at != by_order_[c].rend() && at->first >= issued[communicator].least + skipped; ++at)
      found.push_back(at->second);
  }
  const auto place = [&](std::uint32_t number) {
    const CollectiveInstance& one = recording_->collectives[number];
    return std::tuple(one.group_class, one.order);
  };
  std::sort(found.begin(), found.end(),
            [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void Recorder::append_collectives(std::span<const IssuedChunks> issued, std::int64_t now,
                                  std::vector<std::int64_t>& words) {
  skipped_chunks_.resize(issued.size());
  library_times_.resize(recording_->collectives.size(), -1);
  const std::vector<std::uint32_t> open = unfinished(issued);
  words.push_back(static_cast<std::int64_t>(open.size()));
  for (const std::uint32_t number : open) {
    const CollectiveInstance& one = recording_->collectives[number];
    const std::uint32_t communicator = groups_.communicator(one.group_class);
    const std::uint64_t base = issued[communicator].first + skipped_chunks_[communicator];
    const std::int64_t row[] = {one.group_class,
                                static_cast<std::int64_t>(one.order - base),
                                one.members,
                                open_members_[number],
                                one.last_start - now,
                                one.bytes,
                                static_cast<std::int64_t>(one.sent),
                                static_cast<std::int64_t>(one.type),
                                one.predicted,
                                library_times_[number]};
    words.insert(words.end(), std::begin(row), std::end(row));
  }
}

void Recorder::skip_repetitions(const Jump& jump, std::span<const IssuedChunks> issued) {
  jump_ = jump;
  one_repetition_later_.clear();
  repeat_traffic(jump);
  repeat_collectives(jump, unfinished(issued));
  for (std::size_t c = 0; c < jump.chunk_step.size(); ++c)
    skipped_chunks_[c] += static_cast<std::uint64_t>(jump.repetitions) * jump.chunk_step[c];
  end_window();
}

void Recorder::repeat_traffic(const Jump& jump) {
  for (const TrafficSpan& span : window_traffic_) {
    for (std::int64_t i = 1; i <= jump.repetitions; ++i)
      traffic_.add(span.slot, span.from + i * jump.step, span.until + i * jump.step, span.bytes,
                   span.times);
  }
}

std::uint64_t Recorder::chunks_per_repetition(std::uint32_t group_class) const {
  return jump_.chunk_step[groups_.communicator(group_class)];
}

// Places of collectives that are finished after the jump: those that are open before it, and those
// that begin during the skipped repetitions. Ascending.
std::vector<Recorder::CollectivePlace> Recorder::repeated_places(
    const Jump& jump, std::span<const std::uint32_t> open) const {
  std::vector<CollectivePlace> places;
  const auto& all = recording_->collectives;
  const auto add = [&](std::uint32_t number, std::int64_t i) {
    const CollectiveInstance& one = all[number];
    const std::uint64_t step = chunks_per_repetition(one.group_class);
    places.push_back({one.group_class, one.order + static_cast<std::uint64_t>(i) * step});
  };
  for (const std::uint32_t number : open) add(number, 0);
  // In their order: what a repetition adds is later than what the one before adds.
  std::vector<std::uint32_t> window(all.size() - window_collectives_);
  std::iota(window.begin(), window.end(), static_cast<std::uint32_t>(window_collectives_));
  std::sort(window.begin(), window.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(all[a].group_class, all[a].order) < std::tie(all[b].group_class, all[b].order);
  });
  for (auto first = window.begin(); first != window.end();) {
    const auto last = std::find_if(first, window.end(), [&](std::uint32_t number) {
      return all[number].group_class != all[*first].group_class;
    });
    for (std::int64_t i = 1; i <= jump.repetitions; ++i)
      for (auto number = first; number != last; ++number) add(*number, i);
    first = last;
  }
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(open.size());
  if (!std::is_sorted(middle, places.end())) std::sort(middle, places.end());
  std::inplace_merge(places.begin(), middle, places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

// After the jump, the open collectives are those before it, `jump.repetitions` repetitions later.
// The others equal the collective of their group one repetition earlier, except for their times.
void Recorder::repeat_collectives(const Jump& jump, const std::vector<std::uint32_t>& open) {
  auto& all = recording_->collectives;
  std::vector<OpenCollective> moved;
  std::vector<bool> is_open(all.size());
  for (const std::uint32_t number : open) {
    OpenCollective made{all[number], open_members_[number], library_times_[number]};
    made.one.order +=
        static_cast<std::uint64_t>(jump.repetitions) * chunks_per_repetition(made.one.group_class);
    made.one.last_start += jump.delay();
    moved.push_back(made);
    is_open[number] = true;
  }
  auto later = moved.begin();  // sorted like the places
  for (const CollectivePlace& place : repeated_places(jump, open)) {
    const auto key = [](const OpenCollective& one) {
      return CollectivePlace{one.one.group_class, one.one.order};
    };
    while (later != moved.end() && key(*later) < place) ++later;
    if (later != moved.end() && key(*later) == place) continue;
    const std::uint32_t known = find(place.group_class, place.order);
    if (known != kNone && (known >= is_open.size() || !is_open[known])) continue;
    const std::uint32_t source =
        find(place.group_class, place.order - chunks_per_repetition(place.group_class));
    ORRERY_CHECK(source != kNone && source != known);
    const std::uint32_t number = find_or_add(place.group_class, place.order);
    all[number] = all[source];
    all[number].order = place.order;
    all[number].last_start += jump.step;
    open_members_[number] = 0;
    if (number < is_open.size()) is_open[number] = false;
  }
  open_.clear();
  for (const OpenCollective& one : moved) {
    const std::uint32_t number = find_or_add(one.one.group_class, one.one.order);
    all[number] = one.one;
    open_members_[number] = one.members;
    library_times_.resize(all.size(), -1);
    library_times_[number] = one.library_time;
    open_.push_back(number);
  }
}

void Recorder::move_node(std::uint32_t rank, graph::NodeId from, graph::NodeId to) {
  if (!has_details(rank, to)) return;
  NodeDetail& moved = detail(rank, to);
  moved = detail(rank, from);
  if (moved.collective == kNone) return;
  const CollectiveInstance& before = recording_->collectives[moved.collective];
  moved.collective =
      find(before.group_class, before.order + static_cast<std::uint64_t>(jump_.repetitions) *
                                                  chunks_per_repetition(before.group_class));
  ORRERY_CHECK(moved.collective != kNone);
}

void Recorder::repeat_node(std::uint32_t rank, graph::NodeId node, graph::NodeId step) {
  const Recording::RankDetails& of = details_of_[rank];
  const DetailedNodes& nodes = recording_->detailed[of.graph];
  const std::uint32_t number = nodes.number(node);
  if (number == kNone) return;
  NodeDetail& repeated = recording_->details[of.first + number];
  repeated = recording_->details[of.first + nodes.number(node - step)];
  if (repeated.collective != kNone) repeated.collective = one_repetition_later(repeated.collective);
}

// All members of a collective request it.
std::uint32_t Recorder::one_repetition_later(std::uint32_t collective) {
  if (collective >= one_repetition_later_.size())
    one_repetition_later_.resize(recording_->collectives.size(), kNone);
  std::uint32_t& later = one_repetition_later_[collective];
  if (later != kNone) return later;
  const CollectiveInstance& before = recording_->collectives[collective];
  later = find(before.group_class, before.order + chunks_per_repetition(before.group_class));
  ORRERY_CHECK(later != kNone);
  return later;
}

}  // namespace orrery::sim
