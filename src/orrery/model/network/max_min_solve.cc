// SPDX-License-Identifier: Apache-2.0
//
// The order of levels; max_min.h has the equations.
#include <algorithm>
#include <utility>

#include "orrery/model/network/max_min.h"

namespace orrery::model {

// The lowest key comes first, of equal ones the first link.
bool MaxMin::later(const Entry& a, const Entry& b) {
  return a.key != b.key ? a.key > b.key : a.link > b.link;
}

std::span<const std::uint32_t> MaxMin::solve() {
  run();
  return finish();
}

std::span<const std::uint32_t> MaxMin::solve_anew() {
  forget();
  run();
  return finish();
}

// Links have no levels, flows what they would take.
void MaxMin::forget() {
  for (Link& link : links_) {
    link.level = kUnlimited;
    link.finite = {};
    link.unlimited = 0;
  }
  for (std::uint32_t number = 0; number < flows_.size(); ++number) {
    const Flow& flow = flows_[number];
    if (flow.state == State::removed) continue;
    note(number);
    rates_[number] = flow.cap;
    for (const Place& place : places(flow)) links_[place.link].put(flow.cap, place.share);
  }
  for (std::uint32_t link = 0; link < links_.size(); ++link) mark(link);
}

void MaxMin::run() {
  reached_ = 0;
  for (const std::uint32_t link : dirty_) inspect(link);
  dirty_.clear();
  Entry entry;
  while (pop(entry)) {
    reached_ = entry.key;
    visit(entry.link);
  }
}

// A link whose flows or whose capacity are others than before.
void MaxMin::inspect(std::uint32_t number) {
  // Sums of n terms differ by n roundings, of which each is 2^-53 of the whole.
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  Link& link = links_[number];
  link.dirty = false;
  const std::size_t members = members_[number].size();
  link.slack = link.capacity * kRounding * static_cast<double>(members + 64);
  if (members == 0) {
    link.finite = {};
    link.level = kUnlimited;
  } else if (link.over()) {
    push(number, lower_level(number));
  } else if (link.under()) {
    push(number, link.level);
  }
}

// The link that comes next. Its key may be too low by now; then its turn comes later.
void MaxMin::visit(std::uint32_t number) {
  Link& link = links_[number];
  const double key = std::exchange(link.key, kUnlimited);
  if (link.over()) {
    const double level = link.stale ? lower_level(number) : key;
    if (level > key && level > next_key())
      push(number, level);
    else if (level < link.level)
      lower(number, level);
  } else if (link.under()) {
    if (link.level > key && link.level > next_key())
      push(number, link.level);
    else
      raise(number);
  }
}

// The link is full at this level, and at none that it had.
void MaxMin::lower(std::uint32_t number, double level) {
  links_[number].level = level;
  for (const Member& member : members_[number]) {
    if (rates_[member.flow] > level) drop(member.flow, level);
  }
}

// Flows that the link alone holds back take what it has left, or as much as others let them.
void MaxMin::raise(std::uint32_t number) {
  Link& link = links_[number];
  contenders_.clear();
  risers_.clear();
  for (const Member& member : members_[number]) {
    double most = rates_[member.flow];
    if (most >= link.level) {
      most = limit(flows_[member.flow], number);
      risers_.push_back({member.flow, most});
    }
    contenders_.push_back({most, member.share});
  }
  const double level = fill(link.capacity, link.level);
  if (level <= link.level) return;
  link.level = level;
  for (const Riser& riser : risers_) {
    const double rate = std::min(riser.limit, level);
    if (rate > rates_[riser.flow]) lift(riser.flow, rate);
  }
  for (const std::uint32_t other : touched_) {
    links_[other].touched = false;
    if (other != number && links_[other].over()) push(other, lower_level(other));
  }
  touched_.clear();
}

// Links that get room may be under. Of those that are over the level may be higher than it was
// thought, unless the flow takes no less than that anyway.
void MaxMin::drop(std::uint32_t number, double rate) {
  note(number);
  const double before = std::exchange(rates_[number], rate);
  for (const Place& place : places(flows_[number])) {
    Link& link = links_[place.link];
    link.take(before, place.share);
    link.put(rate, place.share);
    if (link.key < kUnlimited)
      link.stale = link.stale || rate < link.key;
    else if (link.under())
      push(place.link, link.level);
  }
}

// Links that lose room may be over.
void MaxMin::lift(std::uint32_t number, double rate) {
  note(number);
  const double before = std::exchange(rates_[number], rate);
  for (const Place& place : places(flows_[number])) {
    Link& link = links_[place.link];
    link.take(before, place.share);
    link.put(rate, place.share);
    if (link.touched || !link.over()) continue;
    link.touched = true;
    touched_.push_back(place.link);
  }
}

// What the level of a link that is over has to come down to.
double MaxMin::lower_level(std::uint32_t number) {
  contenders_.clear();
  for (const Member& member : members_[number])
    contenders_.push_back({rates_[member.flow], member.share});
  return fill(links_[number].capacity, reached_);
}

// The level at which contenders_ fill the capacity: those with lower limits take these, the others
// the level. It is at least `level`, and kUnlimited if there is enough for all.
double MaxMin::fill(double capacity, double level) {
  double limited = 0;
  for (bool first = true;; first = false) {
    double open = 0;
    std::size_t kept = 0;
    for (const Contender& contender : contenders_) {
      if (contender.limit < level) {
        limited += contender.limit * contender.share;
      } else {
        open += contender.share;
        contenders_[kept++] = contender;
      }
    }
    contenders_.resize(kept);
    if (kept == 0) return kUnlimited;
    const double next = std::max(level, (capacity - limited) / open);
    if (next == level && !first) return level;
    level = next;
  }
}

void MaxMin::push(std::uint32_t number, double key) {
  Link& link = links_[number];
  link.stale = false;
  link.key = key;
  if (key == kUnlimited) return;
  queue_.push_back({key, number});
  std::push_heap(queue_.begin(), queue_.end(), later);
}

bool MaxMin::pop(Entry& entry) {
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), later);
    entry = queue_.back();
    queue_.pop_back();
    if (links_[entry.link].key == entry.key) return true;
  }
  return false;
}

double MaxMin::next_key() const { return queue_.empty() ? kUnlimited : queue_.front().key; }

}  // namespace orrery::model
