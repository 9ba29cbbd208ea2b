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
  flow.room = static_cast<std::uint32_t>(hops.size());
  flow.first = place_for(flow.room);
  flow.hops = 0;
  flow.weight = weight;
  flow.state = State::fresh;
  for (const Hop& hop : hops) join(number, hop);
  const double rate = limit(flow, link_count());
  rates_[number] = rate;
  for (const Place& at : places(flow)) links_[at.link].put(rate, share(flow, at));
  if (!flow.noted) {
    flow.noted = true;
    changed_.push_back(number);
  }
  return number;
}

// Flows with equally many hops take each other's places.
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

void MaxMin::join(std::uint32_t number, const Hop& hop) {
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
    link.take(rates_[number], place.share * before);
    link.put(rates_[number], share(flow, place));
    members_[place.link][place.member].share = share(flow, place);
    mark(place.link);
  }
}

void MaxMin::remove(std::uint32_t number) {
  ORRERY_CHECK(number < flows_.size() && flows_[number].state != State::removed);
  Flow& flow = flows_[number];
  for (const Place& place : places(flow)) {
    Link& link = links_[place.link];
    link.take(rates_[number], share(flow, place));
    ++link.gone;
    mark(place.link);
  }
  gone_.push_back(number);
  flow.state = State::removed;
}

// Takes removed flows out of their links: one by one where they are few, else whatever is gone.
void MaxMin::sweep() {
  constexpr std::size_t kFew = 16;
  if (gone_.empty()) return;
  for (const std::uint32_t link : dirty_) {
    if (links_[link].gone * kFew >= members_[link].size()) erase_removed(link);
  }
  for (const std::uint32_t number : gone_) {
    const Flow& flow = flows_[number];
    for (const Place& place : places(flow)) {
      if (links_[place.link].gone > 0) take_out(place);
    }
    free_places_[flow.room].push_back(flow.first);
    free_flows_.push_back(number);
  }
  gone_.clear();
  for (const std::uint32_t link : dirty_) links_[link].gone = 0;
}

void MaxMin::erase_removed(std::uint32_t number) {
  Link& link = links_[number];
  std::vector<Member>& members = members_[number];
  if (link.gone == members.size()) {
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
  link.gone = 0;
}

void MaxMin::take_out(const Place& place) {
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

// The flow's rate is about to change.
void MaxMin::note(std::uint32_t number) {
  Flow& flow = flows_[number];
  if (flow.noted) return;
  flow.noted = true;
  flow.before = rates_[number];
  changed_.push_back(number);
}

double MaxMin::limit(const Flow& flow, std::uint32_t except) const {
  double least = flow.cap;
  for (const Place& place : places(flow)) {
    if (place.link != except) least = std::min(least, links_[place.link].level);
  }
  return least;
}

std::span<const std::uint32_t> MaxMin::finish() {
  reported_.clear();
  for (const std::uint32_t number : changed_) {
    Flow& flow = flows_[number];
    flow.noted = false;
    if (flow.state == State::removed) continue;
    if (flow.state == State::fresh || rates_[number] != flow.before) reported_.push_back(number);
    flow.state = State::solved;
  }
  changed_.clear();
  return reported_;
}

// The order of levels; max_min.h has the equations.

// The lowest key comes first, of equal ones the first link.
bool MaxMin::later(const Entry& a, const Entry& b) {
  return a.key != b.key ? a.key > b.key : a.link > b.link;
}

std::span<const std::uint32_t> MaxMin::solve() {
  // The order of levels needs far less; roundings that chase each other could need more.
  const std::size_t patience = links_.size() + 8 * places_.size() + 1000;
  if (!run(patience)) return solve_from_scratch();
  return finish();
}

std::span<const std::uint32_t> MaxMin::solve_from_scratch() {
  forget();
  anew_ = true;
  run(std::numeric_limits<std::size_t>::max());
  anew_ = false;
  return finish();
}

// Links have no levels, flows what they would take.
void MaxMin::forget() {
  sweep();
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
    note(number);
    rates_[number] = flow.cap;
    for (const Place& place : places(flow)) links_[place.link].put(flow.cap, share(flow, place));
  }
  for (std::uint32_t link = 0; link < links_.size(); ++link) mark(link);
}

// Until no link is over or under; false: that took too many visits.
bool MaxMin::run(std::size_t visits) {
  sweep();
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

// A link whose flows or whose capacity are others than before.
void MaxMin::inspect(std::uint32_t number) {
  // Sums of n terms differ by n roundings, of which each is 2^-53 of the whole.
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
    enter(number, lower_level(number), sorted_);
  } else if (link.under()) {
    enter(number, link.level, sorted_);
  }
}

// The link that comes next. Its key may be too low by now; then its turn comes later.
void MaxMin::visit(std::uint32_t number) {
  Link& link = links_[number];
  const double key = std::exchange(link.key, kUnlimited);
  if (anew_ && link.level < kUnlimited) return;
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
  // Where flows are many, waiting for memory is most of the time.
  constexpr std::size_t kAhead = 8;
  links_[number].level = level;
  const std::vector<Member>& members = members_[number];
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i + 2 * kAhead < members.size()) __builtin_prefetch(&rates_[members[i + 2 * kAhead].flow]);
    if (i + kAhead < members.size() && rates_[members[i + kAhead].flow] > level) {
      __builtin_prefetch(&flows_[members[i + kAhead].flow]);
      __builtin_prefetch(&places_[members[i + kAhead].place]);
    }
    if (rates_[members[i].flow] > level) drop(members[i].flow, level);
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
  const Flow& flow = flows_[number];
  for (const Place& place : places(flow)) {
    Link& link = links_[place.link];
    link.take(before, share(flow, place));
    link.put(rate, share(flow, place));
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
  const Flow& flow = flows_[number];
  for (const Place& place : places(flow)) {
    Link& link = links_[place.link];
    link.take(before, share(flow, place));
    link.put(rate, share(flow, place));
    link.rising = false;
    if (link.touched || !link.over()) continue;
    link.touched = true;
    touched_.push_back(place.link);
  }
}

// What the level of a link that is over has to come down to.
double MaxMin::lower_level(std::uint32_t number) {
  const Link& link = links_[number];
  if (link.rising && link.unlimited > 0) {
    const double room = link.capacity - link.finite.high - link.finite.low;
    return std::max(reached_, room / link.open.value());
  }
  contenders_.clear();
  for (const Member& member : members_[number])
    contenders_.push_back({rates_[member.flow], member.share});
  return fill(link.capacity, reached_);
}

// The level at which contenders_ fill the capacity: those with lower limits take these, the others
// the level. It is at least `level`, and kUnlimited if there is enough for all.
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

void MaxMin::enter(std::uint32_t number, double key, std::vector<Entry>& entries) {
  Link& link = links_[number];
  link.stale = false;
  link.key = key;
  if (key < kUnlimited) entries.push_back({key, number});
}

void MaxMin::push(std::uint32_t number, double key) {
  enter(number, key, heap_);
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

// Or less, if what comes next no longer counts.
double MaxMin::next_key() const {
  const double key = heap_.empty() ? kUnlimited : heap_.front().key;
  return next_sorted_ < sorted_.size() ? std::min(key, sorted_[next_sorted_].key) : key;
}

}  // namespace orrery::model
