// SPDX-License-Identifier: Apache-2.0
#include "random_programs.h"

#include <map>

namespace orrery::scale {

using graph::CollectiveType;
using graph::NodeKind;
using graph::NodeSpec;

namespace {

/// Writes roles step by step.
class Author {
 public:
  Author(Draw& draw, Plan& plan, std::uint32_t copies)
      : draw_(draw), plan_(plan), copies_(copies), last_in_group_(plan.roles.size()) {
    round_ = draw_.one_in(2);
    loose_ = draw_.one_in(2);
    recorded_ = draw_.one_in(4);
  }

  void write(bool looped) {
    const bool loop = draw_.one_in(5) || looped;
    const auto steps = draw_.between(2, loop ? 4 : 10);
    for (std::int64_t i = 0; i < steps; ++i) draw_step();
    const auto rounds = loop ? 24 : draw_.of<std::uint64_t>({1, 1, 1, 2, 7});
    for (std::vector<Step>& role : plan_.roles) repeat(role, rounds);
  }

 private:
  [[nodiscard]] std::uint32_t roles() const {
    return static_cast<std::uint32_t>(plan_.roles.size());
  }
  [[nodiscard]] std::vector<std::uint32_t> one_or_all() {
    if (draw_.one_in(3)) return {static_cast<std::uint32_t>(draw_.below(roles()))};
    std::vector<std::uint32_t> all(roles());
    for (std::uint32_t r = 0; r < roles(); ++r) all[r] = r;
    return all;
  }

