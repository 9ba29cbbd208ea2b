// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/synthesize.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/synthesis/search/constructions/mesh_gather.h"
#include "orrery/synthesis/search/constructions/torus.h"
#include "orrery/synthesis/search/methods/all_to_all_search.h"
#include "orrery/synthesis/search/methods/stream_search.h"
#include "orrery/synthesis/search/schedule_retime.h"

namespace orrery::synthesis {

namespace {

constexpr std::size_t kMaxSendsInParts = 2'000'000;  // maximum sends for which it tries an
                                                     // all-reduce in parts
constexpr std::uint64_t kMaxConstructionSends =
    64'000'000;                            // maximum sends of a construction: 16 bytes each
constexpr std::size_t kSmallMesh = 128;    // maximum ranks for which the search beats the
                                           // construction
constexpr std::int64_t kSmallPart = 4096;  // bytes

/// Stops within 0.5 % of the bound: more seeds gain little.
Time stop_at(Time bound) { return bound + Time(bound.count() / 200); }

class CollectiveSearch {
 public:
  CollectiveSearch(const FabricState& fabric, const SynthesisQuestion& question)
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
    // Streams pass through members of other groups.
    streams_ = question_.streams && (question_.relays || groups_.size() == 1);
    options_ = {question_.chunks, question_.seed, question_.relays, streams_, stop_at(bound.total)};
    switch (question_.type) {
      case CollectiveType::all_gather:
      case CollectiveType::broadcast:
        return gather_or_reduce(false);
      case CollectiveType::reduce_scatter:
      case CollectiveType::reduce:
        return gather_or_reduce(true);
      case CollectiveType::all_reduce:
        return all_reduce(bound.total);
      case CollectiveType::all_to_all:
        return all_to_all();
      default:
        return fail(Errc::usage, std::string(graph::name(question_.type)), "cannot be synthesized",
                    "use all-gather, reduce-scatter, all-reduce, all-to-all, broadcast or reduce");
    }
  }

  /// Uses a construction if one applies; `reverse_links`: for a schedule that is reversed
  /// afterwards.
  Result<SearchResult> gather_or_reduce(bool reverse_links) {
    Result<SearchResult> found = SearchResult{};
    const Group& group = groups_.front();
    const bool may_construct = !is_broadcast_or_reduce(question_.type) && allows_construction(1);
    if (const auto torus =
            may_construct ? torus_of(fabric_, group.members, reverse_links) : std::nullopt) {
      found = torus_gather(*torus, group, options_);
    } else if (const auto mesh = may_construct && group.members.size() > kSmallMesh
                                     ? mesh_of(fabric_, group.members, reverse_links)
                                     : std::nullopt) {
      found = mesh_gather(*mesh, group, options_);
    } else {
      found = gather(fabric_, groups_, options_, reverse_links);
    }
    if (found && reverse_links) found->schedule = time_reversed(found->schedule);
    return found;
  }

  /// `hops`: hops of a piece.
  [[nodiscard]] bool allows_construction(std::uint64_t hops) const {
    const Group& group = groups_.front();
    // Constructions need all pieces, but empty pieces are omitted.
    const std::int64_t min_bytes = static_cast<std::int64_t>(group.members.size()) *
                                   std::max<std::int64_t>(16, question_.chunks);
    const std::uint64_t sends =
        group.members.size() * group.members.size() * hops *
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, question_.chunks));
    return question_.constructions && groups_.size() == 1 && group.bytes.count() >= min_bytes &&
           sends <= kMaxConstructionSends;
  }

  Result<SearchResult> all_to_all() {
    std::uint64_t hops = 1;  // mean hops of a piece on a torus
    for (const std::int64_t size : fabric_.sizes) hops += static_cast<std::uint64_t>(size) / 4;
    if (allows_construction(hops)) {
      if (const auto torus = torus_of(fabric_, groups_.front().members, false))
        return torus_exchange(*torus, groups_.front(), options_);
    }
    return exchange(fabric_, groups_, options_);
  }

  /// A reduce-scatter followed by an all-gather of the same pieces.
  Result<SearchResult> all_reduce(Time bound) {
    options_.streams = false;  // the halves of streams have different pieces, and stream
                               // all-reduces need no halves
    // Half of an all-reduce has the bound of an all-gather.
    Result<SearchResult> halves[2] = {SearchResult{}, SearchResult{}};
    for (const bool reverse_links : {true, false}) {
      const auto half_bound =
          bound_for(reverse_links ? CollectiveType::reduce_scatter : CollectiveType::all_gather);
      if (!half_bound) return tl::unexpected(half_bound.error());
      options_.stop_at = stop_at(half_bound->total);
      // Both halves must have the same pieces.
      if (!reverse_links && !halves[0]->schedule.pieces.empty()) options_.chunks = chunks_;
      halves[reverse_links ? 0 : 1] = gather_or_reduce(reverse_links);
      Result<SearchResult>& half = halves[reverse_links ? 0 : 1];
      if (!half) return half;
      chunks_ = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(half->schedule.pieces.size() / shard_count()));
    }
    const Schedule &reduce_scatter = halves[0]->schedule, &all_gather = halves[1]->schedule;
    SearchResult best{join_schedules(reduce_scatter, all_gather, chunks_, 1),
                      "reduce-scatter, then all-gather; " + halves[1]->method};
    Time best_time = best.schedule.end();
    const std::size_t sends = reduce_scatter.sends.size() + all_gather.sends.size();
    for (const std::int64_t parts : {2, 8, 32}) {
      const bool small = question_.bytes.count() / static_cast<std::int64_t>(shard_count()) <
                         parts * chunks_ * kSmallPart;
      if (best_time <= stop_at(bound) || small ||
          sends * static_cast<std::size_t>(parts) > kMaxSendsInParts)
        break;
      Schedule in_parts =
          retime_schedule(fabric_, join_schedules(reduce_scatter, all_gather, chunks_, parts));
      const Time time = in_parts.end();
      if (time >= best_time) continue;
      best_time = time;
      best = {std::move(in_parts), fmt::format("reduce-scatter, then all-gather, in {} parts; {}",
                                               parts, halves[1]->method)};
    }
    options_.chunks = question_.chunks;
    options_.stop_at = stop_at(bound);
    auto streamed = streams_ && best_time > options_.stop_at
                        ? stream_all_reduce(fabric_, groups_, options_)
                        : std::nullopt;
    if (streamed && streamed->schedule.end() < best_time) best = std::move(*streamed);
    return best;
  }
  [[nodiscard]] std::size_t shard_count() const {
    std::size_t sum = 0;
    for (const Group& group : groups_) sum += group.members.size();
    return sum;
  }

  const FabricState& fabric_;
  const SynthesisQuestion& question_;
  SearchOptions options_;
  std::vector<std::vector<std::uint32_t>> ranks_;
  std::vector<Group> groups_;
  std::int64_t chunks_ = 1;
  bool streams_ = true;
};

}  // namespace

Result<Synthesis> synthesize(const FabricState& fabric, const SynthesisQuestion& question) {
  return CollectiveSearch(fabric, question).run();
}

}  // namespace orrery::synthesis
