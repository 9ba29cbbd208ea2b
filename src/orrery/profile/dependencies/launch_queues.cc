// SPDX-License-Identifier: Apache-2.0
//
// Launch queues: a stream accepts a limited number of works ahead of execution; a thread that
// launches one more waits until one of them has ended. Recordings do not contain this wait. It is
// inferred where a thread ran so far ahead that the number of works in front of it stopped growing
// and its launches were long. Example: HTA's ns_resolution (V100) has 1018 to 1021 works ahead at
// the end of each of 533 launches of over 100 us. Waits for other streams also occupy places, and
// recordings do not show of which stream: where there are many, the number varies and nothing is
// inferred.
#include "orrery/profile/launch_queues.h"

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {
namespace {

// Maximum time from the end of a work until its place is reused.
constexpr Time kMaxReuseDelay = us(20);

class LaunchQueues {
 public:
  explicit LaunchQueues(DependencyDraft& draft) : draft_(draft), profile_(draft.profile) {}

  void connect() {
    for (const Stream& stream : draft_.streams) {
      read(stream);
      if (is_full()) connect_full_queue(stream);
    }
    if (waited_ > 0) draft_.findings.add(FindingCode::launch_queue_full, profile_.where, waited_);
  }

 private:
  struct Launch {
    EventId call = kNoEvent;
    std::uint32_t index = 0;  ///< of the first work that it launched
    std::uint32_t ended = 0;  ///< number of works that had ended at its end
    [[nodiscard]] std::uint32_t ahead() const { return index - std::min(index, ended); }
  };

  void read(const Stream& stream) {
    launches_.clear();
    most_ = 0;
    if (stream.works.size() <= kMinQueueDepth) return;
    for (std::uint32_t i = 0; i < stream.works.size(); ++i) {
      const EventId call = launching_call(profile_, stream.works[i]);
      const CallEffect* effect = draft_.effect(call);
      if (effect == nullptr || effect->work != stream.works[i] || effect->blocks) continue;
      const Time end = profile_.events[call].end();
      const auto ended =
          std::partition_point(stream.works.begin(), stream.works.end(),
                               [&](EventId work) { return profile_.events[work].end() <= end; });
      launches_.push_back({call, i, static_cast<std::uint32_t>(ended - stream.works.begin())});
      most_ = std::max(most_, launches_.back().ahead());
    }
  }

  [[nodiscard]] bool is_near_maximum(const Launch& launch) const {
    return is_queue_near_maximum(launch.ahead(), most_);
  }

  [[nodiscard]] bool is_full() const {
    if (most_ < kMinQueueDepth) return false;
    std::uint32_t found = 0;
    for (const Launch& launch : launches_)
      found +=
          is_near_maximum(launch) && profile_.events[launch.call].duration >= kLongLaunch ? 1 : 0;
    return found >= kMinLongLaunches;
  }

  void connect_full_queue(const Stream& stream) {
    for (const Launch& launch : launches_) {
      const Event& call = profile_.events[launch.call];
      if (is_near_maximum(launch) && launch.ended > 0) {
        const EventId last = stream.works[launch.ended - 1];
        const Time since = call.end() - profile_.events[last].end();
        if (since <= kMaxReuseDelay && since < call.duration) {
          waited_ += add(last, launch.call) ? 1 : 0;
          continue;
        }
      }
      if (launch.index > most_) add(stream.works[launch.index - most_ - 1], launch.call);
    }
  }

  bool add(EventId work, EventId call) {
    const NodePosition from = draft_.node_of[work], to = draft_.node_of[call];
    if (from == kNone || to == kNone || draft_.ends[from] > draft_.ends[to]) return false;
    draft_.edges.push_back({from, to, DependencyKind::sync, true});
    return true;
  }

  DependencyDraft& draft_;
  const Profile& profile_;
  std::vector<Launch> launches_;
  std::uint32_t most_ = 0;  ///< maximum number of works ahead of a launch
  std::uint64_t waited_ = 0;
};

}  // namespace

void connect_queues(DependencyDraft& draft) { LaunchQueues(draft).connect(); }

}  // namespace orrery::profile::draft