  // Round ones make ties.
  std::int64_t draw_size() {
    return round_ ? draw_.of<std::int64_t>({1024, 4096, 4096, 65536}) : draw_.between(1, 100'000);
  }
  Time draw_duration() {
    return round_ ? ns(draw_.of<std::int64_t>({0, 1024, 4096, 4096, 8192}))
                  : ps(draw_.between(0, 20'000'000));
  }

  void draw_step() {
    switch (draw_.between(0, 9)) {
      case 0:
      case 1:
      case 2:
        return add_compute();
      case 3:
      case 4:
        return add_message();
      case 5:
        return add_other();
      default:
        return add_collective();
    }
  }

  Step& add(std::uint32_t role, NodeKind kind) {
    std::vector<Step>& steps = plan_.roles[role];
    Step step;
    step.spec.id = steps.size() + 1;
    step.spec.kind = kind;
    if (!steps.empty() && (!loose_ || draw_.one_in(2))) {
      step.spec.deps.push_back(steps.size());
    } else {
      for (std::int64_t i = draw_.between(0, 2); i > 0 && !steps.empty(); --i)
        step.spec.deps.push_back(draw_.below(steps.size()) + 1);
    }
    if (recorded_) note_recording(step.spec);
    steps.push_back(std::move(step));
    return steps.back();
  }

  // What recorded traces say besides.
  void note_recording(NodeSpec& spec) {
    for (const std::uint64_t dep : spec.deps) {
      if (draw_.one_in(2))
        spec.notes.push_back({.dep = dep, .lag = draw_duration(), .kind = DependencyKind::launch});
    }
    if (!draw_.one_in(3)) spec.lane = graph::Lane{.id = draw_.between(1, 3)};
  }

  void add_compute() {
    const Time duration = draw_duration();
    const bool equal = draw_.one_in(2);
    const bool cpu = draw_.one_in(6);
    const bool counted = draw_.one_in(4);
    const bool tensors = draw_.one_in(8);
    for (const std::uint32_t role : one_or_all()) {
      NodeSpec& spec = add(role, NodeKind::comp).spec;
      spec.duration = equal ? duration : draw_duration();
      if (cpu) spec.flags |= graph::kIsCpu;
      if (counted) {
        spec.flags |= graph::kHasNumOps | graph::kHasTensorSize;
        spec.work = {4'000'000, Bytes(4096)};
      }
      if (tensors) add_tensors(spec);
    }
  }

  void add_tensors(NodeSpec& spec) {
    spec.flags |= graph::kHasTensors;
    for (std::int64_t i = draw_.between(1, 3); i > 0; --i)
      spec.tensors.push_back(
          {Bytes(draw_size()), static_cast<StringId>(draw_.between(1, 4)), draw_.one_in(2)});
  }

  void add_other() {
    const NodeKind kind = draw_.of({NodeKind::metadata, NodeKind::mem_load, NodeKind::mem_store});
    const std::int64_t size = draw_size();
    for (const std::uint32_t role : one_or_all()) {
      NodeSpec& spec = add(role, kind).spec;
      spec.work = {0, Bytes(size)};
      if (kind != NodeKind::metadata) spec.flags |= graph::kHasTensorSize;
    }
  }

  graph::ExpertExchange draw_exchange() {
    graph::ExpertExchange exchange{16, 512, 2, 0};
    exchange.set(
        draw_.of({graph::ExpertTransport::deepep, graph::ExpertTransport::deepep_low_latency,
                  graph::ExpertTransport::hybridep}),
        draw_.one_in(2));
    return exchange;
  }

  void add_collective() {
    const auto number = static_cast<std::uint32_t>(draw_.below(plan_.groups.size()));
    const Group& group = plan_.groups[number];
    NodeSpec common;
    common.collective.type =
        draw_.of({CollectiveType::all_reduce, CollectiveType::all_reduce,
                  CollectiveType::all_gather, CollectiveType::reduce_scatter,
                  CollectiveType::all_to_all, CollectiveType::broadcast, CollectiveType::barrier});
    common.collective.size = Bytes(draw_size());
    if (common.collective.type == CollectiveType::all_to_all && draw_.one_in(2))
      common.collective.exchange = draw_exchange();
    common.flags = graph::kHasCommType | graph::kHasCommSize;
    if (draw_.one_in(4)) {
      common.collective.priority = static_cast<std::int32_t>(draw_.between(0, 3));
      common.flags |= graph::kHasPriority;
    }
    if (draw_.one_in(group.world ? 5 : 12)) {
      common.collective.dims_mask = static_cast<std::uint32_t>(draw_.between(1, 7));
      common.collective.dims_count = 3;
      common.flags |= graph::kHasDims;
    }
    if (group.each) {
      for (const std::uint32_t role : one_or_all()) add_member(number, {role, 0}, common);
      return;
    }
    const std::uint32_t none = ~0u;
    std::uint32_t before = none;
    for (const Group::Member& member : group.members) {
      if (member.role == before) {
        add_again(number, member, common);
      } else {
        add_member(number, member, common);
      }
      before = member.role;
    }
  }

  void add_member(std::uint32_t group, Group::Member member, const NodeSpec& common) {
    deps_.clear();
    Step& step = add(member.role, NodeKind::coll);
    deps_ = step.spec.deps;
    become(step, group, member, common);
  }

  // A rank that stands in several copies of a group issues in all of them at once: one after the
  // other, all would wait for each other.
  void add_again(std::uint32_t group, Group::Member member, const NodeSpec& common) {
    Step& step = add(member.role, NodeKind::coll);
    step.spec.deps = deps_;
    become(step, group, member, common);
  }

  void become(Step& step, std::uint32_t group, Group::Member member, const NodeSpec& common) {
    step.spec.flags = common.flags;
    step.spec.collective = common.collective;
    step.group = group;
    step.turn = member.turn;
    std::uint64_t& last = last_in_group_[member.role][{group, member.turn}];
    if (last != 0) step.spec.deps.push_back(last);
    last = step.spec.id;
  }

  void add_message() {
    const auto from = static_cast<std::uint32_t>(draw_.below(roles()));
    const auto to = static_cast<std::uint32_t>(draw_.below(roles()));
    const auto turn = static_cast<std::uint32_t>(draw_.below(copies_));
    if (from == to && turn == 0) return add_compute();
    const auto tag = static_cast<std::uint32_t>(draw_.between(0, 3));
    const Bytes size{draw_size()};
    Step& send = add(from, NodeKind::send);
    send.spec.flags = graph::kHasCommSize | graph::kHasDst | graph::kHasTag;
    send.spec.message = {size, 0, 0, tag};
    send.peer = to;
    send.turn = turn;
    Step& receive = add(to, NodeKind::recv);
    receive.spec.flags = graph::kHasCommSize | graph::kHasSrc | graph::kHasTag;
    receive.spec.message = {size, 0, 0, tag};
    receive.peer = from;
    receive.turn = (copies_ - turn) % copies_;
  }

  // The same again, each round after the one before.
  void repeat(std::vector<Step>& role, std::uint64_t rounds) {
    const std::size_t steps = role.size();
    std::map<Place, std::size_t> first, last;  // collective by group
    for (std::size_t i = 0; i < steps; ++i) {
      if (role[i].spec.kind != NodeKind::coll) continue;
      first.emplace(Place{role[i].group, role[i].turn}, i);
      last[{role[i].group, role[i].turn}] = i;
    }
    for (std::uint64_t round = 1; round < rounds; ++round) {
      for (std::size_t i = 0; i < steps; ++i) {
        Step step = role[i];
        const std::uint64_t before = (round - 1) * steps;
        for (std::uint64_t& dep : step.spec.deps) dep += round * steps;
        for (graph::DependencyNote& note : step.spec.notes) note.dep += round * steps;
        if (step.spec.deps.empty()) step.spec.deps.push_back(before + steps);
        const Place place{step.group, step.turn};
        if (step.spec.kind == NodeKind::coll && first[place] == i)
          step.spec.deps.push_back(before + last[place] + 1);
        step.spec.id += round * steps;
        role.push_back(std::move(step));
      }
    }
  }

  Draw& draw_;
  Plan& plan_;
  std::uint32_t copies_;
  bool round_ = false;     // sizes and durations that make ties
  bool loose_ = false;     // nodes that do not wait for the one before
  bool recorded_ = false;  // streams, and edges that take a while
  using Place = std::pair<std::uint32_t, std::uint32_t>;       // a group, how many copies further
  std::vector<std::map<Place, std::uint64_t>> last_in_group_;  // by role
  std::vector<std::uint64_t> deps_;
};

}  // namespace

void draw_steps(Draw& draw, Plan& plan, std::uint32_t copies, bool loop) {
  Author(draw, plan, copies).write(loop);
}

}  // namespace orrery::scale
