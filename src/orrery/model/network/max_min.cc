// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/network/max_min.h"

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
    if (links_[link].gone * kFew >= members_[link].size()) drop_gone(link);
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

void MaxMin::drop_gone(std::uint32_t number) {
  Link& link = links_[number];
  std::vector<Member>& members = members_[number];
  if (link.gone == members.size()) {
    members.clear();
  } else {
    std::size_t kept = 0;
    for (const Member& member : members) {
      if (flows_[member.flow].state == State::removed) continue;
      places_[member.place].member = static_cast<std::uint32_t>(kept);
      members[kept++] = member;
    }
    members.resize(kept);
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
  told_.clear();
  for (const std::uint32_t number : changed_) {
    Flow& flow = flows_[number];
    flow.noted = false;
    if (flow.state == State::removed) continue;
    if (flow.state == State::fresh || rates_[number] != flow.before) told_.push_back(number);
    flow.state = State::solved;
  }
  changed_.clear();
  return told_;
}

}  // namespace orrery::model
