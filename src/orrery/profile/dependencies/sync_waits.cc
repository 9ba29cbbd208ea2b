// SPDX-License-Identifier: Apache-2.0
//
// Finds waits for the device in sync records: of calls (synchronization), and of works across
// streams (event record and wait). The rules are those of HTA's critical path analysis.
#include "orrery/profile/dependencies/sync_waits.h"

#include <algorithm>

namespace orrery::profile::draft {
namespace {

/// Calls by the correlations that Sync records contain.
class CallsByCorrelation {
 public:
  explicit CallsByCorrelation(const Profile& profile) {
    for (std::size_t s = 0; s < profile.syncs.size(); ++s) {
      for (const std::uint64_t id :
           {profile.syncs[s].correlation, profile.syncs[s].record_correlation})
        if (id != kNoId) calls_.emplace_back(id, kNoEvent);
    }
    std::sort(calls_.begin(), calls_.end());
    calls_.erase(std::unique(calls_.begin(), calls_.end()), calls_.end());
    if (calls_.empty()) return;
    for (std::size_t e = 0; e < profile.events.size(); ++e) {
      if (profile.events[e].kind != Kind::call) continue;
      const auto place = find(profile.call(static_cast<EventId>(e)).correlation);
      if (place != calls_.end() && place->second == kNoEvent)
        place->second = static_cast<EventId>(e);
    }
  }

  [[nodiscard]] EventId operator()(std::uint64_t correlation) {
    const auto place = find(correlation);
    return place == calls_.end() ? kNoEvent : place->second;
  }

 private:
  using Calls = std::vector<std::pair<std::uint64_t, EventId>>;

  Calls::iterator find(std::uint64_t id) {
    const auto place =
        std::lower_bound(calls_.begin(), calls_.end(), std::make_pair(id, EventId{}));
    return place == calls_.end() || place->first != id ? calls_.end() : place;
  }

  Calls calls_;
};

/// Reads the sync records.
class SyncRecords {
 public:
  explicit SyncRecords(DependencyDraft& draft)
      : draft_(draft), profile_(draft.profile), calls_(draft.profile) {}

  void read() {
    for (std::size_t e = 0; e < profile_.events.size(); ++e) {
      if (profile_.events[e].kind != Kind::sync) continue;
      const auto event = static_cast<EventId>(e);
      const Sync& sync = profile_.sync(event);
      const EventId call = calls_(sync.correlation);
      if (call == kNoEvent) continue;
      device_ = sync.device >= 0 ? sync.device : profile_.lanes[profile_.events[e].lane].process;
      draft_.effect(call)->recorded = true;
      add_waits(sync, call);
    }
  }

 private:
  void add_waits(const Sync& sync, EventId call) {
    const Time now = profile_.events[call].start;
    switch (sync.kind) {
      case SyncKind::event:
        if (const EventId record = calls_(sync.record_correlation); record != kNoEvent)
          wait(call, stream(sync.wait_on_stream), profile_.events[record].start, true);
        break;
      case SyncKind::stream:
        wait(call, stream(sync.stream), now, false);
        break;
      case SyncKind::context:
        wait_for_device(draft_, call, device_);
        break;
      case SyncKind::stream_wait:
        between_streams(sync, now);
        break;
      case SyncKind::unknown:
        break;
    }
  }

  [[nodiscard]] const Stream* stream(std::int64_t id) const {
    const auto place = draft_.stream_of.find({device_, id});
    return place == draft_.stream_of.end() ? nullptr : &draft_.streams[place->second];
  }

  /// Makes the call wait for the last work launched on the stream before `then`.
  void wait(EventId call, const Stream* stream, Time then, bool event) {
    if (stream == nullptr) return;
    const std::uint32_t launched =
        stream->launched_before(then, profile_.events[call].end(), profile_);
    if (launched == 0) return;
    wait_for_last(draft_, call, *stream, launched, event);
  }

  void between_streams(const Sync& sync, Time now) {
    const EventId record = calls_(sync.record_correlation);
    const Stream* before = stream(sync.wait_on_stream);
    const Stream* after = stream(sync.stream);
    if (record == kNoEvent || before == nullptr || after == nullptr || before == after) return;
    const std::uint32_t next = after->first_after(now, profile_);
    if (next == after->works.size()) return;
    const EventId consumer = after->works[next];
    const std::uint32_t launched = before->launched_before(
        profile_.events[record].start, profile_.events[consumer].start, profile_);
    if (launched == 0) return;
    const EventId producer = before->works[launched - 1];
    if (profile_.events[producer].end() > profile_.events[consumer].start) {
      draft_.findings.add(FindingCode::dependency_contradicts_time,
                          wait_place(profile_, consumer, producer));
      return;
    }
    draft_.stream_waits.push_back({producer, consumer, false});
  }

  DependencyDraft& draft_;
  const Profile& profile_;
  CallsByCorrelation calls_;
  std::int64_t device_ = 0;
};

}  // namespace

void wait_for_last(DependencyDraft& draft, EventId call, const Stream& stream,
                   std::uint32_t launched, bool event) {
  constexpr std::uint32_t kMaxSearchedWorks = 16;
  const Profile& profile = draft.profile;
  const Time end = profile.events[call].end();
  const EventId last = stream.works[launched - 1];
  if (profile.events[last].end() <= end) {
    draft.effect(call)->waits = true;
    draft.syncs.push_back({last, call, false});
    return;
  }
  // A query of an event that has not completed does not wait.
  if (event && profile.name(call).find("Query") != std::string_view::npos) return;
  draft.findings.add(FindingCode::dependency_contradicts_time, wait_place(profile, call, last));
  // The clocks of host and device differ slightly: use the latest work that had ended.
  for (std::uint32_t back = 2; back <= std::min(launched, kMaxSearchedWorks); ++back) {
    const EventId work = stream.works[launched - back];
    if (profile.events[work].end() > end) continue;
    draft.effect(call)->waits = true;
    draft.syncs.push_back({work, call, true});
    return;
  }
}

namespace {

/// True if the thread has already waited for these works of the stream.
bool has_waited(DependencyDraft& draft, const Event& call, std::uint32_t stream,
                std::uint32_t launched) {
  const auto [before, added] =
      draft.device_waits.try_emplace({call.lane, stream}, std::make_pair(call.start, launched));
  if (added) return false;
  if (before->second.first <= call.start && before->second.second >= launched) return true;
  before->second = {call.start, launched};
  return false;
}

}  // namespace

void wait_for_device(DependencyDraft& draft, EventId call, std::int64_t device) {
  constexpr std::size_t kMaxStreamsUnfiltered = 32;
  const Event& event = draft.profile.events[call];
  const auto streams = draft.searched_streams();
  for (std::uint32_t s = 0; s < streams.size(); ++s) {
    if (streams[s].device != device) continue;
    const std::uint32_t launched =
        streams[s].launched_before(event.start, event.end(), draft.profile);
    if (launched == 0) continue;
    if (streams.size() > kMaxStreamsUnfiltered && has_waited(draft, event, s, launched)) continue;
    wait_for_last(draft, call, streams[s], launched, false);
  }
}

void find_waits(DependencyDraft& draft) {
  if (draft.profile.syncs.size() > 0) SyncRecords(draft).read();
}

}  // namespace orrery::profile::draft
