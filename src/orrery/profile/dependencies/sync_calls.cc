// SPDX-License-Identifier: Apache-2.0
//
// Waits for the device in traces without records of them. Names of calls tell that something is
// waited for; which stream it is has to be inferred from what the thread launched before and after,
// and from the times. Everything inferred here is in accord with the recorded times.
#include "orrery/profile/dependencies/sync_calls.h"

#include <algorithm>
#include <map>

#include "orrery/profile/dependencies/sync_waits.h"

namespace orrery::profile::draft {

CallName call_name(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("StreamWaitEvent")) return CallName::event_queue;
  if (has("EventRecord")) return CallName::event_record;
  if (!has("Synchronize")) return CallName::other;
  if (has("Stream")) return CallName::stream_wait;
  if (has("Event")) return CallName::event_wait;
  return has("Device") || has("Ctx") || has("Context") ? CallName::device_wait : CallName::other;
}

namespace {

/// How far the host may come back after what it waited for, where that has to be guessed.
constexpr Time kWakeUp = us(200);

class Guesser {
 public:
  explicit Guesser(DependencyDraft& draft)
      : draft_(draft),
        profile_(draft.profile),
        across_(!draft.profile.has_sync_events && draft.streams.size() > 1),
        names_(draft.profile.strings->size(), CallName::not_parsed) {}

  void guess() {
    for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
      if (profile_.lanes[lane].device) continue;
      forget();
      for (const EventId e : profile_.in_order(lane)) {
        if (profile_.events[e].kind == Kind::call) read(e);
      }
      for (const Queue& queue : queues_) join(queue, kNoEvent);
    }
    drop_implied();
  }

 private:
  /// A wait across streams that has to find its works.
  struct Queue {
    Time now{};
    EventId recorded = kNoEvent;  ///< the last work launched before the event was recorded
    bool fresh = false;           ///< nothing was launched between the record and the wait
    EventId before = kNoEvent;    ///< the last work launched before the wait
    std::uint32_t other = kNone;  ///< the last stream used before that of `before`
  };

  void forget() {
    last_ = recorded_ = kNoEvent;
    other_ = kNone;
    fresh_ = any_record_ = false;
    queues_.clear();
  }

  CallName name(EventId call) {
    const auto id = static_cast<std::uint32_t>(profile_.events[call].name);
    if (names_[id] == CallName::not_parsed) names_[id] = call_name(profile_.name(call));
    return names_[id];
  }

  void read(EventId call) {
    const CallEffect& use = *draft_.use(call);
    if (use.work != kNoEvent) launch(use.work);
    switch (name(call)) {
      case CallName::device_wait:
        draft_.use(call)->waits = true;
        if (!use.recorded) wait_for_devices(call);
        break;
      case CallName::stream_wait:
        draft_.use(call)->waits = true;
        if (!use.recorded) wait_for_stream(call);
        break;
      case CallName::event_wait:
        draft_.use(call)->waits = true;
        if (!use.recorded) wait_for_event(call);
        break;
      case CallName::event_record:
        recorded_ = last_;
        fresh_ = any_record_ = true;
        break;
      case CallName::event_queue:
        if (across_) queue(profile_.events[call].start);
        break;
      default:
        break;
    }
  }

  // Of waits in a row for the same record the last says it all.
  void queue(Time now) {
    const EventId recorded = any_record_ ? recorded_ : last_;
    if (!queues_.empty() && queues_.back().recorded == recorded) queues_.pop_back();
    queues_.push_back({now, recorded, any_record_ && fresh_, last_, other_});
  }

  void launch(EventId work) {
    for (const Queue& queue : queues_) {
      if (!fork(queue, work)) join(queue, work);
    }
    queues_.clear();
    if (last_ != kNoEvent && draft_.spot(last_).stream != draft_.spot(work).stream)
      other_ = draft_.spot(last_).stream;
    last_ = work;
    fresh_ = false;
  }

