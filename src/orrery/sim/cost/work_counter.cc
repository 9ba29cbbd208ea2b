// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/cost/work_counter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/chunk_plan.h"
#include "orrery/sim/collectives/phases/closed_form_phases.h"
#include "orrery/sim/collectives/phases/switch_phases.h"
#include "orrery/sim/collectives/plans/chunk_requests.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/collectives/plans/nearest_form.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {

namespace {

using graph::CollectiveType;
using graph::NodeId;
using graph::NodeKind;

/// Equal collectives of one graph.
struct CollectiveUse {
  graph::Collective what;  // without priority and root, which do not matter
  bool has_dims = false;
  const std::string* custom = nullptr;  // the prefix of its traces
};

bool operator==(const CollectiveUse& a, const CollectiveUse& b) {
  return a.what == b.what && a.has_dims == b.has_dims && a.custom == b.custom;
}

struct UseHash {
  std::size_t operator()(const CollectiveUse& use) const {
    std::uint64_t hash = static_cast<std::uint64_t>(use.what.size.count()) * 0x9e3779b97f4a7c15ull;
    hash ^=
        static_cast<std::uint64_t>(use.what.group) << 8 | static_cast<std::uint64_t>(use.what.type);
    return static_cast<std::size_t>(hash * 0xc4ceb9fe1a85ec53ull >> 16);
  }
};

/// The work of one collective at each of its members.
struct CollectiveWork {
  std::int64_t chunks = 0;
  std::uint64_t closed = 0, by_messages = 0;  // phases of all chunks
  std::uint64_t messages = 0, closed_messages = 0;
  std::uint64_t message_bytes = 0;     // of `messages`
  std::uint64_t closed_of_chunk = 0;   // phases of one chunk
  std::uint64_t keys = 0;              // the most of its phases by messages …
  std::vector<std::uint64_t> windows;  // … and, by dimension, their longest window
  /// Phases whose messages depend on the position of the member, and the number of chunks.
  std::vector<std::pair<const model::PhaseSpec*, std::uint64_t>> by_position;
};

/// The work of one graph.
struct GraphWork {
  struct Use {
    CollectiveUse what;
    std::uint64_t times = 0;
    bool by_all = false;  // all ranks take part
    Communicators::Meaning group{};
    std::unordered_map<std::uint32_t, CollectiveWork> by_communicator{};
  };
  std::uint64_t sends = 0, send_bytes = 0;
  std::uint64_t send_keys = 0;  // distinct receivers, tags and sizes
  std::vector<Use> uses;
};

class WorkCounter {
 public:
  explicit WorkCounter(const EngineRun& run)
      : run_(run),
        planner_(run.new_planner()),
        graphs_(run.workload.graphs.size()),
        states_(run.communicators.all().size()) {}

  SimulationWork count() {
    const std::uint32_t ranks = run_.folded_workload.ranks();
    work_.ranks = ranks;
    // Graphs in a file are not read twice. Replays take their times from the recording.
    const bool readable = run_.workload.spilled_bytes() == 0;
    const bool replays = run_.options.replay || run_.platform.replay_only;
    work_.is_exact = readable && !run_.options.replay && !chooses_chunks();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      work_.nodes += run_.graph_of(rank).size();
      if (readable && !replays) add_rank(rank);
    }
    add_states();
    return work_;
  }

 private:
  [[nodiscard]] bool chooses_chunks() const {
    const platform::CollectiveConfig& config = run_.platform.collectives;
    return config.splits_by_model || platform::is_themis(config.inter_dimension) ||
           config.inter_dimension == platform::InterDimension::best;
  }

