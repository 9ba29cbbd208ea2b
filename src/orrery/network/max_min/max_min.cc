// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/max_min/max_min.h"

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::model {

MaxMin::MaxMin(std::vector<double> capacities)
    : links_(capacities.size()), members_(capacities.size()) {
  for (std::uint32_t link = 0; link < capacities.size(); ++link)
    set_capacity(link, capacities[link]);
}

std::uint32_t MaxMin::add(std::span<const Hop> hops, double cap, std::uint32_t weight) {
  ORRERY_CHECK(cap >= 0 && weight > 0);
  std::uint32_t number = static_cast<std::uint32_t>(flows_.size());
  if (free_flows_.empty()) {
    flows_.emplace_back();
    rates_.push_back(0);
  } else {
    number = free_flows_.back();
    free_flows_.pop_back();
  }
  Flow& flow = flows_[number];
  flow.cap = cap;
  flow.reserved = static_cast<std::uint32_t>(hops.size());
  flow.first = place_for(flow.reserved);
  flow.hops = 0;
  flow.weight = weight;
  flow.state = State::fresh;
  for (const Hop& hop : hops) add_hop(number, hop);
  const double rate = limit(flow, link_count());
  rates_[number] = rate;
  for (const Place& at : places(flow)) links_[at.link].add_rate(rate, share(flow, at));
  if (!flow.is_rate_saved) {
    flow.is_rate_saved = true;
    changed_.push_back(number);
  }
  return number;
}

// Reuses the places of removed flows with the same number of hops.
std::uint32_t MaxMin::place_for(std::uint32_t hops) {
  if (hops >= free_places_.size()) free_places_.resize(hops + 1);
  std::vector<std::uint32_t>& free = free_places_[hops];
  if (!free.empty()) {
    const std::uint32_t first = free.back();
    free.pop_back();
    return first;
  }
  const std::size_t first = places_.size();
  ORRERY_CHECK(first + hops <= std::numeric_limits<std::uint32_t>::max());
  places_.resize(first + hops);
  return static_cast<std::uint32_t>(first);
}

void MaxMin::add_hop(std::uint32_t number, const Hop& hop) {
  ORRERY_CHECK(hop.link < links_.size() && hop.share > 0);
  Flow& flow = flows_[number];
  std::vector<Member>& members = members_[hop.link];
  if (!members.empty() && members.back().flow == number) {
    Place& place = places_[members.back().place];
    place.share += hop.share;
    members.back().share = share(flow, place);
    return;
  }
  const std::uint32_t number_of_place = flow.first + flow.hops++;
  Place& place = places_[number_of_place];
  place = {hop.link, static_cast<std::uint32_t>(members.size()), hop.share};
  members.push_back({number, number_of_place, share(flow, place)});
  mark(hop.link);
}

void MaxMin::set_weight(std::uint32_t number, std::uint32_t weight) {
  ORRERY_CHECK(number < flows_.size() && flows_[number].state != State::removed && weight > 0);
  Flow& flow = flows_[number];
  const std::uint32_t before = std::exchange(flow.weight, weight);
  for (const Place& place : places(flow)) {
    Link& link = links_[place.link];
    link.subtract_rate(rates_[number], place.share * before);
    link.add_rate(rates_[number], share(flow, place));
    members_[place.link][place.member].share = share(flow, place);
    mark(place.link);
  }
}

void MaxMin::remove(std::uint32_t number) {
  ORRERY_CHECK(number < flows_.size() && flows_[number].state != State::removed);
  Flow& flow = flows_[number];
  for (const Place& place : places(flow)) {
    Link& link = links_[place.link];
    link.subtract_rate(rates_[number], share(flow, place));
    ++link.removed;
    mark(place.link);
  }
  removed_flows_.push_back(number);
  flow.state = State::removed;
}

// Removes removed flows from the members of their links: one by one if they are few, otherwise in
// one pass over all members.
void MaxMin::erase_removed_flows() {
  constexpr std::size_t kFew = 16;
  if (removed_flows_.empty()) return;
  for (const std::uint32_t link : dirty_) {
    if (links_[link].removed * kFew >= members_[link].size()) erase_removed(link);
  }
  for (const std::uint32_t number : removed_flows_) {
    const Flow& flow = flows_[number];
    for (const Place& place : places(flow)) {
      if (links_[place.link].removed > 0) remove_member(place);
    }
    free_places_[flow.reserved].push_back(flow.first);
    free_flows_.push_back(number);
  }
  removed_flows_.clear();
  for (const std::uint32_t link : dirty_) links_[link].removed = 0;
}

void MaxMin::erase_removed(std::uint32_t number) {
  Link& link = links_[number];
  std::vector<Member>& members = members_[number];
  if (link.removed == members.size()) {
    members.clear();
  } else {
    std::size_t retained = 0;
    for (const Member& member : members) {
      if (flows_[member.flow].state == State::removed) continue;
      places_[member.place].member = static_cast<std::uint32_t>(retained);
      members[retained++] = member;
    }
    members.resize(retained);
  }
  link.removed = 0;
}

void MaxMin::remove_member(const Place& place) {
  std::vector<Member>& members = members_[place.link];
  const Member last = members.back();
  members[place.member] = last;
  places_[last.place].member = place.member;
  members.pop_back();
}

void MaxMin::set_capacity(std::uint32_t link, double capacity) {
  ORRERY_CHECK(capacity >= 0);
  links_[link].capacity = capacity;
  mark(link);
}

void MaxMin::mark(std::uint32_t link) {
  if (links_[link].dirty) return;
  links_[link].dirty = true;
  dirty_.push_back(link);
}

// Stores the flow's rate before it changes.
void MaxMin::save_rate(std::uint32_t number) {
  Flow& flow = flows_[number];
  if (flow.is_rate_saved) return;
  flow.is_rate_saved = true;
  flow.before = rates_[number];
  changed_.push_back(number);
}

double MaxMin::limit(const Flow& flow, std::uint32_t except) const {
  double minimum = flow.cap;
  for (const Place& place : places(flow)) {
    if (place.link != except) minimum = std::min(minimum, links_[place.link].level);
  }
  return minimum;
}

std::span<const std::uint32_t> MaxMin::finish() {
  reported_.clear();
  for (const std::uint32_t number : changed_) {
    Flow& flow = flows_[number];
    flow.is_rate_saved = false;
    if (flow.state == State::removed) continue;
    if (flow.state == State::fresh || rates_[number] != flow.before) reported_.push_back(number);
    flow.state = State::solved;
  }
  changed_.clear();
  return reported_;
}

// The order of levels; see max_min.h for the equations.

// Orders by key, then by link.
bool MaxMin::later(const Entry& a, const Entry& b) {
  return a.key != b.key ? a.key > b.key : a.link > b.link;
}

std::span<const std::uint32_t> MaxMin::solve() {
  // The ascending order needs far fewer visits; rounding errors could cause more.
  const std::size_t max_visits = links_.size() + 8 * places_.size() + 1000;
  if (!visit_links(max_visits)) return solve_from_scratch();
  return finish();
}

std::span<const std::uint32_t> MaxMin::solve_from_scratch() {
  reset_levels();
  from_scratch_ = true;
  visit_links(std::numeric_limits<std::size_t>::max());
  from_scratch_ = false;
  return finish();
}

// Resets all links to infinite levels and all flows to their caps.
void MaxMin::reset_levels() {
  erase_removed_flows();
  sorted_.clear();
  next_sorted_ = 0;
  heap_.clear();
  for (Link& link : links_) {
    link.level = kUnlimited;
    link.key = kUnlimited;
    link.finite = link.open = {};
    link.unlimited = 0;
  }
  for (std::uint32_t number = 0; number < flows_.size(); ++number) {
    const Flow& flow = flows_[number];
    if (flow.state == State::removed) continue;
    save_rate(number);
    rates_[number] = flow.cap;
    for (const Place& place : places(flow))
      links_[place.link].add_rate(flow.cap, share(flow, place));
  }
  for (std::uint32_t link = 0; link < links_.size(); ++link) mark(link);
}

// Visits links until none is over or under. False: this needs more than `visits` visits.
bool MaxMin::visit_links(std::size_t visits) {
  erase_removed_flows();
  reached_ = 0;
  for (const std::uint32_t link : dirty_) inspect(link);
  dirty_.clear();
  const auto lower = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  if (!std::is_sorted(sorted_.begin(), sorted_.end(), lower)) {
    std::sort(sorted_.begin(), sorted_.end(),
              [](const Entry& a, const Entry& b) { return later(b, a); });
  }
  Entry entry;
  while (pop(entry)) {
    if (visits-- == 0) return false;
    reached_ = entry.key;
    visit(entry.link);
  }
  return true;
}

// Queues a link with other flows or another capacity if it is over or under.
void MaxMin::inspect(std::uint32_t number) {
  // A sum of n terms has n rounding errors, each at most 2^-53 of the sum.
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  Link& link = links_[number];
  link.dirty = false;
  const std::size_t members = members_[number].size();
  link.slack = link.capacity < kUnlimited
                   ? link.capacity * kRounding * static_cast<double>(members + 64)
                   : 0;
  if (link.unlimited == 0) link.open = {};
  link.rising = link.unlimited == members;
  if (link.rising) link.finite = {};
  if (members == 0) {
    link.level = kUnlimited;
  } else if (link.over()) {
    set_key(number, lower_level(number), sorted_);
  } else if (link.under()) {
    set_key(number, link.level, sorted_);
  }
}

// Processes the link with the lowest key. If its key has become too low, it is queued again.
void MaxMin::visit(std::uint32_t number) {
  Link& link = links_[number];
  const double key = std::exchange(link.key, kUnlimited);
  if (from_scratch_ && link.level < kUnlimited) return;
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

// Lowers the level of a link to `level`, at which the link is full.
void MaxMin::lower(std::uint32_t number, double level) {
  // With many flows, most of the time is spent on cache misses, hence the prefetches.
  constexpr std::size_t kAhead = 8;
  links_[number].level = level;
  const std::vector<Member>& members = members_[number];
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i + 2 * kAhead < members.size()) __builtin_prefetch(&rates_[members[i + 2 * kAhead].flow]);
    if (i + kAhead < members.size() && rates_[members[i + kAhead].flow] > level) {
      __builtin_prefetch(&flows_[members[i + kAhead].flow]);
      __builtin_prefetch(&places_[members[i + kAhead].place]);
    }
    if (rates_[members[i].flow] > level) lower_rate(members[i].flow, level);
  }
}

