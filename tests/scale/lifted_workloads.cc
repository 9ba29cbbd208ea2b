// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "orrery/core/check.h"
#include "random_programs.h"
#include "random_workloads.h"

namespace orrery::scale {

using graph::NodeKind;

namespace {

/// Which rank plays a role in a copy.
class Layout {
 public:
  Layout(Draw& draw, std::uint32_t roles, std::uint32_t copies) : copies_(copies) {
    rank_of_.resize(roles * copies);
    const bool by_role = draw.one_in(2);
    for (std::uint32_t role = 0; role < roles; ++role) {
      for (std::uint32_t copy = 0; copy < copies; ++copy)
        rank_of_[role * copies + copy] = by_role ? role * copies + copy : copy * roles + role;
    }
    if (draw.one_in(4)) draw.shuffle(rank_of_);
  }
  [[nodiscard]] std::uint32_t rank(std::uint32_t role, std::uint32_t copy) const {
    return rank_of_[role * copies_ + copy % copies_];
  }

 private:
  std::uint32_t copies_;
  std::vector<std::uint32_t> rank_of_;
};

// The first group is all ranks. Members of a role come one after another (shuffled when they become
// ranks).
void draw_groups(Draw& draw, Plan& plan, std::uint32_t copies) {
  const auto roles = static_cast<std::uint32_t>(plan.roles.size());
  Group& world = plan.groups.emplace_back();
  world.world = true;
  for (std::uint32_t role = 0; role < roles; ++role) world.members.push_back({role, 0});
  for (std::int64_t i = draw.between(0, 4); i > 0; --i) {
    const std::uint32_t most = std::min<std::uint32_t>(roles * copies, 8);
    const auto count = static_cast<std::uint32_t>(draw.between(1, most));
    Group& group = plan.groups.emplace_back();
    for (const std::uint32_t number : draw.some(count, roles * copies))
      group.members.push_back({number / copies, number % copies});
  }
}

/// Writes down whom the steps mean.
class Lift {
 public:
  Lift(Draw& draw, const Plan& plan, std::uint32_t copies)
      : plan_(plan),
        copies_(copies),
        layout_(draw, static_cast<std::uint32_t>(plan.roles.size()), copies),
        strings_(std::make_shared<StringPool>()) {
    relative_ = draw.one_in(3);
    made_.graph_of_rank.resize(plan.roles.size() * copies);
    made_.graphs.resize(made_.graph_of_rank.size());
    for (std::uint32_t rank = 0; rank < made_.graphs.size(); ++rank)
      made_.graph_of_rank[rank] = rank;
    std::vector<std::uint32_t> numbers(plan.groups.size());
    for (std::uint32_t g = 0; g < numbers.size(); ++g) numbers[g] = g;
    draw.shuffle(numbers);
    for (std::uint32_t g = 1; g < numbers.size(); ++g) {
      names_.resize(numbers.size());
      names_[g] = fmt::format("g{}", numbers[g]);
      add_group(draw, g);
    }
  }

  graph::Workload write() {
    for (std::uint32_t role = 0; role < plan_.roles.size(); ++role) {
      for (std::uint32_t copy = 0; copy < copies_; ++copy) {
        const std::uint32_t rank = layout_.rank(role, copy);
        made_.graphs[rank] = graph_of(
            plan_.roles[role], strings_,
            [&](const Step& step, graph::NodeSpec& spec) { name(rank, copy, step, spec); });
        ORRERY_CHECK(made_.graphs[rank] != nullptr);
      }
    }
    return std::move(made_);
  }

 private:
  void add_group(Draw& draw, std::uint32_t number) {
    std::vector<Group::Member> members = plan_.groups[number].members;
    if (draw.one_in(2)) draw.shuffle(members);
    for (std::uint32_t copy = 0; copy < copies_; ++copy) {
      const std::string name = group_name(number, copy);
      std::vector<std::uint32_t> ranks;
      for (const Group::Member& member : members)
        ranks.push_back(layout_.rank(member.role, copy + member.turn));
      made_.groups[name] = {name, ranks};
    }
  }

  [[nodiscard]] std::string group_name(std::uint32_t number, std::uint32_t copy) const {
    return fmt::format("{}.{}", names_[number], copy % copies_);
  }

  void name(std::uint32_t rank, std::uint32_t copy, const Step& step, graph::NodeSpec& spec) {
    if (spec.kind == NodeKind::coll && step.group != 0)
      spec.collective.group = strings_->intern(group_name(step.group, copy + copies_ - step.turn));
    if (spec.kind != NodeKind::send && spec.kind != NodeKind::recv) return;
    auto number = static_cast<std::int32_t>(layout_.rank(step.peer, copy + step.turn));
    if (relative_) {
      spec.flags |= graph::kPeerRelative;
      number -= static_cast<std::int32_t>(rank);
    }
    (spec.kind == NodeKind::send ? spec.message.dst : spec.message.src) = number;
  }

  const Plan& plan_;
  std::uint32_t copies_;
  Layout layout_;
  std::shared_ptr<StringPool> strings_;
  std::vector<std::string> names_;
  bool relative_ = false;
  graph::Workload made_;
};

}  // namespace

graph::Workload draw_lift(Draw& draw, std::uint32_t ranks, bool loop) {
  const std::uint32_t copies = draw.one_in(4) ? 1 : draw_divisor(draw, ranks);
  Plan plan;
  plan.roles.resize(ranks / copies);
  draw_groups(draw, plan, copies);
  draw_steps(draw, plan, copies, loop);
  return Lift(draw, plan, copies).write();
}

}  // namespace orrery::scale