  GraphWork& graph_work(std::uint32_t number) {
    std::unique_ptr<GraphWork>& known = graphs_[number];
    if (known != nullptr) return *known;
    known = std::make_unique<GraphWork>();
    const graph::Graph& graph = *run_.workload.graphs[number];
    std::unordered_map<CollectiveUse, std::uint64_t, UseHash> uses;
    keys_.clear();
    for (NodeId node = 0; node < graph.size(); ++node) {
      const NodeKind kind = graph.kind(node);
      if (kind == NodeKind::send) {
        const graph::PointToPoint& message = graph.point_to_point(node);
        keys_.push_back(MessageKeyHash{}(
            {message.tag, 0, static_cast<std::uint32_t>(message.dst), message.size.count()}));
        ++known->sends;
        known->send_bytes +=
            static_cast<std::uint64_t>(std::max<std::int64_t>(message.size.count(), 0));
      }
      if (kind != NodeKind::coll) continue;
      if (!graph.has(node, graph::kHasCommType) || !graph.has(node, graph::kHasCommSize)) continue;
      CollectiveUse use{graph.collective(node), graph.has(node, graph::kHasDims)};
      use.what.priority = use.what.root = 0;
      use.custom = custom_algorithm(run_.platform.collectives, graph, node, use.what.type);
      ++uses[use];
    }
    std::sort(keys_.begin(), keys_.end());
    known->send_keys =
        static_cast<std::uint64_t>(std::unique(keys_.begin(), keys_.end()) - keys_.begin());
    for (const auto& [use, times] : uses) {
      const std::string_view name = graph.string(use.what.group);
      GraphWork::Use& made = known->uses.emplace_back(GraphWork::Use{use, times});
      made.by_all = run_.policy.means_all(name);
      if (!made.by_all) made.group = run_.communicators.meaning(name);
    }
    return *known;
  }

  void add_rank(std::uint32_t rank) {
    GraphWork& graph = graph_work(run_.workload.graph_of_rank[run_.real(rank)]);
    add_messages(rank, graph.sends);
    work_.message_bytes += graph.send_bytes;
    work_.mailboxes += graph.send_keys;
    for (GraphWork::Use& use : graph.uses) {
      const auto communicator = communicator_of(rank, use);
      if (!communicator) continue;
      if (use.what.custom != nullptr &&
          !lacks_rings(run_.workload, *use.what.custom, use.what.what.type,
                       run_.communicators[*communicator].ascending())) {
        add_custom(rank, *communicator, use.what, use.times);
        continue;
      }
      const auto [found, is_new] = use.by_communicator.try_emplace(*communicator);
      if (is_new) found->second = plan(use.what, *communicator);
      add_collective(rank, *communicator, found->second, use.times);
    }
  }

  /// With rendezvous, the receiver of a message announces itself by another one.
  [[nodiscard]] std::uint64_t with_announcements(std::uint64_t messages) const {
    return run_.platform.collectives.rendezvous ? 2 * messages : messages;
  }

  void add_messages(std::uint32_t rank, std::uint64_t number) {
    number = with_announcements(number);
    work_.messages += number;
    work_.represented.messages += number * run_.weight(rank);
  }

  /// The communicator that is simulated for that of the collective; empty: the run will fail.
  [[nodiscard]] std::optional<std::uint32_t> communicator_of(std::uint32_t rank,
                                                             const GraphWork::Use& use) const {
    if (use.by_all) return 0;
    const std::uint32_t real = run_.real(rank), found = use.group.of(real);
    if (found >= Communicators::kOutside) return std::nullopt;
    if (use.group.by_rank == nullptr && run_.communicators[found].place(real) == kNone)
      return std::nullopt;
    return run_.folded_workload.communicator(found);
  }

  void add_custom(std::uint32_t rank, std::uint32_t communicator, const CollectiveUse& use,
                  std::uint64_t times) {
    const Communicator& group = run_.communicators[communicator];
    const auto found = run_.workload.custom_collectives.find(
        traces_of(*use.custom, use.what.type, group.ascending()));
    const std::size_t position = group.place(rank);
    if (found == run_.workload.custom_collectives.end() || position >= found->second.size()) return;
    if (run_.policy.nearest_form && found->second.size() != group.members) return;
    const graph::Graph& graph = *found->second[position];
    const auto kinds = graph.kinds();
    const auto sends =
        static_cast<std::uint64_t>(std::count(kinds.begin(), kinds.end(), NodeKind::send));
    add_messages(rank, sends * times);
    work_.collectives += times;
    work_.custom_nodes += times * graph.size();
  }