// Raises the level of a link. The flows that only this link limits share its free capacity, up to
// the limits of their other links.
void MaxMin::raise(std::uint32_t number) {
  Link& link = links_[number];
  contenders_.clear();
  rising_flows_.clear();
  for (const Member& member : members_[number]) {
    double maximum = rates_[member.flow];
    if (maximum >= link.level) {
      maximum = limit(flows_[member.flow], number);
      rising_flows_.push_back({member.flow, maximum});
    }
    contenders_.push_back({maximum, member.share});
  }
  const double level = fill(link.capacity, link.level);
  if (level <= link.level) return;
  link.level = level;
  for (const RisingFlow& rising : rising_flows_) {
    const double rate = std::min(rising.limit, level);
    if (rate > rates_[rising.flow]) raise_rate(rising.flow, rate);
  }
  for (const std::uint32_t other : touched_) {
    links_[other].touched = false;
    if (other != number && links_[other].over()) push(other, lower_level(other));
  }
  touched_.clear();
}

// Lowers the rate of a flow. Its links gain free capacity and may be under. For a link that is
// queued, the new level may be higher than its key if the rate falls below the key: it is stale.
void MaxMin::lower_rate(std::uint32_t number, double rate) {
  save_rate(number);
  const double before = std::exchange(rates_[number], rate);
  const Flow& flow = flows_[number];
  for (const Place& place : places(flow)) {
    Link& link = links_[place.link];
    link.subtract_rate(before, share(flow, place));
    link.add_rate(rate, share(flow, place));
    if (link.key < kUnlimited)
      link.stale = link.stale || rate < link.key;
    else if (link.under())
      push(place.link, link.level);
  }
}

