// SPDX-License-Identifier: Apache-2.0
//
// Polls: a thread launches work, then reads a memory location repeatedly until the device has
// written it (DeepEP does so to learn how much it will receive), or queries whether an event has
// completed. The recording has no call that waits, only a segment without launches that ends
// together with the work. Segments can also end then by chance. Therefore they are grouped by the
// following step and the work. At least three quarters of a group must end with the work, and
// chance must be unlikely, given their number and length.
//
// A kernel can also write the value before it ends (DeepEP's notify_dispatch resets its buffers
// afterwards: https://github.com/deepseek-ai/DeepEP, csrc/kernels/internode.cu). The segment then
// ends within the work. By chance it does so with the share that the work has of the segment.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {
namespace {

constexpr Time kLongSegment = us(100);    // shorter segments are not worth a guess
constexpr Time kMaxNoticeDelay = us(20);  // maximum delay until a poll notices the end of the work
constexpr double kMaxChance = 0.02;  // one segment of 1 ms, two of 142 us, or three of any length

class Polls {
 public:
  explicit Polls(DependencyDraft& draft) : draft_(draft), profile_(draft.profile) {}

  void connect() {
    const auto lanes = static_cast<std::uint32_t>(profile_.lanes.size());
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (!profile_.lanes[lane].device) read(lane);
    }
    std::uint64_t guessed = 0;
    for (const Segment& segment : segments_) {
      if (!is_poll(*segment.counts)) continue;
      draft_.edges.push_back(
          {draft_.node_of[segment.work], segment.step, DependencyKind::sync, true});
      ++guessed;
    }
    for (const Segment& segment : early_) {
      if (is_poll(*segment.ending) || !is_early_poll(*segment.counts)) continue;
      draft_.early_polls.push_back(
          {segment.step, draft_.node_of[segment.work], segment.end, Time{}});
      ++guessed;
    }
    if (guessed > 0) draft_.findings.add(FindingCode::poll_guessed, profile_.where, guessed);
  }

 private:
  /// Segments with the same step name and the same work name.
  struct SegmentCounts {
    std::uint64_t all = 0, with_work = 0;
    double chance = 1;  ///< probability that the segments with the work end with it by chance
  };
  /// A long segment that ended with, or within, the work that the thread had launched last.
  struct Segment {
    NodePosition step = kNone;
    EventId work = kNoEvent;
    Time end{};
    const SegmentCounts* counts = nullptr;
    const SegmentCounts* ending = nullptr;  ///< of segments that end with the work
  };

  [[nodiscard]] static bool is_poll(const SegmentCounts& counts) {
    return counts.with_work * 4 >= counts.all * 3 && counts.chance <= kMaxChance;
  }

  /// One segment that ends within a work is no evidence: some work usually runs.
  [[nodiscard]] static bool is_early_poll(const SegmentCounts& counts) {
    return counts.with_work >= 2 && is_poll(counts);
  }

  void read(std::uint32_t lane) {
    const NodePosition first = draft_.lane_offsets[lane];
    EventId last = kNoEvent;  // the last work launched before `known`
    NodePosition known = first;
    for (NodePosition step = first + 1; step < draft_.lane_offsets[lane + 1]; ++step) {
      if (draft_.ends[step] - draft_.ends[step - 1] < kLongSegment) continue;
      for (NodePosition before = step; before-- > known;) {
        const CallEffect* effect = draft_.effect(draft_.nodes[before]);
        if (effect == nullptr || effect->work == kNoEvent) continue;
        last = effect->work;
        break;
      }
      known = step;
      if (last != kNoEvent && draft_.event(step).timed())
        check_step(step, draft_.effect(draft_.nodes[step]), last);
    }
  }

  /// Checks the time before the step, and the step itself. The duration of calls is not checked.
  void check_step(NodePosition step, const CallEffect* effect, EventId last) {
    const Event& event = draft_.event(step);
    const CallEffect* before = draft_.effect(draft_.nodes[step - 1]);
    if (before != nullptr && before->blocks) return;  // it waits for the copy
    if (effect != nullptr && effect->waits) return;
    add_segment(step, last, draft_.ends[step - 1], event.start, false);
    if (effect == nullptr) add_segment(step, last, event.start, draft_.ends[step], true);
  }

