// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/schedules/schedule_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "orrery/synthesis/plans/plan_limits.h"

namespace orrery::synthesis {

namespace {

/// The last accesses to a chunk of a buffer.
struct ChunkAccesses {
  std::optional<StepPosition> written;
  std::vector<StepPosition> read;  ///< readers since that write
};

class PlanConverter {
 public:
  explicit PlanConverter(const Schedule& schedule) : schedule_(schedule) {}

  Result<Plan> run(std::string name) {
    if (auto fits = check(); !fits) return tl::unexpected(fits.error());
    set_buffers(std::move(name));
    struct Event {
      Time at;
      bool starts;
      std::uint32_t send;
      auto operator<=>(const Event&) const = default;
    };
    // On both sides, the steps of a block are in the order of the sends. Dependencies between
    // blocks follow from the times of arrival.
    std::vector<Event> events;
    for (std::uint32_t i = 0; i < schedule_.sends.size(); ++i) {
      add_steps(i);
      events.push_back({schedule_.sends[i].start, true, i});
      events.push_back({schedule_.arrival(schedule_.sends[i]), false, i});
    }
    std::sort(events.begin(), events.end());
    for (const Event& event : events) {
      if (event.starts) {
        add_access(sent_[event.send], true, false);
      } else {
        add_access(received_[event.send], schedule_.sends[event.send].reduces != 0, true);
      }
    }
    return std::move(plan_);
  }

 private:
  Result<void> check() {
    const auto unsupported = [](std::string what) {
      return fail(Errc::input_unsupported, "plan", std::move(what), {});
    };
    if (schedule_.groups.size() != 1) return unsupported("a plan can have only one group of ranks");
    const Group& group = schedule_.groups.front();
    const std::size_t ranks = group.members.size();
    const std::uint64_t pairs =
        group.type == CollectiveType::all_to_all ? ranks * (ranks - 1)
        : group.type == CollectiveType::all_reduce || is_broadcast_or_reduce(group.type) ? 1
                                                                                         : ranks;
    const std::uint64_t pieces = schedule_.pieces.size();
    if (pieces == 0 || pieces % pairs != 0)
      return unsupported("the collective has fewer bytes than pieces");
    if (ranks > plan_limits::kPlanRanks || 2 * schedule_.sends.size() > plan_limits::kPlanSteps ||
        pieces * ranks > plan_limits::kPlanPlaces || pieces > plan_limits::kPlanChunks * ranks)
      return fail(Errc::limit_exceeded, "plan",
                  fmt::format("{} ranks and {} steps exceed the limit of a plan", ranks,
                              2 * schedule_.sends.size()),
                  "use fewer --chunks");
    chunks_ = static_cast<std::uint32_t>(pieces / pairs);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) rank_of_[group.members[rank]] = rank;
    for (const Send& send : schedule_.sends) {
      const Route& route = schedule_.routes[send.route];
      if (!rank_of_.contains(route.from) || !rank_of_.contains(route.to))
        return unsupported("a device outside the group relays data");
    }
    return {};
  }

  void set_buffers(std::string name) {
    const Group& group = schedule_.groups.front();
    const auto ranks = static_cast<std::uint32_t>(group.members.size());
    plan_.name = std::move(name);
    plan_.collective = group.type;
    plan_.collective_name = plan_name(plan_.collective);
    plan_.protocol = "Simple";
    plan_.root = group.root;
    plan_.ranks.resize(ranks);
    const std::uint32_t all = chunks_ * ranks;
    std::array<std::uint32_t, kPlanBuffers> sizes{all, 0, 0};
    if (plan_.collective == CollectiveType::all_gather) sizes = {chunks_, all, 0};
    if (plan_.collective == CollectiveType::reduce_scatter) sizes = {all, chunks_, 0};
    if (plan_.collective == CollectiveType::all_reduce || is_broadcast_or_reduce(plan_.collective))
      sizes = {chunks_, 0, 0};
    is_all_to_all_ = plan_.collective == CollectiveType::all_to_all;
    if (is_all_to_all_) {
      sizes = {all, all, 0};
      plan_.in_place = false;
      plan_.out_of_place = true;
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      plan_.ranks[rank].chunks = sizes;
      if (is_all_to_all_) copy_own_chunk(rank);
    }
    if (is_all_to_all_) number_pieces_of_pairs();
  }

  /// Copies the chunk that a rank sends to itself.
  void copy_own_chunk(std::uint32_t rank) {
    PlanStep step;
    step.type = StepType::copy;
    step.count = chunks_;
    step.reads = {{rank, PlanBuffer::input, rank * chunks_, chunks_}};
    step.writes = {{rank, PlanBuffer::output, rank * chunks_, chunks_}};
    plan_.ranks[rank].blocks.emplace_back().steps.push_back(std::move(step));
  }
  /// Numbers the pieces of each pair.
  void number_pieces_of_pairs() {
    std::map<std::pair<NodeIndex, NodeIndex>, std::uint32_t> next;
    for (const Piece& piece : schedule_.pieces)
      index_in_pair_.push_back(next[{piece.from, piece.to}]++);
  }

  /// The place of a piece on a rank.
  PlanSpan span_of(std::uint32_t rank, std::uint32_t piece) {
    if (!is_all_to_all_)
      return {
          rank,
          plan_.collective == CollectiveType::all_gather ? PlanBuffer::output : PlanBuffer::input,
          piece, 1};
    const Piece& one = schedule_.pieces[piece];
    const std::uint32_t from = rank_of_.at(one.from), to = rank_of_.at(one.to);
    if (rank == from) return {rank, PlanBuffer::input, to * chunks_ + index_in_pair_[piece], 1};
    if (rank == to) return {rank, PlanBuffer::output, from * chunks_ + index_in_pair_[piece], 1};
    const auto [found, is_new] = scratch_.try_emplace({rank, piece}, plan_.ranks[rank].chunks[2]);
    if (is_new) ++plan_.ranks[rank].chunks[2];
    return {rank, PlanBuffer::scratch, found->second, 1};
  }