  /// Which device is not said: the one there is, or any that had done everything.
  void wait_for_devices(EventId call) {
    const auto streams = draft_.some_streams();
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

  /// The stream the thread launched on last, unless the call ended with another one.
  void wait_for_stream(EventId call) {
    const Event& event = profile_.events[call];
    EventId best = kNoEvent;
    for (const Stream& stream : draft_.some_streams()) {
      const std::uint32_t launched = stream.launched_before(event.start, event.end(), profile_);
      if (launched == 0) continue;
      const EventId work = stream.works[launched - 1];
      const Time end = profile_.events[work].end();
      if (end > event.end() || end < event.start) continue;
      if (best == kNoEvent || end > profile_.events[best].end()) best = work;
    }
    if (last_ != kNoEvent) {
      const Stream& used = draft_.streams[draft_.spot(last_).stream];
      const std::uint32_t launched = used.launched_before(event.start, event.end(), profile_);
      if (launched > 0) {
        const EventId work = used.works[launched - 1];
        const Time end = profile_.events[work].end();
        if (end <= event.end() && (end >= event.start || best == kNoEvent)) best = work;
      }
    }
    if (best != kNoEvent) draft_.syncs.push_back({best, call, true});
  }

  /// The work with whose end the call ended.
  void wait_for_event(EventId call) {
    const Event& event = profile_.events[call];
    EventId best = kNoEvent;
    for (const Stream& stream : draft_.some_streams()) {
      const EventId work = ended(stream, event.start, event.end());
      if (work == kNoEvent) continue;
      const Time end = profile_.events[work].end();
      if (end < event.start || event.end() - end > kWakeUp) continue;
      if (best == kNoEvent || end > profile_.events[best].end()) best = work;
    }
    if (best != kNoEvent) draft_.syncs.push_back({best, call, true});
  }

  /// The latest work launched before `now` that had ended by `then`.
  [[nodiscard]] EventId ended(const Stream& stream, Time now, Time then) const {
    const auto by_then = [&](EventId work) { return profile_.events[work].end() <= then; };
    const auto launched = stream.works.begin() + stream.launched_before(now);
    const auto place = std::partition_point(stream.works.begin(), launched, by_then);
    return place == stream.works.begin() ? kNoEvent : *std::prev(place);
  }

  /// What was launched before the event was recorded, then what is launched next on another stream;
  /// false where the times say that it was not this work that was waited for.
  bool fork(const Queue& queue, EventId next) {
    if (queue.recorded == kNoEvent) return false;
    if (draft_.spot(queue.recorded).stream == draft_.spot(next).stream) return queue.fresh;
    if (profile_.events[queue.recorded].end() > profile_.events[next].start) return false;
    guessed_.push_back({queue.recorded, next, true});
    return true;
  }

  /// A stream waits for another one, on which this thread may have launched nothing: the latest
  /// work there that had ended when the waiting stream went on.
  void join(const Queue& queue, EventId next) {
    if (next == kNoEvent) {
      next = next_of_waiting(queue);
      if (next == kNoEvent) return;
    }
    const std::uint32_t waiting = draft_.spot(next).stream;
    const Time then = profile_.events[next].start;
    EventId best = kNoEvent;
    const auto streams = draft_.some_streams();
    for (std::uint32_t s = 0; s < streams.size(); ++s) {
      if (s == waiting || streams[s].device != draft_.streams[waiting].device) continue;
      const EventId work = ended(streams[s], queue.now, then);
      if (work == kNoEvent) continue;
      if (best == kNoEvent || profile_.events[work].end() > profile_.events[best].end())
        best = work;
    }
    if (best != kNoEvent) guessed_.push_back({best, next, true});
  }

  /// The thread launches nothing more: the waiting stream is the one it computed on, and goes on
  /// with what another thread launches.
  [[nodiscard]] EventId next_of_waiting(const Queue& queue) const {
    if (queue.before == kNoEvent) return kNoEvent;
    std::uint32_t waiting = draft_.spot(queue.before).stream;
    if (draft_.streams[waiting].comm && queue.other != kNone) waiting = queue.other;
    const Stream& stream = draft_.streams[waiting];
    const std::uint32_t next = stream.first_after(queue.now, profile_);
    return next < stream.works.size() ? stream.works[next] : kNoEvent;
  }

  /// Keeps of each pair of streams only the waits that say something new.
  void drop_implied() {
    const auto spot = [&](EventId work) { return draft_.spot(work); };
    std::sort(guessed_.begin(), guessed_.end(), [&](const WorkWait& a, const WorkWait& b) {
      const StreamPosition later_a = spot(a.later), later_b = spot(b.later);
      if (later_a.stream != later_b.stream) return later_a.stream < later_b.stream;
      if (later_a.index != later_b.index) return later_a.index < later_b.index;
      const StreamPosition work_a = spot(a.work), work_b = spot(b.work);
      if (work_a.stream != work_b.stream) return work_a.stream < work_b.stream;
      return work_a.index > work_b.index;
    });
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
    std::uint64_t retained = 0;
    for (const WorkWait& wait : guessed_) {
      const StreamPosition from = spot(wait.work);
      const auto [place, added] =
          known.try_emplace({spot(wait.later).stream, from.stream}, from.index);
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
  bool across_;
  std::vector<CallName> names_;  // by StringId
  std::vector<WorkWait> guessed_;
  // Of the thread that is being read
  EventId last_ = kNoEvent;      // the last work launched
  EventId recorded_ = kNoEvent;  // the last work launched before the last record of an event
  bool fresh_ = false;           // no launch since that record
  bool any_record_ = false;
  std::uint32_t other_ = kNone;  // the last stream used before that of last_
  std::vector<Queue> queues_;
};

}  // namespace

void guess_waits(DependencyDraft& draft) { Guesser(draft).guess(); }

}  // namespace orrery::profile::draft
