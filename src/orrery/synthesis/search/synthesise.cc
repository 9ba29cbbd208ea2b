// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/synthesise.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/synthesis/search/constructions/mesh_gather.h"
#include "orrery/synthesis/search/constructions/torus.h"
#include "orrery/synthesis/search/methods/all_to_all_search.h"
#include "orrery/synthesis/search/methods/stream_search.h"
#include "orrery/synthesis/search/schedule_retime.h"

namespace orrery::synthesis {

namespace {

constexpr std::size_t kPartedSends = 2'000'000;    // where an all-reduce is tried in parts
constexpr std::uint64_t kRuledSends = 64'000'000;  // by rule, at most: 16 bytes each
constexpr std::size_t kSmallMesh = 128;    // ranks up to which the search is better than the rule
constexpr std::int64_t kSmallPart = 4096;  // bytes

/// Within half a percent of a bound, more seeds are not worth it.
Time stop_at(Time bound) { return bound + Time(bound.count() / 200); }

class Front {
 public:
  Front(const FabricState& fabric, const SynthesisQuestion& question)
      : fabric_(fabric), question_(question) {}

  Result<Synthesis> run() {
    if (auto made = set_groups(); !made) return tl::unexpected(made.error());
    Synthesis answer;
    Result<Bound> bound = bound_for(question_.type);
    if (!bound) return tl::unexpected(bound.error());
    answer.bound = *std::move(bound);
    Result<SearchResult> found = search(answer.bound);
    if (!found) return tl::unexpected(found.error());
    answer.schedule = std::move(found->schedule);
    answer.method = std::move(found->method);
    answer.time = answer.schedule.end();
    return answer;
  }

 private:
  Result<void> set_groups() {
    std::vector<std::vector<std::uint32_t>> all = question_.groups;
    if (all.empty()) all.emplace_back();
    for (const auto& ranks : all) {
      auto members = members_of(fabric_, ranks);
      if (!members) return tl::unexpected(members.error());
      ranks_.push_back(ranks);
      groups_.push_back({question_.type, question_.bytes, std::move(*members), question_.root});
    }
    return {};
  }
  [[nodiscard]] Result<Bound> bound_for(CollectiveType type) const {
    return joint_lower_bound(
        fabric_, {type, question_.bytes, {}, question_.root, SwitchCapability::forwards, {}, true},
        ranks_);
  }

  Result<SearchResult> search(const Bound& bound) {
    // Streams pass members of other groups.
    streams_ = question_.streams && (question_.relays || groups_.size() == 1);
    effort_ = {question_.chunks, question_.seed, question_.relays, streams_, stop_at(bound.total)};
    switch (question_.type) {
      case CollectiveType::all_gather:
      case CollectiveType::broadcast:
        return spread_out(false);
      case CollectiveType::reduce_scatter:
      case CollectiveType::reduce:
        return spread_out(true);
      case CollectiveType::all_reduce:
        return both(bound.total);
      case CollectiveType::all_to_all:
        return exchanged();
      default:
        return fail(Errc::usage, std::string(graph::name(question_.type)), "is not synthesised",
                    "all-gather, reduce-scatter, all-reduce, all-to-all, broadcast or reduce");
    }
  }

  /// Where a rule knows it, by that; `against`: turned round afterwards.
  Result<SearchResult> spread_out(bool against) {
    const bool shards =
        question_.type != CollectiveType::broadcast && question_.type != CollectiveType::reduce;
    Result<SearchResult> found = SearchResult{};
    const Group& group = groups_.front();
    const bool ruled = shards && may_be_ruled(1);
    if (const auto torus = ruled ? torus_of(fabric_, group.members, against) : std::nullopt) {
      found = torus_gather(*torus, group, effort_);
    } else if (const auto mesh = ruled && group.members.size() > kSmallMesh
                                     ? mesh_of(fabric_, group.members, against)
                                     : std::nullopt) {
      found = mesh_gather(*mesh, group, effort_);
    } else {
      found = gather(fabric_, groups_, effort_, against);
    }
    if (found && against) found->schedule = time_reversed(found->schedule);
    return found;
  }

