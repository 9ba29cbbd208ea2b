// SPDX-License-Identifier: Apache-2.0
//
// Launch queues: a stream takes so many works ahead of their time, and who launches one more waits
// until one of those before has ended. Nobody records that. It shows where a thread ran so far
// ahead that the number of works in front of it grew no longer, and its launches took long: as in
// HTA's ns_resolution (V100): 1018 to 1021 works ahead at the end of each of 533 launches of over
// 100 us. Waits for other streams take places, too, and nobody says of which stream: where there
// are many the number varies, and nothing is inferred.
#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {
namespace {

constexpr std::uint32_t kDeep = 256;    // nobody has made a queue that is shorter
constexpr Time kLongLaunch = us(50);    // ten times what a launch takes
constexpr std::uint32_t kLongOnes = 5;  // so many must stand at the end of the queue
constexpr Time kPlaceTaken = us(20);    // how long after a work's end its place is taken again

class Queues {
 public:
  explicit Queues(DependencyDraft& draft) : draft_(draft), profile_(draft.profile) {}

  void connect() {
    for (const Stream& stream : draft_.streams) {
      read(stream);
      if (is_full()) limit(stream);
    }
    if (waited_ > 0) draft_.findings.add(FindingCode::launch_queue_full, profile_.where, waited_);
  }

 private:
  struct Launch {
    EventId call = kNoEvent;
    std::uint32_t index = 0;  ///< of the first work it launched
    std::uint32_t ended = 0;  ///< how many works had ended at its end
    [[nodiscard]] std::uint32_t ahead() const { return index - std::min(index, ended); }
  };

  void read(const Stream& stream) {
    launches_.clear();
    most_ = 0;
    if (stream.works.size() <= kDeep) return;
    for (std::uint32_t i = 0; i < stream.works.size(); ++i) {
      const EventId call = launching_call(profile_, stream.works[i]);
      const CallEffect* use = draft_.use(call);
      if (use == nullptr || use->work != stream.works[i] || use->blocks) continue;
      const Time end = profile_.events[call].end();
      const auto ended =
          std::partition_point(stream.works.begin(), stream.works.end(),
                               [&](EventId work) { return profile_.events[work].end() <= end; });
      launches_.push_back({call, i, static_cast<std::uint32_t>(ended - stream.works.begin())});
      most_ = std::max(most_, launches_.back().ahead());
    }
  }

  /// Within 2 % of the most.
  [[nodiscard]] bool at_the_end(const Launch& launch) const {
    return std::uint64_t{launch.ahead()} * 50 >= std::uint64_t{most_} * 49;
  }

  [[nodiscard]] bool is_full() const {
    if (most_ < kDeep) return false;
    std::uint32_t found = 0;
    for (const Launch& launch : launches_)
      found += at_the_end(launch) && profile_.events[launch.call].duration >= kLongLaunch ? 1 : 0;
    return found >= kLongOnes;
  }

  void limit(const Stream& stream) {
    for (const Launch& launch : launches_) {
      const Event& call = profile_.events[launch.call];
      if (at_the_end(launch) && launch.ended > 0) {
        const EventId last = stream.works[launch.ended - 1];
        const Time since = call.end() - profile_.events[last].end();
        if (since <= kPlaceTaken && since < call.duration) {
          waited_ += add(last, launch.call) ? 1 : 0;
          continue;
        }
      }
      if (launch.index > most_) add(stream.works[launch.index - most_ - 1], launch.call);
    }
  }

  bool add(EventId work, EventId call) {
    const NodePosition from = draft_.node_of[work], to = draft_.node_of[call];
    if (from == kNone || to == kNone || draft_.at[from] > draft_.at[to]) return false;
    draft_.edges.push_back({from, to, DependencyKind::sync, true});
    return true;
  }

  DependencyDraft& draft_;
  const Profile& profile_;
  std::vector<Launch> launches_;
  std::uint32_t most_ = 0;  ///< works ahead of a launch
  std::uint64_t waited_ = 0;
};

}  // namespace

void connect_queues(DependencyDraft& draft) { Queues(draft).connect(); }

}  // namespace orrery::profile::draft
