// SPDX-License-Identifier: Apache-2.0
//
// Polls: a thread launches work, then reads a place in memory again and again until the device has
// written it (as DeepEP does to learn how much it will receive), or asks whether an event has
// happened. No call that waits is recorded, only a stretch in which the thread launches nothing and
// which ends as the work does. It may also do so by chance, so stretches are told apart by the step
// that follows and the work: nearly all of a pattern must end with the work, and so many, or such
// long ones, that chance would hardly do it.
#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/profile/dependencies_internal.h"

namespace orrery::profile::draft {
namespace {

constexpr Time kLongStretch = us(100);  // shorter ones are not worth a guess
constexpr Time kNotice = us(20);        // how long after the work's end a poll may see it
constexpr double kChance = 0.02;        // one stretch of 1 ms, two of 142 us, three of any length

class Polls {
 public:
  explicit Polls(Draft& draft) : draft_(draft), profile_(draft.profile) {}

  void connect() {
    const auto lanes = static_cast<std::uint32_t>(profile_.lanes.size());
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (!profile_.lanes[lane].device) read(lane);
    }
    std::uint64_t guessed = 0;
    for (const Stretch& stretch : stretches_) {
      if (!stretch.ends_with_work || !is_poll(patterns_.at(stretch.pattern))) continue;
      draft_.edges.push_back(
          {draft_.node_of[stretch.work], stretch.step, DependencyKind::sync, true});
      ++guessed;
    }
    if (guessed > 0) draft_.findings.add(FindingCode::poll_guessed, profile_.where, guessed);
  }

 private:
  /// The step's name, the work's, and whether it is the step itself that lasted.
  using Pattern = std::tuple<StringId, StringId, bool>;
  struct Times {
    std::uint64_t all = 0, with_work = 0;
    double chance = 1;  ///< that those with the work had ended so wherever they ended
  };
  /// A long stretch into which a work ran that the thread had launched last.
  struct Stretch {
    Place step = kNone;
    EventId work = kNoEvent;
    bool ends_with_work = false;
    Pattern pattern;
  };

  [[nodiscard]] static bool is_poll(const Times& times) {
    return times.with_work * 4 >= times.all * 3 && times.chance <= kChance;
  }

  void read(std::uint32_t lane) {
    EventId last = kNoEvent;  // the last work launched
    for (Place step = draft_.first_of_lane[lane]; step < draft_.first_of_lane[lane + 1]; ++step) {
      const CallUse* use = draft_.use(draft_.nodes[step]);
      if (last != kNoEvent && draft_.event(step).timed()) look(step, use, last);
      if (use != nullptr && use->work != kNoEvent) last = use->work;
    }
  }

  /// Before the step, and while it lasts: a call's own time is another matter.
  void look(Place step, const CallUse* use, EventId last) {
    const Event& event = draft_.event(step);
    const CallUse* before = draft_.use(draft_.nodes[step - 1]);
    if (before != nullptr && before->blocks) return;  // it is the copy that is waited for
    if (use != nullptr && use->waits) return;
    note(step, last, draft_.at[step - 1], event.start, false);
    if (use == nullptr) note(step, last, event.start, draft_.at[step], true);
  }

  void note(Place step, EventId last, Time begin, Time end, bool lasts) {
    if (end - begin < kLongStretch) return;
    const Stream& stream = draft_.streams[draft_.spot(last).stream];
    const std::uint32_t launched = stream.launched_before(begin, end, profile_);
    EventId work = launched == 0 ? last : stream.works[launched - 1];
    if (profile_.events[work].end() > end) work = last;  // another thread may have launched more
    const Time done = profile_.events[work].end();
    if (done <= begin) return;
    const Pattern pattern{draft_.event(step).name, profile_.events[work].name, lasts};
    const bool ends_with_work =
        done <= end && end - done <= kNotice && draft_.at[draft_.node_of[work]] <= draft_.at[step];
    Times& times = patterns_[pattern];
    ++times.all;
    if (ends_with_work) {
      ++times.with_work;
      times.chance *=
          static_cast<double>(kNotice.count()) / static_cast<double>((end - begin).count());
    }
    stretches_.push_back({step, work, ends_with_work, pattern});
  }

  Draft& draft_;
  const Profile& profile_;
  std::map<Pattern, Times> patterns_;
  std::vector<Stretch> stretches_;
};

}  // namespace

void connect_polls(Draft& draft) { Polls(draft).connect(); }

}  // namespace orrery::profile::draft
