// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/step_repeats.h"

#include <algorithm>
#include <utility>

namespace orrery::bench {

using profile::EventId;
using profile::Iteration;
using profile::kNoEvent;

namespace {

bool is_range(const profile::Event& event) {
  return event.timed() &&
         (event.kind == profile::Kind::op || event.kind == profile::Kind::annotation);
}

/// The step in which most of the events begin; past the end if there is none.
std::size_t most_of(const profile::Profile& profile, const std::vector<Iteration>& steps,
                    const std::vector<EventId>& events) {
  std::vector<std::size_t> count(steps.size() + 1);  // last entry: in no step
  for (const EventId e : events) ++count[profile::iteration_at(steps, profile.events[e].start)];
  const auto most = std::max_element(count.begin(), count.end() - 1);
  return most == count.end() - 1 || *most == 0 ? steps.size()
                                               : static_cast<std::size_t>(most - count.begin());
}

}  // namespace

StepRepeats::StepRepeats(const profile::Profile& profile) : profile_(profile) {
  const std::vector<Iteration> steps = profile::iterations(profile);
  std::vector<EventId> linked;
  for (EventId e = 0; e < profile.events.size(); ++e)
    if (is_range(profile.events[e]) && profile.node(e) != nullptr) linked.push_back(e);
  const std::size_t which = most_of(profile, steps, linked);
  if (which == steps.size()) return;
  begins_.front() = steps[which].start;
  for (const EventId e : linked) ranges_[profile.events[e].lane];
  find_ranges();
  place_.resize(profile.events.size(), kNoEvent);
  std::uint32_t places = 0;
  for (const auto& [lane, ranges] : ranges_) {
    linked_[lane] = sequence(lane, steps[which]);
    for (const profile::AlignedEvent& one : linked_[lane]) place_[one.event] = places++;
  }
  for (std::size_t s = 0; s < steps.size(); ++s)
    if (s != which) find_same(steps[s]);
}

void StepRepeats::find_ranges() {
  for (auto& [lane, ranges] : ranges_)
    for (const EventId e : profile_.in_order(lane))
      if (is_range(profile_.events[e]) && profile::iteration_number(profile_.name(e)) < 0)
        ranges.push_back(e);
}

std::vector<profile::AlignedEvent> StepRepeats::sequence(std::uint32_t lane,
                                                         const Iteration& step) const {
  const auto begins_before = [&](EventId e, Time time) { return profile_.events[e].start < time; };
  const std::vector<EventId>& all = ranges_.at(lane);
  const auto from = std::lower_bound(all.begin(), all.end(), step.start, begins_before);
  const auto to = std::lower_bound(from, all.end(), step.end, begins_before);
  std::vector<profile::AlignedEvent> out;
  for (auto at = from; at != to; ++at) {
    profile::AlignedEvent& one = out.emplace_back();
    one.event = *at;
    one.name = static_cast<std::uint32_t>(profile_.events[*at].name);
    const EventId around = profile_.events[*at].parent;
    if (around != kNoEvent) one.parent = static_cast<std::uint32_t>(profile_.events[around].name);
  }
  return out;
}

void StepRepeats::find_same(const Iteration& step) {
  std::vector<EventId> there;
  std::size_t found = 0;
  for (const auto& [lane, left] : linked_) {
    const auto right = sequence(lane, step);
    const std::size_t first = there.size();
    there.resize(first + left.size(), kNoEvent);
    for (const auto& [l, r] : profile::align(left, right)) {
      there[first + l] = right[r].event;
      ++found;
    }
  }
  if (20 * found < 19 * there.size()) return;
  others_.push_back(std::move(there));
  begins_.push_back(step.start);
}

EventId StepRepeats::counterpart(std::size_t step, EventId event) const {
  if (step == 0) return event;
  const std::uint32_t place = place_[event];
  return place == kNoEvent ? kNoEvent : others_[step - 1][place];
}

}  // namespace orrery::bench
