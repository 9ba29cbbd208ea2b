// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/synthesise.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/synthesis/search/exchange.h"
#include "orrery/synthesis/search/flowing.h"
#include "orrery/synthesis/search/mesh.h"
#include "orrery/synthesis/search/retime.h"
#include "orrery/synthesis/search/torus.h"

namespace orrery::synthesis {

namespace {

constexpr std::size_t kPartedSends = 2'000'000;    // where an all-reduce is tried in parts
constexpr std::uint64_t kRuledSends = 64'000'000;  // by rule, at most: 16 bytes each
constexpr std::size_t kSmallMesh = 128;    // ranks up to which the search is better than the rule
constexpr std::int64_t kSmallPart = 4096;  // bytes

/// Within half a percent of a bound, more seeds are not worth it.
Time good_enough(Time bound) { return bound + Time(bound.count() / 200); }

class Front {
 public:
  Front(const Ground& ground, const SynthesisQuestion& question)
      : ground_(ground), question_(question) {}

  Result<Synthesis> run() {
    if (auto made = set_groups(); !made) return tl::unexpected(made.error());
    Synthesis answer;
    Result<Bound> bound = bound_for(question_.type);
    if (!bound) return tl::unexpected(bound.error());
    answer.bound = *std::move(bound);
    Result<Found> found = search(answer.bound);
    if (!found) return tl::unexpected(found.error());
    answer.schedule = std::move(found->schedule);
    answer.how = std::move(found->how);
    answer.time = answer.schedule.time();
    return answer;
  }

 private:
  Result<void> set_groups() {
    std::vector<std::vector<std::uint32_t>> all = question_.groups;
    if (all.empty()) all.emplace_back();
    for (const auto& ranks : all) {
      auto members = members_of(ground_, ranks);
      if (!members) return tl::unexpected(members.error());
      ranks_.push_back(ranks);
      groups_.push_back({question_.type, question_.bytes, std::move(*members), question_.root});
    }
    return {};
  }
  [[nodiscard]] Result<Bound> bound_for(CollectiveType type) const {
    return bound_at_once(ground_,
                         {type, question_.bytes, {}, question_.root, InNetwork::forwards, {}, true},
                         ranks_);
  }

  Result<Found> search(const Bound& bound) {
    // Streams pass members of other groups.
    streams_ = question_.streams && (question_.relays || groups_.size() == 1);
    effort_ = {question_.chunks, question_.seed, question_.relays, streams_,
               good_enough(bound.total)};
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
  Result<Found> spread_out(bool against) {
    const bool shards =
        question_.type != CollectiveType::broadcast && question_.type != CollectiveType::reduce;
    Result<Found> found = Found{};
    const Group& group = groups_.front();
    const bool ruled = shards && may_be_ruled(1);
    if (const auto torus = ruled ? torus_of(ground_, group.members, against) : std::nullopt) {
      found = torus_gather(*torus, group, effort_);
    } else if (const auto mesh = ruled && group.members.size() > kSmallMesh
                                     ? mesh_of(ground_, group.members, against)
                                     : std::nullopt) {
      found = mesh_gather(*mesh, group, effort_);
    } else {
      found = gather(ground_, groups_, effort_, against);
    }
    if (found && against) found->schedule = turned_round(found->schedule);
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

  Result<Found> exchanged() {
    std::uint64_t hops = 1;  // of a piece on a torus, in the mean
    for (const std::int64_t size : ground_.sizes) hops += static_cast<std::uint64_t>(size) / 4;
    if (may_be_ruled(hops)) {
      if (const auto torus = torus_of(ground_, groups_.front().members, false))
        return torus_exchange(*torus, groups_.front(), effort_);
    }
    return exchange(ground_, groups_, effort_);
  }

  /// A reduce-scatter, and an all-gather of the same pieces after it.
  Result<Found> both(Time bound) {
    effort_.streams = false;  // whose halves would have other pieces, and which need none
    // Half of an all-reduce is bound as an all-gather is.
    Result<Found> halves[2] = {Found{}, Found{}};
    for (const bool against : {true, false}) {
      const auto least =
          bound_for(against ? CollectiveType::reduce_scatter : CollectiveType::all_gather);
      if (!least) return tl::unexpected(least.error());
      effort_.good_enough = good_enough(least->total);
      // Both have the same pieces.
      if (!against && !halves[0]->schedule.pieces.empty()) effort_.chunks = chunks_;
      halves[against ? 0 : 1] = spread_out(against);
      Result<Found>& half = halves[against ? 0 : 1];
      if (!half) return half;
      chunks_ = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(half->schedule.pieces.size() / shard_count()));
    }
    const Schedule &scatter = halves[0]->schedule, &gathered = halves[1]->schedule;
    Found best{joined(scatter, gathered, chunks_, 1), "reduced, then gathered; " + halves[1]->how};
    Time least = best.schedule.time();
    const std::size_t sends = scatter.sends.size() + gathered.sends.size();
    for (const std::int64_t parts : {2, 8, 32}) {
      const bool small = question_.bytes.count() / static_cast<std::int64_t>(shard_count()) <
                         parts * chunks_ * kSmallPart;
      if (least <= good_enough(bound) || small ||
          sends * static_cast<std::size_t>(parts) > kPartedSends)
        break;
      Schedule parted = retimed(ground_, joined(scatter, gathered, chunks_, parts));
      const Time time = parted.time();
      if (time >= least) continue;
      least = time;
      best = {std::move(parted),
              fmt::format("reduced, then gathered, in {} parts; {}", parts, halves[1]->how)};
    }
    effort_.chunks = question_.chunks;
    effort_.good_enough = good_enough(bound);
    auto flowing = streams_ && least > effort_.good_enough
                       ? flowing_all_reduce(ground_, groups_, effort_)
                       : std::nullopt;
    if (flowing && flowing->schedule.time() < least) best = std::move(*flowing);
    return best;
  }
  [[nodiscard]] std::size_t shard_count() const {
    std::size_t sum = 0;
    for (const Group& group : groups_) sum += group.members.size();
    return sum;
  }

  const Ground& ground_;
  const SynthesisQuestion& question_;
  Effort effort_;
  std::vector<std::vector<std::uint32_t>> ranks_;
  std::vector<Group> groups_;
  std::int64_t chunks_ = 1;
  bool streams_ = true;
};

}  // namespace

Result<Synthesis> synthesise(const Ground& ground, const SynthesisQuestion& question) {
  return Front(ground, question).run();
}

}  // namespace orrery::synthesis
