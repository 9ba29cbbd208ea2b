// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/scopes/scopes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "orrery/profile/iterations.h"
#include "orrery/profile/scopes/layer_numbers.h"

namespace orrery::profile {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The phase that words in a user's range name; `unsaid` for none or several.
StepPhase phase_of_words(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, StepPhase>, 3> kWords = {
      {{"forward", StepPhase::forward},
       {"backward", StepPhase::backward},
       {"optimizer", StepPhase::optimizer}}};
  StepPhase found = StepPhase::unsaid;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at;
    while (end < name.size() && is_letter(name[end])) ++end;
    for (const auto& [word, phase] : kWords) {
      if (name.substr(at, end - at) != word) continue;
      if (found != StepPhase::unsaid && found != phase) return StepPhase::unsaid;
      found = phase;
    }
    at = end + 1;
  }
  return found;
}

/// True for names like "AddmmBackward0".
bool is_autograd_node(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end != std::string_view::npos && end + 1 < name.size() &&
         name.substr(0, end + 1).ends_with("Backward");
}

/// Phase of an event with phase `inner` inside a range with phase `outer`.
StepPhase within(StepPhase outer, StepPhase inner) {
  if (inner == StepPhase::unsaid || outer == StepPhase::optimizer) return outer;
  return outer == StepPhase::backward && inner == StepPhase::forward ? outer : inner;
}

class ScopeFinder {
 public:
  explicit ScopeFinder(const Profile& profile)
      : profile_(profile), iterations_(iterations(profile)) {
    made_.resize(profile.events.size());
  }

  std::vector<StepScope> find() {
    for_each_host_event([&](EventId e) { place_phase_and_step(e); });
    const LayerNumbers numbers = layer_numbers(profile_, made_);
    if (!numbers.empty()) place_layers(numbers);
    find_phase_begins();
    place_devices();
    return std::move(made_);
  }

