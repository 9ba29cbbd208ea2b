// SPDX-License-Identifier: Apache-2.0
//
// Guesses waits for the device in traces without sync records. Names of calls show that a thread
// waits. The target stream is inferred from the works that the thread launched before and after,
// and from the times. All guesses agree with the recorded times.
#include <algorithm>
#include <map>

#include "orrery/profile/dependencies/sync_waits.h"

namespace orrery::profile::draft {

namespace {

enum class CallName : std::uint8_t {
  not_parsed,
  other,
  device_synchronize,  ///< …DeviceSynchronize, …CtxSynchronize
  stream_synchronize,  ///< …StreamSynchronize: the host waits for a stream
  event_synchronize,   ///< …EventSynchronize
  event_record,        ///< …EventRecord…
  stream_wait_event    ///< …StreamWaitEvent: a stream waits for an event
};

CallName call_name(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("StreamWaitEvent")) return CallName::stream_wait_event;
  if (has("EventRecord")) return CallName::event_record;
  if (!has("Synchronize")) return CallName::other;
  if (has("Stream")) return CallName::stream_synchronize;
  if (has("Event")) return CallName::event_synchronize;
  return has("Device") || has("Ctx") || has("Context") ? CallName::device_synchronize
                                                       : CallName::other;
}

/// Maximum time from the end of the work until the host continues, for guesses.
constexpr Time kWakeUp = us(200);

class WaitGuesser {
 public:
  explicit WaitGuesser(DependencyDraft& draft)
      : draft_(draft),
        profile_(draft.profile),
        guesses_stream_waits_(!draft.profile.has_sync_events && draft.streams.size() > 1),
        names_(draft.profile.strings->size(), CallName::not_parsed) {}

  void guess() {
    for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
      if (profile_.lanes[lane].device) continue;
      reset();
      for (const EventId e : profile_.in_order(lane)) {
        if (profile_.events[e].kind == Kind::call) read(e);
      }
      for (const PendingWait& wait : pending_) join(wait, kNoEvent);
    }
    remove_implied();
  }

 private:
  /// A wait across streams whose works are not known yet.
  struct PendingWait {
    Time now{};
    EventId recorded = kNoEvent;  ///< the last work launched before the event was recorded
    bool fresh = false;           ///< nothing was launched between the record and the wait
    EventId before = kNoEvent;    ///< the last work launched before the wait
    std::uint32_t other = kNone;  ///< the last stream used before that of `before`
  };

  void reset() {
    last_ = recorded_ = kNoEvent;
    other_ = kNone;
    is_directly_after_record_ = has_record_ = false;
    pending_.clear();
  }

  CallName name(EventId call) {
    const auto id = static_cast<std::uint32_t>(profile_.events[call].name);
    if (names_[id] == CallName::not_parsed) names_[id] = call_name(profile_.name(call));
    return names_[id];
  }

  void read(EventId call) {
    const CallEffect& effect = *draft_.effect(call);
    if (effect.work != kNoEvent) launch(effect.work);
    switch (name(call)) {
      case CallName::device_synchronize:
        draft_.effect(call)->waits = true;
        if (!effect.recorded) wait_for_devices(call);
        break;
      case CallName::stream_synchronize:
        draft_.effect(call)->waits = true;
        if (!effect.recorded) wait_for_stream(call);
        break;
      case CallName::event_synchronize:
        draft_.effect(call)->waits = true;
        if (!effect.recorded) wait_for_event(call);
        break;
      case CallName::event_record:
        recorded_ = last_;
        is_directly_after_record_ = has_record_ = true;
        break;
      case CallName::stream_wait_event:
        if (guesses_stream_waits_) add_pending(profile_.events[call].start);
        break;
      default:
        break;
    }
  }

  // Of consecutive waits for the same record, keeps only the last.
  void add_pending(Time now) {
    const EventId recorded = has_record_ ? recorded_ : last_;
    if (!pending_.empty() && pending_.back().recorded == recorded) pending_.pop_back();
    pending_.push_back({now, recorded, has_record_ && is_directly_after_record_, last_, other_});
  }

  void launch(EventId work) {
    for (const PendingWait& wait : pending_) {
      if (!fork(wait, work)) join(wait, work);
    }
    pending_.clear();
    if (last_ != kNoEvent && draft_.position(last_).stream != draft_.position(work).stream)
      other_ = draft_.position(last_).stream;
    last_ = work;
    is_directly_after_record_ = false;
  }

  /// The device is not recorded: uses the only one, or all streams that had completed their work.
  void wait_for_devices(EventId call) {
    const auto streams = draft_.searched_streams();
    if (std::all_of(streams.begin(), streams.end(),
                    [&](const Stream& s) { return s.device == streams.front().device; })) {
      if (!streams.empty()) wait_for_device(draft_, call, streams.front().device);
      return;
    }
    const Event& event = profile_.events[call];
    for (const Stream& stream : streams) {
      const std::uint32_t launched = stream.launched_before(event.start, event.end(), profile_);
      if (launched == 0) continue;
      const EventId work = stream.works[launched - 1];
      if (profile_.events[work].end() <= event.end()) draft_.syncs.push_back({work, call, true});
    }
  }