  /// Plans a collective as CollectiveRunner does. Without chunks: the run will fail, or the
  /// collective lasts its recorded time.
  [[nodiscard]] CollectiveWork plan(const CollectiveUse& use, std::uint32_t communicator) {
    const Communicator& group = run_.communicators[communicator];
    CollectiveType type = use.what.type;
    std::int64_t size = use.what.size.count();
    if (run_.platform.collectives.plan(type) == nullptr) {
      if (!run_.policy.nearest_form || type == CollectiveType::unknown) return {};
      const NearestForm form = nearest_form(type, size, group.members);
      type = form.type;
      size = form.size;
    }
    const std::uint32_t mask = use.has_dims ? use.what.dims_mask : run_.policy.default_dims;
    const auto number = planner_->topology(type, communicator, group, group.dims(mask), size);
    if (!number) return {};
    const platform::CollectiveConfig& config = run_.platform.collectives;
    const auto cutting = model::cut(type, size, chunk_count(config, run_.options),
                                    run_.fabric.rank_count(), run_.platform.rules);
    if (!cutting || cutting->chunk <= 0) return {};
    ChunkRequest request = natural_request(*planner_, type, *number, use.what);
    const bool orders = platform::is_themis(config.inter_dimension) ||
                        config.inter_dimension == platform::InterDimension::best;
    request.two_phase = orders && has_two_phases(config, run_.policy, type);
    CollectiveWork made;
    made.chunks = (cutting->bytes + cutting->chunk - 1) / cutting->chunk;
    if (made.chunks > 1)
      add_chunks(made, request, cutting->chunk, static_cast<std::uint64_t>(made.chunks - 1));
    if (made.chunks > 0) add_chunks(made, request, cutting->last, 1);
    return made;
  }

  /// Of all steps of a phase.
  [[nodiscard]] static std::uint64_t sent_bytes(const model::PhaseSpec& spec) {
    const auto steps = static_cast<std::uint32_t>(std::max(spec.steps, 0));
    if (spec.step.size() <= 1) return spec.step.empty() ? 0 : spec.bytes_of(steps);
    return spec.bytes_of(std::min(steps, static_cast<std::uint32_t>(spec.step.size())));
  }

  void add_chunks(CollectiveWork& made, ChunkRequest& request, std::int64_t bytes,
                  std::uint64_t chunks) {
    request.bytes = bytes;
    const model::LogicalTopology& topology = planner_->topology(request.topology);
    std::uint64_t closed = 0;
    for (ChunkPlan::Choice& choice : planner_->plan(request)->choices) {
      const auto phase = planner_->phase(choice, topology);
      if (!phase) return;
      const model::PhaseSpec& spec = **phase;
      const bool by_switches = SwitchPhases::runs(spec);
      // The number of messages of a tree depends on the place of its dimension in the order.
      const bool by_tree = by_switches || spec.peers == model::Peers::tree;
      const auto order = run_.platform.collectives.inter_dimension;
      if (by_tree && order == platform::InterDimension::round_robin) work_.is_exact = false;
      const bool is_closed = by_switches ? SwitchPhases::ends_in_one_event(run_)
                                         : ClosedFormPhases::supports(run_, spec);
      (is_closed ? made.closed : made.by_messages) += chunks;
      if (is_closed) ++closed;
      if (by_switches && is_closed) {
        made.closed_messages += chunks;
      } else if (by_tree) {
        made.by_position.emplace_back(&spec, chunks);
      } else {
        const std::uint64_t messages = chunks * static_cast<std::uint64_t>(spec.steps);
        const bool announced = !is_closed && spec.request.library.nodes == 0;
        (is_closed ? made.closed_messages : made.messages) +=
            announced ? with_announcements(messages) : messages;
        if (!is_closed) made.message_bytes += chunks * sent_bytes(spec);
      }
      if (is_closed) continue;
      made.windows.resize(run_.fabric.dim_count());
      std::uint64_t& window = made.windows[choice.dim];
      window = std::max(window, static_cast<std::uint64_t>(spec.window));
      if (spec.keys > 1) made.keys = std::max<std::uint64_t>(made.keys, spec.keys);
    }
    made.closed_of_chunk = std::max(made.closed_of_chunk, closed);
  }