 private:
  template <class Use>
  void for_each_host_event(Use use) const {
    for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
      if (profile_.lanes[lane].device) continue;
      for (const EventId e : profile_.in_order(lane)) use(e);
    }
  }

  void place_phase_and_step(EventId e) {
    const Event& event = profile_.events[e];
    StepScope& scope = made_[e];
    if (event.parent != kNoEvent) scope = made_[event.parent];
    const std::string_view name = profile_.name(e);
    scope.phase = within(scope.phase, phase_of_range(event.kind, name));
    if (const std::int64_t number = iteration_number(name); number >= 0) {
      scope.step = static_cast<std::int32_t>(std::min<std::int64_t>(number, 0x7fffffff));
    } else if (scope.step < 0 && event.timed()) {
      const std::size_t at = iteration_at(iterations_, event.start);
      if (at < iterations_.size())
        scope.step =
            static_cast<std::int32_t>(std::min<std::int64_t>(iterations_[at].number, 0x7fffffff));
    }
  }

  struct Forward {
    std::int64_t sequence = -1;
    Time start{};
    std::int32_t layer = -1;
  };

  /// Assigns layers to ranges and all events in them, then to autograd operators by their forward
  /// operators (`forward_`).
  void place_layers(const LayerNumbers& numbers) {
    for_each_host_event([&](EventId e) {
      const Event& event = profile_.events[e];
      StepScope& scope = made_[e];
      if (event.parent != kNoEvent) scope.layer = made_[event.parent].layer;
      if (const auto found = numbers.find(event.name); found != numbers.end())
        scope.layer = found->second;
      if (event.kind != Kind::op) return;
      const Op& op = profile_.op(e);
      if (op.sequence >= 0 && op.forward_thread == 0 &&
          (scope.phase != StepPhase::backward || scope.layer >= 0))
        forward_.push_back({op.sequence, event.start, scope.layer});
    });
    std::stable_sort(forward_.begin(), forward_.end(), [](const Forward& a, const Forward& b) {
      return a.sequence != b.sequence ? a.sequence < b.sequence : a.start < b.start;
    });
    for_each_host_event([&](EventId e) {
      const Event& event = profile_.events[e];
      StepScope& scope = made_[e];
      if (scope.layer < 0 && event.parent != kNoEvent) scope.layer = made_[event.parent].layer;
      if (scope.layer < 0 && scope.phase == StepPhase::backward && event.kind == Kind::op)
        scope.layer = layer_of_forward(event, profile_.op(e).sequence);
    });
  }

  /// Layer of the last forward operator with that sequence number before `event`; -1: none.
  [[nodiscard]] std::int32_t layer_of_forward(const Event& event, std::int64_t sequence) const {
    if (sequence < 0) return -1;
    const auto after =
        std::upper_bound(forward_.begin(), forward_.end(), std::pair(sequence, event.start),
                         [](const auto& key, const Forward& one) {
                           return key < std::pair(one.sequence, one.start);
                         });
    if (after == forward_.begin() || std::prev(after)->sequence != sequence) return -1;
    return std::prev(after)->layer;
  }

  struct PhaseBegin {
    Time start{};
    StepPhase phase = StepPhase::unsaid;
  };

  /// Notes where gradients and optimizers begin.
  void find_phase_begins() {
    for_each_host_event([&](EventId e) {
      const Event& event = profile_.events[e];
      const StepPhase phase = made_[e].phase;
      const bool begins = event.parent == kNoEvent || made_[event.parent].phase != phase;
      if (begins && event.timed() &&
          (phase == StepPhase::backward || phase == StepPhase::optimizer))
        phase_begins_.push_back({event.start, phase});
      trains_ = trains_ || phase == StepPhase::backward || phase == StepPhase::optimizer;
    });
    std::stable_sort(phase_begins_.begin(), phase_begins_.end(),
                     [](const PhaseBegin& a, const PhaseBegin& b) { return a.start < b.start; });
  }

  /// Phase of host activity outside of all known phases: forward; or optimizer if it lies between
  /// the last gradients and the optimizer (norms, scaling of gradients).
  [[nodiscard]] StepPhase phase_at(Time at) const {
    const auto next =
        std::upper_bound(phase_begins_.begin(), phase_begins_.end(), at,
                         [](Time time, const PhaseBegin& one) { return time < one.start; });
    const bool before = next != phase_begins_.end() && next != phase_begins_.begin() &&
                        next->phase == StepPhase::optimizer &&
                        std::prev(next)->phase == StepPhase::backward;
    return before ? StepPhase::optimizer : StepPhase::forward;
  }

  void place_devices() {
    const auto place = [&](EventId e, EventId by) {
      StepScope& scope = made_[e];
      if (by != kNoEvent) scope = made_[by];
      if (trains_ && scope.phase == StepPhase::unsaid && (scope.step >= 0 || iterations_.empty()))
        scope.phase = phase_at(profile_.events[by == kNoEvent ? e : by].start);
    };
    for (EventId e = 0; e < profile_.events.size(); ++e) {
      if (!is_device_work(profile_.events[e].kind)) continue;
      const Work& work = profile_.work(e);
      place(e, work.call != kNoEvent ? work.call : work.op);
    }
    for_each_host_event([&](EventId e) {
      const Kind kind = profile_.events[e].kind;
      if (kind == Kind::op || kind == Kind::call || made_[e].layer >= 0) place(e, kNoEvent);
    });
  }

  const Profile& profile_;
  std::vector<Iteration> iterations_;
  std::vector<Forward> forward_;          // by sequence and start
  std::vector<PhaseBegin> phase_begins_;  // by start
  bool trains_ = false;
  std::vector<StepScope> made_;  // by event
};

}  // namespace

bool is_range_name(Kind kind, std::string_view name) {
  return kind == Kind::annotation ||
         (kind == Kind::op && name.find("::") == std::string_view::npos);
}

StepPhase phase_of_range(Kind kind, std::string_view name) {
  if (name.starts_with("Optimizer.")) return StepPhase::optimizer;
  if (name.starts_with("autograd::engine::evaluate_function") ||
      name.starts_with("torch::autograd::") || (kind == Kind::op && is_autograd_node(name)))
    return StepPhase::backward;
  if (kind == Kind::python)
    return name.starts_with("nn.Module: ") ? StepPhase::forward : StepPhase::unsaid;
  return is_range_name(kind, name) ? phase_of_words(name) : StepPhase::unsaid;
}

std::vector<StepScope> find_scopes(const Profile& profile) { return ScopeFinder(profile).find(); }

}  // namespace orrery::profile
