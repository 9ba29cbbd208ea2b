// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/advice.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "orrery/core/enum_names.h"
#include "orrery/profile/inspection/activity.h"
#include "orrery/profile/inspection/enclosing_operator.h"

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
    add_time(name, time);
  }
  void add_time(std::string_view name, Time time) {
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

/// Events that `chosen` selects, by start.
template <class Chosen>
std::vector<EventId> events_by_start(const Profile& profile, Chosen chosen) {
  std::vector<EventId> list;
  for (EventId e = 0; e < profile.events.size(); ++e)
    if (profile.events[e].timed() && chosen(e)) list.push_back(e);
  std::stable_sort(list.begin(), list.end(), [&](EventId a, EventId b) {
    return profile.events[a].start < profile.events[b].start;
  });
  return list;
}

/// The device's idle time during waits for a data loader, each moment once; of nested ranges, the
/// outermost.
Cases loaders(const Profile& profile, const Activity& activity) {
  Cases cases;
  Time until{};
  for (const EventId e :
       events_by_start(profile, [&](EventId one) { return is_loader(profile, one); })) {
    const Event& event = profile.events[e];
    if (event.parent != kNoEvent && is_loader(profile, event.parent)) continue;
    const Time from = std::max(event.start, until);
    until = std::max(until, event.end());
    cases.add(profile.name(e), from < until ? activity.breakdown(from, until).idle : Time{});
  }
  return cases;
}

/// Operators in which the host waits for the device. An idle span that begins before such a wait
/// returns is lost from then on, to the first of them.
Cases synchronizing_operators(const Profile& profile, const std::vector<IdleSpan>& idle) {
  struct Wait {
    Time end{};
    EventId op = kNoEvent;
  };
  std::vector<Wait> waits;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (event.kind != Kind::call || !event.timed() || !has_part(profile.name(e), "Synchronize"))
      continue;
    const EventId op = enclosing_operator(profile, e);
    if (op != kNoEvent && has_part(profile.name(op), "::")) waits.push_back({event.end(), op});
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const Wait& a, const Wait& b) { return a.end < b.end; });
  Cases cases;
  auto span = idle.begin();
  Time counted{};  // end of the span that is counted already
  for (const Wait& wait : waits) {
    while (span != idle.end() && span->to <= wait.end) ++span;
    const bool idles = span != idle.end() && span->until != kNoEvent && span->from <= wait.end;
    const Time lost = idles && span->to > counted ? span->to - wait.end : Time{};
    if (lost > Time{}) counted = span->to;
    cases.add(profile.name(wait.op), lost);
  }
  return cases;
}

/// Kernels that last less than the call that launches them, with the idle time that ends with their
/// launch.
Cases small_kernels(const Profile& profile, const std::vector<IdleSpan>& idle) {
  const auto is_small = [&](EventId e) {
    const EventId call = profile.work(e).call;
    return profile.events[e].kind == Kind::kernel && call != kNoEvent &&
           profile.events[e].duration < profile.events[call].duration;
  };
  Cases cases;
  for (EventId e = 0; e < profile.events.size(); ++e)
    if (is_device_work(profile.events[e].kind) && profile.events[e].timed() && is_small(e))
      cases.add(profile.name(e), {});
  for (const IdleSpan& span : idle)
    if (span.until != kNoEvent && is_small(span.until))
      cases.add_time(profile.name(span.until),
                     std::max(Time{}, Activity::launch_of(profile, span.until) - span.from));
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
  const auto idle = activity.idle_spans(inspection.first, inspection.last);
  const std::array<Cases, kCauses> cases = {
      loaders(profile, activity), small_kernels(profile, idle),
      synchronizing_operators(profile, idle), pageable_copies(profile)};
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (auto one = cases[i].advice(static_cast<Cause>(i), inspection.whole.length))
      made.push_back(*std::move(one));
  return made;
}

}  // namespace orrery::profile