  void add_collective(std::uint32_t rank, std::uint32_t communicator, const CollectiveWork& each,
                      std::uint64_t times) {
    const std::uint64_t weight = run_.weight(rank);
    std::uint64_t messages = each.messages, closed_messages = each.closed_messages;
    std::uint64_t bytes = each.message_bytes;
    for (const auto& [spec, chunks] : each.by_position) {
      const bool closed = !SwitchPhases::runs(*spec) && ClosedFormPhases::supports(run_, *spec);
      const std::uint64_t sent =
          chunks * messages_at(rank, run_.communicators[communicator], *spec);
      (closed ? closed_messages : messages) +=
          SwitchPhases::runs(*spec) || closed ? sent : with_announcements(sent);
      if (!closed && !spec->step.empty())
        bytes += sent * static_cast<std::uint64_t>(spec->step.front().bytes);
    }
    work_.collectives += times;
    work_.phases_by_closed_form += times * each.closed;
    work_.phases_by_messages += times * each.by_messages;
    work_.messages += times * messages;
    work_.message_bytes += times * bytes;
    work_.represented.phases_by_closed_form += times * each.closed * weight;
    work_.represented.phases_by_messages += times * each.by_messages * weight;
    work_.represented.messages += times * (messages + closed_messages) * weight;
    State& state = states_[communicator];
    state.chunks = std::max(state.chunks, static_cast<std::uint64_t>(each.chunks));
    state.closed = std::max(state.closed, each.closed_of_chunk);
    state.windows.resize(each.windows.empty() ? state.windows.size() : each.windows.size());
    for (std::size_t d = 0; d < each.windows.size(); ++d)
      state.windows[d] = std::max(state.windows[d], each.windows[d]);
    state.keys = std::max(state.keys, each.keys);
    state.issued += times * static_cast<std::uint64_t>(each.chunks);
  }

  /// Messages of a phase in a tree, or over the links of a tree of switches.
  [[nodiscard]] std::uint64_t messages_at(std::uint32_t rank, const Communicator& group,
                                          const model::PhaseSpec& spec) const {
    const std::uint32_t member = group.representative_at(group.representative_of_rank(rank)).member;
    const std::uint32_t position = spec.request.ring.position(member);
    if (!SwitchPhases::runs(spec)) {
      return static_cast<std::uint64_t>(
          model::algorithm_of(spec.request.algorithm).messages(spec, position));
    }
    if (!group.is_unfolded()) return 2;
    if (position != 0) return 0;
    const auto tree = planner_->switch_tree(group, spec.request.ring, member);
    return tree ? 2 * (*tree)->edges.size() : 0;
  }

  /// A rank runs as many phases at one time as its queues allow, in each dimension.
  void add_states() {
    const platform::CollectiveConfig& config = run_.platform.collectives;
    const auto queues = static_cast<std::uint64_t>(config.queues_per_dim);
    const std::uint64_t per_dim =
        (static_cast<std::uint64_t>(config.active_chunks) + queues - 1) / queues * queues;
    const bool retained = run_.policy.match_by_size || config.rendezvous;
    for (std::uint32_t communicator = 0; communicator < states_.size(); ++communicator) {
      State& state = states_[communicator];
      if (state.issued == 0) continue;
      const std::uint64_t members = run_.communicators[communicator].representative_count();
      work_.chunk_states += state.chunks * members;
      work_.ring_states += state.chunks * state.closed * members;
      if (retained) work_.finished_chunks += state.issued / members;
      // Chunks run where the most messages are in flight.
      std::sort(state.windows.begin(), state.windows.end(), std::greater<>());
      std::uint64_t left = state.chunks;
      for (const std::uint64_t window : state.windows) {
        const std::uint64_t here = std::min(per_dim, left);
        left -= here;
        work_.messages_in_flight += here * window * members;
        if (window == 0) continue;
        work_.running_chunks += here * members;
        work_.key_states += here * members * state.keys;
      }
    }
    // A rank sends few messages outside of collectives at one time.
    work_.messages_in_flight = std::min(work_.messages_in_flight + work_.ranks, work_.messages);
  }

  /// The largest of the collectives of a communicator.
  struct State {
    std::uint64_t chunks = 0, closed = 0, keys = 0;
    std::vector<std::uint64_t> windows;  // by dimension
    std::uint64_t issued = 0;            // chunks, by all members
  };

  const EngineRun& run_;
  std::shared_ptr<CollectivePlanner> planner_;
  SimulationWork work_;
  std::vector<std::unique_ptr<GraphWork>> graphs_;
  std::vector<State> states_;        // by communicator
  std::vector<std::size_t> keys_{};  // scratch of graph_work(): hashes of kinds of messages
};

}  // namespace

SimulationWork count_work(const EngineRun& run) { return WorkCounter(run).count(); }

}  // namespace orrery::sim
