// SPDX-License-Identifier: Apache-2.0
//
// Polls: a thread launches work, then reads a place in memory again and again until the device has
// written it (as DeepEP does to learn how much it will receive), or asks whether an event has
// happened. No call that waits is recorded, only a stretch in which the thread launches nothing and
// which ends as the work does. It may also do so by chance, so stretches are told apart by the step
// that follows and the work: nearly all of a pattern must end with the work, and so many, or such
// long ones, that chance would hardly do it.
#include <array>
#include <unordered_map>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {
namespace {

constexpr Time kLongStretch = us(100);  // shorter ones are not worth a guess
constexpr Time kNotice = us(20);        // how long after the work's end a poll may see it
constexpr double kChance = 0.02;        // one stretch of 1 ms, two of 142 us, three of any length

class Polls {
 public:
  explicit Polls(DependencyDraft& draft) : draft_(draft), profile_(draft.profile) {}

  void connect() {
    const auto lanes = static_cast<std::uint32_t>(profile_.lanes.size());
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (!profile_.lanes[lane].device) read(lane);
    }
    std::uint64_t guessed = 0;
    for (const Stretch& stretch : stretches_) {
      if (!is_poll(*stretch.times)) continue;
      draft_.edges.push_back(
          {draft_.node_of[stretch.work], stretch.step, DependencyKind::sync, true});
      ++guessed;
    }
    if (guessed > 0) draft_.findings.add(FindingCode::poll_guessed, profile_.where, guessed);
  }

 private:
  /// Of the stretches with the same step and the same work, by name.
  struct Times {
    std::uint64_t all = 0, with_work = 0;
    double chance = 1;  ///< that those with the work had ended so wherever they ended
  };
  /// A long one into which a work ran that the thread had launched last, and which ended with it.
  struct Stretch {
    NodePosition step = kNone;
    EventId work = kNoEvent;
    const Times* times = nullptr;
  };

  [[nodiscard]] static bool is_poll(const Times& times) {
    return times.with_work * 4 >= times.all * 3 && times.chance <= kChance;
  }

  void read(std::uint32_t lane) {
    const NodePosition first = draft_.lane_offsets[lane];
    EventId last = kNoEvent;  // the last work launched before `known`
    NodePosition known = first;
    for (NodePosition step = first + 1; step < draft_.lane_offsets[lane + 1]; ++step) {
      if (draft_.at[step] - draft_.at[step - 1] < kLongStretch) continue;
      for (NodePosition before = step; before-- > known;) {
        const CallEffect* use = draft_.use(draft_.nodes[before]);
        if (use == nullptr || use->work == kNoEvent) continue;
        last = use->work;
        break;
      }
      known = step;
      if (last != kNoEvent && draft_.event(step).timed())
        look(step, draft_.use(draft_.nodes[step]), last);
    }
  }

  /// Before the step, and while it lasts: a call's own time is another matter.
  void look(NodePosition step, const CallEffect* use, EventId last) {
    const Event& event = draft_.event(step);
    const CallEffect* before = draft_.use(draft_.nodes[step - 1]);
    if (before != nullptr && before->blocks) return;  // it is the copy that is waited for
    if (use != nullptr && use->waits) return;
    note(step, last, draft_.at[step - 1], event.start, false);
    if (use == nullptr) note(step, last, event.start, draft_.at[step], true);
  }

  void note(NodePosition step, EventId last, Time begin, Time end, bool lasts) {
    if (end - begin < kLongStretch) return;
    const Stream& stream = draft_.streams[draft_.spot(last).stream];
    const std::uint32_t launched = stream.launched_before(begin, end, profile_);
    EventId work = launched == 0 ? last : stream.works[launched - 1];
    if (profile_.events[work].end() > end) work = last;  // another thread may have launched more
    const Time done = profile_.events[work].end();
    if (done <= begin) return;
    Times& times = times_of(draft_.event(step).name, profile_.events[work].name, lasts);
    ++times.all;
    if (done > end || end - done > kNotice || draft_.at[draft_.node_of[work]] > draft_.at[step])
      return;
    ++times.with_work;
    times.chance *=
        static_cast<double>(kNotice.count()) / static_cast<double>((end - begin).count());
    stretches_.push_back({step, work, &times});
  }

  Times& times_of(StringId step, StringId work, bool lasts) {
    const auto key = static_cast<std::uint64_t>(step) << 32 | static_cast<std::uint64_t>(work);
    return patterns_[lasts ? 1 : 0][key];
  }

  DependencyDraft& draft_;
  const Profile& profile_;
  /// Before the step, and while it lasted.
  std::array<std::unordered_map<std::uint64_t, Times>, 2> patterns_;
  std::vector<Stretch> stretches_;
};

}  // namespace

void connect_polls(DependencyDraft& draft) { Polls(draft).connect(); }

}  // namespace orrery::profile::draft
