// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/gather_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "orrery/core/check.h"
#include "orrery/core/random.h"
#include "orrery/synthesis/search/methods/spread_search.h"
#include "orrery/synthesis/search/methods/stream_search.h"

namespace orrery::synthesis {

namespace {

constexpr std::uint64_t kMostSends = 64'000'000;  // of one search: 16 bytes each
constexpr std::size_t kSmallFabric = 128;         // ranks up to which slower ways are tried, too

bool is_rooted(const Group& group) {
  return group.type == graph::CollectiveType::broadcast ||
         group.type == graph::CollectiveType::reduce;
}

/// Of sends without which some wanted chunk would not arrive.
std::vector<ChunkSend> needed_of(const RouteGraph& route_graph, const SpreadTask& task,
                                 std::vector<ChunkSend> sends) {
  BitRows needed = task.wanted;
  std::vector<bool> stays(sends.size());
  for (std::size_t i = sends.size(); i-- > 0;) {
    if (!needed.test(route_graph.to[sends[i].route], sends[i].chunk)) continue;
    stays[i] = true;
    needed.set(route_graph.from[sends[i].route], sends[i].chunk);
  }
  std::size_t retained = 0;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if (stays[i]) sends[retained++] = sends[i];
  }
  sends.resize(retained);
  return sends;
}

/// Hosts with several of the stores; empty: there are none, or there is only one.
std::vector<std::uint32_t> regions_of(const FabricState& fabric, const RouteGraph& route_graph) {
  std::map<std::uint32_t, std::uint32_t> count;
  for (const NodeIndex node : route_graph.stores) ++count[fabric.topology->host(node)];
  if (count.size() < 2 || count.contains(Topology::kNoHost) ||
      count.size() == route_graph.stores.size())
    return {};
  std::vector<std::uint32_t> regions;
  for (const NodeIndex node : route_graph.stores)
    regions.push_back(static_cast<std::uint32_t>(
        std::distance(count.begin(), count.find(fabric.topology->host(node)))));
  // What came into a host has to reach all of it from inside.
  std::vector<std::uint32_t> root(route_graph.store_count()), first(count.size(), ~0U);
  for (std::uint32_t s = 0; s < root.size(); ++s) {
    root[s] = s;
    first[regions[s]] = std::min(first[regions[s]], s);
  }
  const auto find = [&](std::uint32_t s) {
    while (root[s] != s) s = root[s] = root[root[s]];
    return s;
  };
  for (std::uint32_t route = 0; route < route_graph.routes.size(); ++route) {
    if (regions[route_graph.from[route]] == regions[route_graph.to[route]])
      root[find(route_graph.from[route])] = find(route_graph.to[route]);
  }
  for (std::uint32_t s = 1; s < root.size(); ++s) {
    if (find(s) != find(first[regions[s]])) return {};
  }
  return regions;
}

class Gather {
 public:
  Gather(const FabricState& fabric, std::span<const Group> groups, const SynthesisEffort& effort,
         bool against)
      : fabric_(fabric), groups_(groups), effort_(effort), against_(against) {}

  Result<SearchResult> run() {
    std::set<NodeIndex> members;
    for (const Group& group : groups_) members.insert(group.members.begin(), group.members.end());
    members_ = members.size();
    std::vector<NodeIndex> stores(members.begin(), members.end());
    try_all(make_route_graph(fabric_, stores, {}));
    if (best_ && !enough() && members_ <= kSmallFabric) {
      RouteGraphOptions options;
      options.all = true;
      try_all(make_route_graph(fabric_, stores, options));
    }
    // Others may be the only way, or a good one.
    if (effort_.relays && (!best_ || relays_are_near(members))) {
      stores = with_relays(fabric_, std::move(stores));
      // So may members of other groups.
      hand_on_ = stores.size() > members_ || groups_.size() > 1;
      if (hand_on_) try_all(make_route_graph(fabric_, std::move(stores), {}));
    }
    if (too_large_ && !best_)
      return fail(Errc::limit_exceeded, "synthesis",
                  fmt::format("more than {} sends would have to be found", kMostSends),
                  "fewer --chunks or ranks");
    if (!best_)
      return fail(Errc::config_conflict, fabric_.topology->name(),
                  "some of the ranks do not reach each other",
                  "'orrery topology' shows which links are down");
    return std::move(*best_);
  }

