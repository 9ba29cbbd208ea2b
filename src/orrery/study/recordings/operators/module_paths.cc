// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/operators/module_paths.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "orrery/profile/iterations.h"
#include "orrery/profile/scopes/scopes.h"

namespace orrery::study {

namespace {

using profile::EventId;
using profile::Kind;
using profile::kNoEvent;
using profile::kNone;

constexpr std::string_view kFrame = "nn.Module: ";
constexpr std::uint32_t kMaxDepth = 100;

bool is_module_frame(const profile::Profile& p, EventId e) {
  return p.events[e].kind == Kind::python && p.name(e).starts_with(kFrame);
}

/// A range that groups work by what it computes, not by steps.
bool is_module_range(const profile::Profile& p, EventId e) {
  return p.events[e].kind == Kind::annotation && profile::iteration_number(p.name(e)) < 0 &&
         p.comm(e) == nullptr;
}

}  // namespace

std::string_view name(ModuleSource source) {
  switch (source) {
    case ModuleSource::frames:
      return "frames of torch.nn modules";
    case ModuleSource::annotations:
      return "annotations";
    case ModuleSource::none:
      break;
  }
  return "not recorded";
}

class ModulePaths::Builder {
 public:
  Builder(const profile::Profile& profile, ModulePaths& into) : p_(profile), into_(into) {
    into.of_event_.resize(profile.events.size());
  }

  void build() {
    into_.source_ = find_source();
    if (into_.source_ == ModuleSource::none) return;
    for_each_host_event([&](EventId e) { place(e); });
    for (const auto& [forward, backward] : p_.forward_backward)
      forward_of_.emplace(backward, forward);
    note_sequences();
    for_each_host_event([&](EventId e) { place_backward(e); });
  }

 private:
  template <class Use>
  void for_each_host_event(Use use) const {
    for (std::uint32_t lane = 0; lane < p_.lanes.size(); ++lane) {
      if (p_.lanes[lane].device) continue;
      for (const EventId e : p_.in_order(lane)) use(e);
    }
  }

  [[nodiscard]] ModuleSource find_source() const {
    ModuleSource found = ModuleSource::none;
    for (EventId e = 0; e < p_.events.size(); ++e) {
      if (is_module_frame(p_, e)) return ModuleSource::frames;
      if (is_module_range(p_, e)) found = ModuleSource::annotations;
    }
    return found;
  }

  [[nodiscard]] bool is_module(EventId e) const {
    return into_.source_ == ModuleSource::frames ? is_module_frame(p_, e) : is_module_range(p_, e);
  }

  void place(EventId e) {
    const profile::Event& event = p_.events[e];
    Place& here = into_.of_event_[e];
    if (event.parent != kNoEvent) here = into_.of_event_[event.parent];
    if (!is_module(e)) return;
    here.node = child(here.node, event.name);
    ++into_.nodes_[here.node].calls;
  }

  std::uint32_t child(std::uint32_t parent, StringId name) {
    if (into_.nodes_[parent].depth >= kMaxDepth) return parent;
    const auto [at, added] =
        children_.try_emplace({parent, name}, static_cast<std::uint32_t>(into_.nodes_.size()));
    if (added) {
      std::string_view text = p_.string(name);
      if (text.starts_with(kFrame)) text.remove_prefix(kFrame.size());
      into_.nodes_.push_back({parent, into_.nodes_[parent].depth + 1, std::string(text), 0});
    }
    return at->second;
  }

  struct Forward {
    std::int64_t sequence = -1;
    Time start{};
    std::uint32_t node = 0;
  };

  void note_sequences() {
    for_each_host_event([&](EventId e) {
      const profile::Event& event = p_.events[e];
      if (event.kind != Kind::op || event.detail == kNone) return;
      const profile::Op& op = p_.ops[event.detail];
      if (op.sequence >= 0 && op.forward_thread == 0 && into_.of_event_[e].node != 0)
        forward_.push_back({op.sequence, event.start, into_.of_event_[e].node});
    });
    std::stable_sort(forward_.begin(), forward_.end(), [](const Forward& a, const Forward& b) {
      return a.sequence != b.sequence ? a.sequence < b.sequence : a.start < b.start;
    });
  }

  /// The module of the forward operator of a backward one; 0: unknown.
  [[nodiscard]] std::uint32_t forward_node(EventId e) const {
    if (const auto flow = forward_of_.find(e); flow != forward_of_.end())
      if (const std::uint32_t node = into_.of_event_[flow->second].node; node != 0) return node;
    const profile::Event& event = p_.events[e];
    const std::int64_t sequence = p_.ops[event.detail].sequence;
    if (sequence < 0) return 0;
    const auto after = std::upper_bound(
        forward_.begin(), forward_.end(), event.start, [&](Time start, const Forward& one) {
          return one.sequence != sequence ? sequence < one.sequence : start < one.start;
        });
    return after == forward_.begin() || std::prev(after)->sequence != sequence
               ? 0
               : std::prev(after)->node;
  }

  void place_backward(EventId e) {
    const profile::Event& event = p_.events[e];
    Place& here = into_.of_event_[e];
    if (event.parent != kNoEvent) {
      const Place& around = into_.of_event_[event.parent];
      if (here.node == 0) here = around;
      here.backward = here.backward || around.backward;
    }
    if (event.kind != Kind::op || event.detail == kNone) return;
    if (profile::phase_of_range(event.kind, p_.name(e)) != StepPhase::backward &&
        p_.ops[event.detail].forward_thread == 0)
      return;
    here.backward = true;
    if (here.node == 0) here.node = forward_node(e);
  }

  const profile::Profile& p_;
  ModulePaths& into_;
  std::map<std::pair<std::uint32_t, StringId>, std::uint32_t> children_;
  std::unordered_map<EventId, EventId> forward_of_;  // backward operator → forward operator
  std::vector<Forward> forward_;                     // by sequence and start
};

ModulePaths::ModulePaths(const profile::Profile& profile) { Builder(profile, *this).build(); }

}  // namespace orrery::study