  /// Waits for the stream of the thread's last launch, unless the call ended together with another
  /// stream.
  void wait_for_stream(EventId call) {
    const Event& event = profile_.events[call];
    EventId best = kNoEvent;
    for (const Stream& stream : draft_.searched_streams()) {
      const std::uint32_t launched = stream.launched_before(event.start, event.end(), profile_);
      if (launched == 0) continue;
      const EventId work = stream.works[launched - 1];
      const Time end = profile_.events[work].end();
      if (end > event.end() || end < event.start) continue;
      if (best == kNoEvent || end > profile_.events[best].end()) best = work;
    }
    if (last_ != kNoEvent) {
      const Stream& used = draft_.streams[draft_.position(last_).stream];
      const std::uint32_t launched = used.launched_before(event.start, event.end(), profile_);
      if (launched > 0) {
        const EventId work = used.works[launched - 1];
        const Time end = profile_.events[work].end();
        if (end <= event.end() && (end >= event.start || best == kNoEvent)) best = work;
      }
    }
    if (best != kNoEvent) draft_.syncs.push_back({best, call, true});
  }

  /// Waits for the work that ended together with the call.
  void wait_for_event(EventId call) {
    const Event& event = profile_.events[call];
    EventId best = kNoEvent;
    for (const Stream& stream : draft_.searched_streams()) {
      const EventId work = last_ended(stream, event.start, event.end());
      if (work == kNoEvent) continue;
      const Time end = profile_.events[work].end();
      if (end < event.start || event.end() - end > kWakeUp) continue;
      if (best == kNoEvent || end > profile_.events[best].end()) best = work;
    }
    if (best != kNoEvent) draft_.syncs.push_back({best, call, true});
  }

  /// The latest work launched before `now` that ended by `then`.
  [[nodiscard]] EventId last_ended(const Stream& stream, Time now, Time then) const {
    const auto by_then = [&](EventId work) { return profile_.events[work].end() <= then; };
    const auto launched = stream.works.begin() + stream.launched_before(now);
    const auto place = std::partition_point(stream.works.begin(), launched, by_then);
    return place == stream.works.begin() ? kNoEvent : *std::prev(place);
  }

  /// The work launched before the event was recorded blocks the next launch on another stream.
  /// False if the times contradict.
  bool fork(const PendingWait& wait, EventId next) {
    if (wait.recorded == kNoEvent) return false;
    if (draft_.position(wait.recorded).stream == draft_.position(next).stream) return wait.fresh;
    if (profile_.events[wait.recorded].end() > profile_.events[next].start) return false;
    guessed_.push_back({wait.recorded, next, true});
    return true;
  }

  /// A stream waits for another stream, on which this thread may have launched nothing. Uses the
  /// latest work there that ended before the waiting stream continued.
  void join(const PendingWait& wait, EventId next) {
    if (next == kNoEvent) {
      next = next_of_waiting(wait);
      if (next == kNoEvent) return;
    }
    const std::uint32_t waiting = draft_.position(next).stream;
    const Time then = profile_.events[next].start;
    EventId best = kNoEvent;
    const auto streams = draft_.searched_streams();
    for (std::uint32_t s = 0; s < streams.size(); ++s) {
      if (s == waiting || streams[s].device != draft_.streams[waiting].device) continue;
      const EventId work = last_ended(streams[s], wait.now, then);
      if (work == kNoEvent) continue;
      if (best == kNoEvent || profile_.events[work].end() > profile_.events[best].end())
        best = work;
    }
    if (best != kNoEvent) guessed_.push_back({best, next, true});
  }

  /// The thread launches nothing more. The waiting stream is the one of its computation; it
  /// continues with work that another thread launches.
  [[nodiscard]] EventId next_of_waiting(const PendingWait& wait) const {
    if (wait.before == kNoEvent) return kNoEvent;
    std::uint32_t waiting = draft_.position(wait.before).stream;
    if (draft_.streams[waiting].comm && wait.other != kNone) waiting = wait.other;
    const Stream& stream = draft_.streams[waiting];
    const std::uint32_t next = stream.first_after(wait.now, profile_);
    return next < stream.works.size() ? stream.works[next] : kNoEvent;
  }

  /// Removes waits between two streams that an earlier wait implies.
  void remove_implied() {
    const auto position = [&](EventId work) { return draft_.position(work); };
    std::sort(guessed_.begin(), guessed_.end(), [&](const WorkWait& a, const WorkWait& b) {
      const StreamPosition later_a = position(a.later), later_b = position(b.later);
      if (later_a.stream != later_b.stream) return later_a.stream < later_b.stream;
      if (later_a.index != later_b.index) return later_a.index < later_b.index;
      const StreamPosition work_a = position(a.work), work_b = position(b.work);
      if (work_a.stream != work_b.stream) return work_a.stream < work_b.stream;
      return work_a.index > work_b.index;
    });
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
    std::uint64_t retained = 0;
    for (const WorkWait& wait : guessed_) {
      const StreamPosition from = position(wait.work);
      const auto [place, added] =
          known.try_emplace({position(wait.later).stream, from.stream}, from.index);
      if (!added && from.index <= place->second) continue;
      place->second = from.index;
      draft_.stream_waits.push_back(wait);
      ++retained;
    }
    if (retained > 0)
      draft_.findings.add(FindingCode::stream_wait_guessed, profile_.where, retained);
  }

  DependencyDraft& draft_;
  const Profile& profile_;
  bool guesses_stream_waits_;
  std::vector<CallName> names_;  // by StringId
  std::vector<WorkWait> guessed_;
  // State of the current thread
  EventId last_ = kNoEvent;      // the last work launched
  EventId recorded_ = kNoEvent;  // the last work launched before the last record of an event
  bool is_directly_after_record_ = false;  // no launch since that record
  bool has_record_ = false;
  std::uint32_t other_ = kNone;  // the last stream used before that of last_
  std::vector<PendingWait> pending_;
};

}  // namespace

void guess_waits(DependencyDraft& draft) { WaitGuesser(draft).guess(); }

}  // namespace orrery::profile::draft