 private:
  /// Some device that is no member is linked to a member without a switch between.
  [[nodiscard]] bool relays_are_near(const std::set<NodeIndex>& members) const {
    return std::any_of(fabric_.wires.begin(), fabric_.wires.end(), [&](const Wire& wire) {
      return members.contains(wire.from) && !members.contains(wire.to) &&
             fabric_.topology->kind(wire.to) == platform::NodeClass::device;
    });
  }

  [[nodiscard]] bool enough() const { return best_ && best_time_ <= effort_.stop_at; }

  /// More and smaller pieces, while that is quick; then other seeds for what was best.
  void try_all(const RouteGraph& forward) {
    if (forward.routes.empty()) return;
    const RouteGraph route_graph = against_ ? reversed(fabric_, forward) : forward;
    const std::vector<std::uint32_t> regions = regions_of(fabric_, route_graph);
    const bool rooted = is_rooted(groups_.front());
    std::vector<std::int64_t> counts = rooted ? std::vector<std::int64_t>{8, 1, 32, 128, 512, 2048}
                                              : std::vector<std::int64_t>{1, 2, 4, 8, 16};
    if (effort_.chunks > 0) counts = {effort_.chunks};
    const bool unlike = std::any_of(
        route_graph.routes.begin(), route_graph.routes.end(),
        [&](const Route& route) { return route.rate != route_graph.routes.front().rate; });
    // Many small pieces over ways that share links cost more to look at.
    const std::uint64_t quick = rooted && route_graph.routes.size() > 8 * route_graph.stores.size()
                                    ? kQuickSends / 2
                                    : kQuickSends;
    std::uint64_t sends = 0;
    std::int64_t best_chunks = counts.front();
    for (const std::int64_t chunks : counts) {
      const Time before = best_ ? best_time_ : kTimeMax;
      const std::vector<Piece> pieces = pieces_of(groups_, chunks);
      const std::uint64_t more =
          static_cast<std::uint64_t>(pieces.size()) * route_graph.stores.size();
      too_large_ |= more > kMostSends;
      if (more > kMostSends ||
          (sends > 0 && (sends + more > quick || enough() || pieces.front().bytes < kSmallPiece)))
        break;
      sends += more;
      for (const bool patient : {false, true}) {
        if (patient && (enough() || !unlike)) continue;
        try_once(route_graph, regions, pieces, chunks, effort_.seed, patient);
      }
      if (best_ && best_time_ < before) best_chunks = chunks;
    }
    if (sends == 0) return;
    const std::vector<Piece> pieces = pieces_of(groups_, best_chunks);
    const std::uint64_t more =
        static_cast<std::uint64_t>(pieces.size()) * route_graph.stores.size();
    for (std::uint64_t seed = 1; seed < 16 && sends + more <= quick && !enough(); ++seed) {
      sends += more;
      const bool patient = unlike && seed % 2 == 0;
      try_once(route_graph, {}, pieces, best_chunks, effort_.seed + seed, patient);
      if (!regions.empty())
        try_once(route_graph, regions, pieces, best_chunks, effort_.seed + seed, patient);
    }
  }

  [[nodiscard]] SpreadTask task_of(const RouteGraph& route_graph,
                                   const std::vector<Piece>& pieces) const {
    SpreadTask task;
    task.wanted = BitRows(route_graph.stores.size(), pieces.size());
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
      task.origin.push_back(route_graph.store_of[pieces[i].from]);
      task.bytes.push_back(pieces[i].bytes);
      for (const NodeIndex node : groups_[pieces[i].group].members)
        task.wanted.set(route_graph.store_of[node], i);
    }
    // Pieces of a shard differ by a byte where they do not divide it; alike, they keep in step.
    std::vector<std::int64_t> most(groups_.size());
    for (const Piece& piece : pieces) most[piece.group] = std::max(most[piece.group], piece.bytes);
    for (std::size_t i = 0; i < pieces.size(); ++i) task.bytes[i] = most[pieces[i].group];
    task.useful = task.wanted;
    for (std::size_t s = 0; hand_on_ && s < route_graph.stores.size(); ++s) {
      for (std::size_t i = 0; i < pieces.size(); ++i) task.useful.set(s, i);
    }
    return task;
  }