// Raises the rate of a flow. Its links lose free capacity and may be over.
void MaxMin::raise_rate(std::uint32_t number, double rate) {
  save_rate(number);
  const double before = std::exchange(rates_[number], rate);
  const Flow& flow = flows_[number];
  for (const Place& place : places(flow)) {
    Link& link = links_[place.link];
    link.subtract_rate(before, share(flow, place));
    link.add_rate(rate, share(flow, place));
    link.rising = false;
    if (link.touched || !link.over()) continue;
    link.touched = true;
    touched_.push_back(place.link);
  }
}

// The level to which a link that is over must fall.
double MaxMin::lower_level(std::uint32_t number) {
  const Link& link = links_[number];
  if (link.rising && link.unlimited > 0) {
    const double free_capacity = link.capacity - link.finite.high - link.finite.low;
    return std::max(reached_, free_capacity / link.open.value());
  }
  contenders_.clear();
  for (const Member& member : members_[number])
    contenders_.push_back({rates_[member.flow], member.share});
  return fill(link.capacity, reached_);
}

// The level at which contenders_ fill the capacity: the rate of each is the lower of its limit and
// the level. The result is at least `level`; kUnlimited: the capacity suffices for all.
double MaxMin::fill(double capacity, double level) {
  double limited = 0;
  for (bool first = true;; first = false) {
    double open = 0;
    std::size_t retained = 0;
    for (const Contender& contender : contenders_) {
      if (contender.limit < level) {
        limited += contender.limit * contender.share;
      } else {
        open += contender.share;
        contenders_[retained++] = contender;
      }
    }
    contenders_.resize(retained);
    if (retained == 0) return kUnlimited;
    const double next = std::max(level, (capacity - limited) / open);
    if (next == level && !first) return level;
    level = next;
  }
}

void MaxMin::set_key(std::uint32_t number, double key, std::vector<Entry>& entries) {
  Link& link = links_[number];
  link.stale = false;
  link.key = key;
  if (key < kUnlimited) entries.push_back({key, number});
}

void MaxMin::push(std::uint32_t number, double key) {
  set_key(number, key, heap_);
  if (key < kUnlimited) std::push_heap(heap_.begin(), heap_.end(), later);
}

bool MaxMin::pop(Entry& entry) {
  for (;;) {
    const bool more = next_sorted_ < sorted_.size();
    if (!heap_.empty() && (!more || later(sorted_[next_sorted_], heap_.front()))) {
      entry = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), later);
      heap_.pop_back();
    } else if (more) {
      entry = sorted_[next_sorted_++];
    } else {
      break;
    }
    if (links_[entry.link].key == entry.key) return true;
  }
  sorted_.clear();
  next_sorted_ = 0;
  return false;
}

// The lowest key in the queue; a lower bound, because the entry may be obsolete.
double MaxMin::next_key() const {
  const double key = heap_.empty() ? kUnlimited : heap_.front().key;
  return next_sorted_ < sorted_.size() ? std::min(key, sorted_[next_sorted_].key) : key;
}

}  // namespace orrery::model