  void add_segment(NodePosition step, EventId last, Time begin, Time end, bool lasts) {
    if (end - begin < kLongSegment) return;
    const Stream& stream = draft_.streams[draft_.position(last).stream];
    const std::uint32_t launched = stream.launched_before(begin, end, profile_);
    EventId work = launched == 0 ? last : stream.works[launched - 1];
    if (profile_.events[work].end() > end) work = last;  // another thread may have launched more
    const Time done = profile_.events[work].end();
    if (done <= begin) return;
    SegmentCounts& counts =
        counts_of(patterns_, draft_.event(step).name, profile_.events[work].name, lasts);
    ++counts.all;
    add_early(step, work, begin, end, counts, lasts);
    if (done > end || end - done > kMaxNoticeDelay ||
        draft_.ends[draft_.node_of[work]] > draft_.ends[step])
      return;
    ++counts.with_work;
    counts.chance *=
        static_cast<double>(kMaxNoticeDelay.count()) / static_cast<double>((end - begin).count());
    segments_.push_back({step, work, end, &counts, &counts});
  }

  /// Counts a segment that may have ended when the work had written a value.
  void add_early(NodePosition step, EventId work, Time begin, Time end, const SegmentCounts& ending,
                 bool lasts) {
    SegmentCounts& counts =
        counts_of(early_patterns_, draft_.event(step).name, profile_.events[work].name, lasts);
    ++counts.all;
    const Event& event = profile_.events[work];
    if (event.start < begin || event.start > end || end > event.end() + kMaxNoticeDelay) return;
    ++counts.with_work;
    counts.chance *= std::min(1.0, static_cast<double>((event.duration + kMaxNoticeDelay).count()) /
                                       static_cast<double>((end - begin).count()));
    early_.push_back({step, work, end, &counts, &ending});
  }

  /// By step name and work name. Index 0: before the step; 1: during the step.
  using Patterns = std::array<std::unordered_map<std::uint64_t, SegmentCounts>, 2>;

  static SegmentCounts& counts_of(Patterns& patterns, StringId step, StringId work, bool lasts) {
    const auto key = static_cast<std::uint64_t>(step) << 32 | static_cast<std::uint64_t>(work);
    return patterns[lasts ? 1 : 0][key];
  }

  DependencyDraft& draft_;
  const Profile& profile_;
  Patterns patterns_, early_patterns_;
  std::vector<Segment> segments_, early_;
};

}  // namespace

void connect_polls(DependencyDraft& draft) { Polls(draft).connect(); }

void connect_early_polls(DependencyDraft& draft) {
  if (draft.early_polls.empty()) return;
  // A step can have two: before it and during it. The later one ends the wait.
  std::map<NodePosition, EarlyPoll*> of_step;
  for (EarlyPoll& poll : draft.early_polls) {
    EarlyPoll*& latest = of_step[poll.step];
    if (latest == nullptr || latest->until < poll.until) latest = &poll;
  }
  std::unordered_map<NodePosition, std::vector<EarlyPoll*>> of_work;
  for (const auto& [step, poll] : of_step) of_work[poll->work].push_back(poll);
  std::unordered_map<const EarlyPoll*, Time> ready;
  std::vector<DraftEdge> edges;
  for (const DraftEdge& edge : draft.edges) {
    const auto polls = of_work.find(edge.to);
    if (polls == of_work.end()) continue;
    for (const EarlyPoll* poll : polls->second) {
      if (draft.ends[edge.from] >= draft.ends[poll->step]) continue;
      edges.push_back({edge.from, poll->step, DependencyKind::poll, true});
      ready[poll] = std::max(ready[poll], draft.ends[edge.from]);
    }
  }
  std::vector<EarlyPoll> retained;
  for (const auto& [step, poll] : of_step) {
    const auto found = ready.find(poll);
    if (found == ready.end()) continue;
    const Time start = std::max(found->second, draft.event(poll->work).start);
    poll->progress = std::max(Time{}, poll->until - start);
    retained.push_back(*poll);
  }
  draft.early_polls = std::move(retained);
  draft.edges.insert(draft.edges.end(), edges.begin(), edges.end());
}

}  // namespace orrery::profile::draft