  /// `hops`: that a piece takes.
  [[nodiscard]] bool may_be_ruled(std::uint64_t hops) const {
    const Group& group = groups_.front();
    // Pieces of no bytes are none, and a rule counts on all.
    const std::int64_t least = static_cast<std::int64_t>(group.members.size()) *
                               std::max<std::int64_t>(16, question_.chunks);
    const std::uint64_t sends =
        group.members.size() * group.members.size() * hops *
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, question_.chunks));
    return question_.constructions && groups_.size() == 1 && group.bytes.count() >= least &&
           sends <= kRuledSends;
  }

  Result<SearchResult> exchanged() {
    std::uint64_t hops = 1;  // of a piece on a torus, in the mean
    for (const std::int64_t size : fabric_.sizes) hops += static_cast<std::uint64_t>(size) / 4;
    if (may_be_ruled(hops)) {
      if (const auto torus = torus_of(fabric_, groups_.front().members, false))
        return torus_exchange(*torus, groups_.front(), effort_);
    }
    return exchange(fabric_, groups_, effort_);
  }

  /// A reduce-scatter, and an all-gather of the same pieces after it.
  Result<SearchResult> both(Time bound) {
    effort_.streams = false;  // whose halves would have other pieces, and which need none
    // Half of an all-reduce is bound as an all-gather is.
    Result<SearchResult> halves[2] = {SearchResult{}, SearchResult{}};
    for (const bool against : {true, false}) {
      const auto least =
          bound_for(against ? CollectiveType::reduce_scatter : CollectiveType::all_gather);
      if (!least) return tl::unexpected(least.error());
      effort_.stop_at = stop_at(least->total);
      // Both have the same pieces.
      if (!against && !halves[0]->schedule.pieces.empty()) effort_.chunks = chunks_;
      halves[against ? 0 : 1] = spread_out(against);
      Result<SearchResult>& half = halves[against ? 0 : 1];
      if (!half) return half;
      chunks_ = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(half->schedule.pieces.size() / shard_count()));
    }
    const Schedule &scatter = halves[0]->schedule, &gathered = halves[1]->schedule;
    SearchResult best{join_schedules(scatter, gathered, chunks_, 1),
                      "reduced, then gathered; " + halves[1]->method};
    Time least = best.schedule.end();
    const std::size_t sends = scatter.sends.size() + gathered.sends.size();
    for (const std::int64_t parts : {2, 8, 32}) {
      const bool small = question_.bytes.count() / static_cast<std::int64_t>(shard_count()) <
                         parts * chunks_ * kSmallPart;
      if (least <= stop_at(bound) || small ||
          sends * static_cast<std::size_t>(parts) > kPartedSends)
        break;
      Schedule parted = retime_schedule(fabric_, join_schedules(scatter, gathered, chunks_, parts));
      const Time time = parted.end();
      if (time >= least) continue;
      least = time;
      best = {std::move(parted),
              fmt::format("reduced, then gathered, in {} parts; {}", parts, halves[1]->method)};
    }
    effort_.chunks = question_.chunks;
    effort_.stop_at = stop_at(bound);
    auto flowing = streams_ && least > effort_.stop_at
                       ? stream_all_reduce(fabric_, groups_, effort_)
                       : std::nullopt;
    if (flowing && flowing->schedule.end() < least) best = std::move(*flowing);
    return best;
  }
  [[nodiscard]] std::size_t shard_count() const {
    std::size_t sum = 0;
    for (const Group& group : groups_) sum += group.members.size();
    return sum;
  }

  const FabricState& fabric_;
  const SynthesisQuestion& question_;
  SynthesisEffort effort_;
  std::vector<std::vector<std::uint32_t>> ranks_;
  std::vector<Group> groups_;
  std::int64_t chunks_ = 1;
  bool streams_ = true;
};

}  // namespace

Result<Synthesis> synthesise(const FabricState& fabric, const SynthesisQuestion& question) {
  return Front(fabric, question).run();
}

}  // namespace orrery::synthesis