  /// Each route between two ranks has its own channel, since messages on one channel arrive in the
  /// order of their sends.
  std::uint32_t channel(std::uint32_t route, std::uint32_t from, std::uint32_t to) {
    const auto [found, is_new] = channel_of_.try_emplace(route, 0);
    if (is_new) found->second = channels_[{from, to}]++;
    plan_.channels = std::max(plan_.channels, found->second + 1);
    return found->second;
  }
  std::uint32_t block(std::uint32_t rank, std::uint32_t peer, std::uint32_t channel, bool sends) {
    auto& blocks = plan_.ranks[rank].blocks;
    const auto [found, is_new] = blocks_.try_emplace({rank, peer, channel, sends},
                                                     static_cast<std::uint32_t>(blocks.size()));
    if (is_new) {
      PlanBlock& made = blocks.emplace_back();
      (sends ? made.to : made.from) = peer;
      made.channel = channel;
    }
    return found->second;
  }

  void add_steps(std::uint32_t index) {
    const Send& send = schedule_.sends[index];
    const Route& route = schedule_.routes[send.route];
    const std::uint32_t from = rank_of_.at(route.from), to = rank_of_.at(route.to);
    const std::uint32_t number_of_channel = channel(send.route, from, to);
    const auto add = [&](std::uint32_t rank, std::uint32_t peer, PlanStep step) {
      const std::uint32_t number = block(rank, peer, number_of_channel, step.sends);
      auto& steps = plan_.ranks[rank].blocks[number].steps;
      steps.push_back(std::move(step));
      return StepPosition{rank, number, static_cast<std::uint32_t>(steps.size() - 1)};
    };
    PlanStep out;
    out.type = StepType::send;
    out.sends = true;
    out.count = 1;
    out.reads = {span_of(from, send.piece)};
    sent_.push_back(add(from, to, std::move(out)));
    PlanStep in;
    in.type = send.reduces != 0 ? StepType::receive_reduce_copy : StepType::receive;
    in.receives = true;
    in.count = 1;
    in.writes = {span_of(to, send.piece)};
    if (send.reduces != 0) in.reads = in.writes;
    received_.push_back(add(to, from, std::move(in)));
  }

  PlanStep& step(const StepPosition& at) {
    return plan_.ranks[at.rank].blocks[at.block].steps[at.step];
  }

  /// Makes the step wait for the previous step at the place, if that belongs to another block.
  void add_access(const StepPosition& at, bool reads, bool writes) {
    PlanStep& one = step(at);
    const PlanSpan& span = writes ? one.writes.front() : one.reads.front();
    ChunkAccesses& accesses = accesses_[{span.rank, span.buffer, span.first}];
    const auto wait = [&](const StepPosition& other) {
      if (other.block == at.block) return;
      // A dependency on the last step of a block includes all earlier ones.
      for (StepPosition& known : one.after) {
        if (known.block != other.block) continue;
        known.step = std::max(known.step, other.step);
        return;
      }
      one.after.push_back(other);
    };
    if (accesses.written && (reads || accesses.read.empty() || !writes)) wait(*accesses.written);
    if (writes) {
      for (const StepPosition& other : accesses.read) wait(other);
      accesses = {at, {}};
    } else {
      accesses.read.push_back(at);
    }
  }

  const Schedule& schedule_;
  Plan plan_;
  std::uint32_t chunks_ = 1;
  bool is_all_to_all_ = false;
  std::unordered_map<NodeIndex, std::uint32_t> rank_of_;
  std::vector<std::uint32_t> index_in_pair_;  // by piece
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> scratch_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>, std::uint32_t> blocks_;
  std::unordered_map<std::uint32_t, std::uint32_t> channel_of_;  // by route
  // number of channels by pair
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> channels_;
  std::map<std::tuple<std::uint32_t, PlanBuffer, std::uint32_t>, ChunkAccesses> accesses_;
  std::vector<StepPosition> sent_, received_;  // by send
};

}  // namespace

Result<Plan> plan_of_schedule(const Schedule& schedule, std::string name) {
  return PlanConverter(schedule).run(std::move(name));
}

Result<std::vector<Plan>> plans_of_schedule(const Schedule& schedule, const std::string& name) {
  std::vector<Schedule> parts(schedule.groups.size());
  for (std::size_t g = 0; g < parts.size(); ++g) {
    parts[g].groups = {schedule.groups[g]};
    parts[g].routes = schedule.routes;
    parts[g].wires = schedule.wires;
  }
  std::vector<std::uint32_t> index_in_part;  // index of each piece in its part
  for (Piece piece : schedule.pieces) {
    auto& pieces = parts[piece.group].pieces;
    index_in_part.push_back(static_cast<std::uint32_t>(pieces.size()));
    piece.group = 0;
    pieces.push_back(piece);
  }
  for (Send send : schedule.sends) {
    auto& sends = parts[schedule.pieces[send.piece].group].sends;
    send.piece = index_in_part[send.piece];
    sends.push_back(send);
  }
  std::vector<Plan> plans;
  for (std::size_t g = 0; g < parts.size(); ++g) {
    auto plan = plan_of_schedule(
        parts[g], parts.size() == 1 ? name : fmt::format("{}, group {}", name, g + 1));
    if (!plan) return tl::unexpected(plan.error());
    plans.push_back(*std::move(plan));
  }
  return plans;
}

}  // namespace orrery::synthesis
