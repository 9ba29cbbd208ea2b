// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/kernel_sequences.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "orrery/core/random.h"
#include "orrery/profile/inspection/enclosing_operator.h"

namespace orrery::profile {
namespace {

/// The works of one operator, without their names.
struct OperatorWorks {
  std::uint64_t length = 0;
  std::uint64_t hash_low = 0, hash_high = 0;  // of the names in order
  Time device_time{};
};

class Sequences {
 public:
  explicit Sequences(const Profile& profile) : profile_(profile) {
    for (EventId e = 0; e < profile.events.size(); ++e) {
      const Event& event = profile.events[e];
      if (event.timed() && is_device_work(event.kind) && profile.work(e).call != kNoEvent)
        works_.push_back(e);
    }
    std::sort(works_.begin(), works_.end(), [&](EventId a, EventId b) {
      const Time left = profile_.events[a].start, right = profile_.events[b].start;
      return left != right ? left < right : a < b;
    });
  }

  std::vector<KernelSequence> take(std::size_t most) {
    for (const EventId work : works_)
      for (EventId op = enclosing_operator(profile_, profile_.work(work).call); op != kNoEvent;
           op = enclosing_operator(profile_, op))
        append(operators_[op], work);
    for (const auto& [op, works] : operators_)
      if (works.length >= kMinSequence && !is_nested_in_its_name(op)) count(op, works);
    return named(selected(most));
  }

 private:
  struct Group {
    KernelSequence sequence;
    EventId example = kNoEvent;  // the first operator in file order
  };
  using Key = std::pair<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>;

  void append(OperatorWorks& to, EventId work) const {
    const auto name = static_cast<std::uint64_t>(profile_.events[work].name);
    to.hash_low = mix_bits(to.hash_low ^ mix_bits(name));
    to.hash_high = mix_bits(to.hash_high * 3 + name);
    to.device_time = saturating_sum(to.device_time, profile_.events[work].duration);
    ++to.length;
  }

  [[nodiscard]] bool is_nested_in_its_name(EventId op) const {
    for (EventId above = enclosing_operator(profile_, op); above != kNoEvent;
         above = enclosing_operator(profile_, above))
      if (profile_.events[above].name == profile_.events[op].name) return true;
    return false;
  }

  /// Whether an operator directly within this one launches all of its works.
  void mark_outer() {
    for (const auto& [op, works] : operators_) {
      const EventId above = enclosing_operator(profile_, op);
      if (above != kNoEvent && operators_.at(above).length == works.length) outer_[above] = true;
    }
  }

  void count(EventId op, const OperatorWorks& works) {
    if (outer_.empty()) {
      outer_.resize(profile_.events.size());
      mark_outer();
    }
    const Event& event = profile_.events[op];
    Group& group = groups_[{static_cast<std::uint32_t>(event.name),
                            {works.hash_low ^ works.length, works.hash_high}}];
    group.example = std::min(group.example, op);
    KernelSequence& sequence = group.sequence;
    sequence.length = works.length;
    ++sequence.count;
    sequence.device_time = saturating_sum(sequence.device_time, works.device_time);
    sequence.host_time = saturating_sum(sequence.host_time, event.duration);
    sequence.innermost = sequence.innermost || !outer_[op];
  }

  std::vector<Group> selected(std::size_t most) const {
    std::vector<Group> list;
    for (const auto& [key, group] : groups_) list.push_back(group);
    const auto before = [](const Group& a, const Group& b) {
      if (a.sequence.count != b.sequence.count) return a.sequence.count > b.sequence.count;
      if (a.sequence.device_time != b.sequence.device_time)
        return a.sequence.device_time > b.sequence.device_time;
      return a.example < b.example;
    };
    std::sort(list.begin(), list.end(), before);
    if (list.size() > most) list.resize(most);
    return list;
  }

  std::vector<KernelSequence> named(std::vector<Group> groups) const {
    std::unordered_map<EventId, KernelSequence*> by_example;
    for (Group& group : groups) {
      group.sequence.operator_name = profile_.name(group.example);
      by_example[group.example] = &group.sequence;
    }
    for (const EventId work : works_) {
      for (EventId op = enclosing_operator(profile_, profile_.work(work).call); op != kNoEvent;
           op = enclosing_operator(profile_, op)) {
        const auto found = by_example.find(op);
        if (found != by_example.end() && found->second->works.size() < kMostWorksNamed)
          found->second->works.emplace_back(profile_.name(work));
      }
    }
    std::vector<KernelSequence> list;
    for (Group& group : groups) list.push_back(std::move(group.sequence));
    return list;
  }

  const Profile& profile_;
  std::vector<EventId> works_;  // by start
  std::unordered_map<EventId, OperatorWorks> operators_;
  std::vector<bool> outer_;  // by event
  std::map<Key, Group> groups_;
};

}  // namespace

std::vector<KernelSequence> kernel_sequences(const Profile& profile, std::size_t most) {
  return Sequences(profile).take(most);
}

}  // namespace orrery::profile