  void try_once(const RouteGraph& route_graph, const std::vector<std::uint32_t>& regions,
                const std::vector<Piece>& pieces, std::int64_t chunks, std::uint64_t seed,
                bool patient) {
    SpreadTask task = task_of(route_graph, pieces);
    task.region = regions;
    SpreadOptions options;
    options.seed = seed;
    options.patient = patient;
    options.rooted = is_rooted(groups_.front());
    options.give_up = best_ ? best_time_ - Time(1) : kTimeMax;
    auto sends = spread(route_graph, task, options);
    if (!sends) return;
    if (hand_on_) *sends = needed_of(route_graph, task, std::move(*sends));
    SearchResult found;
    Schedule& schedule = found.schedule;
    schedule.groups.assign(groups_.begin(), groups_.end());
    schedule.pieces = pieces;
    schedule.routes = route_graph.routes;
    schedule.wires.reserve(route_graph.held.size());
    for (const LinkUse& held : route_graph.held) schedule.wires.push_back(held.wire);
    schedule.sends.reserve(sends->size());
    for (const ChunkSend& send : *sends)
      schedule.sends.push_back({send.chunk, send.route, 0, send.start});
    const Time time = schedule.end();
    if (best_ && time >= best_time_) return;
    found.method = fmt::format(
        "searched, seed {}, {} piece{} each{}{}", seed, chunks, chunks == 1 ? "" : "s",
        regions.empty() ? "" : ", into each host once", hand_on_ ? ", others relay" : "");
    best_time_ = time;
    best_ = std::move(found);
  }

  const FabricState& fabric_;
  std::span<const Group> groups_;
  const SynthesisEffort& effort_;
  bool against_;
  std::size_t members_ = 0;
  bool too_large_ = false;
  bool hand_on_ = false;  // whoever gets a piece, whether or not its group is to
  std::optional<SearchResult> best_;
  Time best_time_{};
};

}  // namespace

std::vector<Piece> pieces_of(std::span<const Group> groups, std::int64_t chunks) {
  std::vector<Piece> pieces;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    const bool rooted = is_rooted(group);
    const std::int64_t parts =
        (rooted ? 1 : static_cast<std::int64_t>(group.members.size())) * chunks;
    const auto upto = [&](std::int64_t part) {
      return static_cast<std::int64_t>(static_cast<__int128>(group.bytes.count()) * part / parts);
    };
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t bytes = upto(part + 1) - upto(part);
      const std::size_t owner = rooted ? group.root : static_cast<std::size_t>(part / chunks);
      if (bytes > 0) pieces.push_back({g, group.members[owner], kAllMembers, upto(part), bytes});
    }
  }
  return pieces;
}

Result<SearchResult> gather(const FabricState& fabric, std::span<const Group> groups,
                            const SynthesisEffort& effort, bool against) {
  Result<SearchResult> found = Gather(fabric, groups, effort, against).run();
  if (!found || !effort.streams || found->schedule.end() <= effort.stop_at) return found;
  auto flowing = stream_gather(fabric, groups, effort, against);
  if (flowing && flowing->schedule.end() < found->schedule.end()) return std::move(*flowing);
  return found;
}

Schedule time_reversed(const Schedule& schedule) {
  Schedule other;
  other.groups = schedule.groups;
  other.pieces = schedule.pieces;
  for (Piece& piece : other.pieces) std::swap(piece.from, piece.to);
  for (const Route& route : schedule.routes) {
    Route turned = route;
    std::swap(turned.from, turned.to);
    turned.first = static_cast<std::uint32_t>(other.wires.size());
    const auto wires = schedule.wires_of(route);
    other.wires.insert(other.wires.end(), wires.rbegin(), wires.rend());
    other.routes.push_back(turned);
  }
  const Time end = schedule.end();
  other.sends.reserve(schedule.sends.size());
  for (const Send& send : schedule.sends)
    other.sends.push_back({send.piece, send.route, 1, end - schedule.arrival(send)});
  sort_sends(other.sends);
  return other;
}

}  // namespace orrery::synthesis
