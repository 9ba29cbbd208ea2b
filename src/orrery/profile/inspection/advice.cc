// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/advice.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "orrery/core/enum_names.h"
#include "orrery/profile/inspection/activity.h"

namespace orrery::profile {

namespace {

constexpr double kLeastShare = 0.02;  ///< of the length of the recording

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Adds up the cases of one cause.
class Cases {
 public:
  void add(std::string_view name, Time time) {
    ++count_;
    total_ = saturating_sum(total_, time);
    Time& sum = by_name_[name];
    sum = saturating_sum(sum, time);
  }
  [[nodiscard]] std::optional<Advice> advice(Cause cause, Time length) const {
    const double share = static_cast<double>(total_.count()) /
                         static_cast<double>(std::max<std::int64_t>(length.count(), 1));
    if (count_ == 0 || share < kLeastShare) return std::nullopt;
    const auto most =
        std::max_element(by_name_.begin(), by_name_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return Advice{cause, count_, total_, share, std::string(most->first)};
  }

 private:
  std::uint64_t count_ = 0;
  Time total_{};
  std::map<std::string_view, Time> by_name_;
};

bool is_loader(const Profile& profile, EventId e) {
  const Kind kind = profile.events[e].kind;
  return (kind == Kind::annotation || kind == Kind::op) && has_part(profile.name(e), "DataLoader");
}

/// The device's idle time during waits for a data loader; of nested ranges, the outermost.
Cases loaders(const Profile& profile, const Activity& activity) {
  Cases cases;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (!event.timed() || !is_loader(profile, e)) continue;
    if (event.parent != kNoEvent && is_loader(profile, event.parent)) continue;
    cases.add(profile.name(e), activity.breakdown(event.start, event.end()).idle);
  }
  return cases;
}

/// The operator around a call: the innermost.
EventId operator_around(const Profile& profile, EventId call) {
  EventId at = profile.events[call].parent;
  while (at != kNoEvent && profile.events[at].kind != Kind::op) at = profile.events[at].parent;
  return at;
}

/// The device's idle time from the end of a wait within an operator to the next work.
Cases synchronizing_operators(const Profile& profile, const Activity& activity) {
  std::vector<Time> starts;
  for (EventId e = 0; e < profile.events.size(); ++e)
    if (is_device_work(profile.events[e].kind) && profile.events[e].timed())
      starts.push_back(profile.events[e].start);
  std::sort(starts.begin(), starts.end());
  Cases cases;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (event.kind != Kind::call || !event.timed()) continue;
    if (!has_part(profile.name(e), "Synchronize")) continue;
    const EventId op = operator_around(profile, e);
    if (op == kNoEvent || !has_part(profile.name(op), "::")) continue;
    const auto next = std::lower_bound(starts.begin(), starts.end(), event.end());
    if (next == starts.end()) continue;
    cases.add(profile.name(op), activity.breakdown(event.end(), *next).idle);
  }
  return cases;
}

/// Kernels that last less than the call that launches them, with the idle time before them that
/// ends with their launch.
Cases small_kernels(const Profile& profile) {
  Cases cases;
  std::vector<EventId> works;
  for (EventId e = 0; e < profile.events.size(); ++e)
    if (is_device_work(profile.events[e].kind) && profile.events[e].timed()) works.push_back(e);
  std::sort(works.begin(), works.end(), [&](EventId a, EventId b) {
    const Event &left = profile.events[a], &right = profile.events[b];
    return left.start != right.start ? left.start < right.start : a < b;
  });
  Time busy_until = works.empty() ? Time{} : profile.events[works.front()].start;
  for (const EventId e : works) {
    const Event& event = profile.events[e];
    const EventId call = profile.work(e).call;
    if (event.kind == Kind::kernel && call != kNoEvent &&
        event.duration < profile.events[call].duration)
      cases.add(profile.name(e),
                std::max(Time{}, std::min(profile.events[call].start, event.start) - busy_until));
    busy_until = std::max(busy_until, event.end());
  }
  return cases;
}

Cases pageable_copies(const Profile& profile) {
  Cases cases;
  for (EventId e = 0; e < profile.events.size(); ++e)
    if (profile.events[e].kind == Kind::memcpy && has_part(profile.name(e), "Pageable"))
      cases.add(profile.name(e), profile.events[e].duration);
  return cases;
}

}  // namespace

std::string_view name(Cause cause) {
  static constexpr auto kNames = enumerator_names<Cause::pageable_copies>(
      "data_loader", "small_kernels", "synchronizing_operators", "pageable_copies");
  return kNames[static_cast<std::size_t>(cause)];
}

std::vector<Advice> advice(const Profile& profile, const Inspection& inspection) {
  std::vector<Advice> made;
  const Activity activity(profile);
  if (!activity.on_device()) return made;
  const std::array<Cases, kCauses> cases = {loaders(profile, activity), small_kernels(profile),
                                            synchronizing_operators(profile, activity),
                                            pageable_copies(profile)};
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (auto one = cases[i].advice(static_cast<Cause>(i), inspection.whole.length))
      made.push_back(*std::move(one));
  return made;
}

}  // namespace orrery::profile
