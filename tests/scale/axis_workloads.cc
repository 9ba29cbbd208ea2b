// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "orrery/core/check.h"
#include "orrery/sim/expansion_testing.h"
#include "random_programs.h"
#include "random_workloads.h"

namespace orrery::scale {

using graph::GroupAxis;
using graph::NodeKind;

std::uint32_t draw_divisor(Draw& draw, std::uint32_t number) {
  std::vector<std::uint32_t> divisors;
  for (std::uint32_t i = 1; i <= number; ++i) {
    if (number % i == 0) divisors.push_back(i);
  }
  return divisors[draw.below(divisors.size())];
}

namespace {

// Digits of all ranks' numbers, the first turning fastest.
std::vector<GroupAxis::Digit> draw_digits(Draw& draw, std::uint32_t ranks) {
  std::vector<GroupAxis::Digit> digits;
  std::uint32_t stride = 1;
  while (stride < ranks) {
    const std::uint32_t count =
        digits.size() == 3 ? ranks / stride : draw_divisor(draw, ranks / stride);
    if (count == 1) continue;
    digits.push_back({stride, count, 1});
    stride *= count;
  }
  return digits;
}

class Axes {
 public:
  Axes(Draw& draw, std::uint32_t ranks) : draw_(draw), digits_(draw_digits(draw, ranks)) {
    along_ = draw_.below(digits_.size());
    const bool equivalent = draw_.one_in(3) || digits_[along_].count > 8;
    plan_.roles.resize(equivalent ? 1 : digits_[along_].count);
    made_.graph_of_rank.resize(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      made_.graph_of_rank[rank] = equivalent ? 0 : digits_[along_].of(rank);
    add_groups();
  }

  graph::Workload write(bool loop) {
    draw_steps(draw_, plan_, 1, loop);
    const auto strings = std::make_shared<StringPool>();
    for (std::uint32_t role = 0; role < plan_.roles.size(); ++role) {
      made_.graphs.push_back(
          graph_of(plan_.roles[role], strings, [&](const Step& step, graph::NodeSpec& spec) {
            if (spec.kind == NodeKind::coll)
              spec.collective.group = strings->intern(names_[step.group]);
            if (spec.kind == NodeKind::send) spec.message.dst = distance(role, step, spec);
            if (spec.kind == NodeKind::recv) spec.message.src = distance(role, step, spec);
          }));
      ORRERY_CHECK(made_.graphs.back() != nullptr);
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::int32_t distance(std::uint32_t role, const Step& step,
                                      graph::NodeSpec& spec) const {
    spec.flags |= graph::kPeerRelative;
    return (static_cast<std::int32_t>(step.peer) - static_cast<std::int32_t>(role)) *
           static_cast<std::int32_t>(digits_[along_].stride);
  }

  // All ranks, and some axes.
  void add_groups() {
    add_group("", true);
    plan_.groups.back().world = true;
    for (std::int64_t i = draw_.between(1, 4); i > 0; --i) {
      GroupAxis axis{fmt::format("axis{}", i * 7 % 5), {}};
      bool mixed = false;
      const auto count = static_cast<std::uint32_t>(draw_.below(digits_.size())) + 1;
      for (const std::uint32_t digit :
           draw_.some(count, static_cast<std::uint32_t>(digits_.size()))) {
        axis.digits.push_back(digits_[digit]);
        mixed = mixed || digit == along_;
      }
      if (draw_.one_in(2)) draw_.shuffle(axis.digits);
      add_group(axis.name, mixed);
      made_.axes[axis.name] = std::move(axis);
    }
  }

  void add_group(const std::string& name, bool mixed) {
    Group& group = plan_.groups.emplace_back();
    names_.push_back(name);
    group.each = !mixed;
    for (std::uint32_t role = 0; role < plan_.roles.size(); ++role)
      group.members.push_back({role, 0});
  }

  Draw& draw_;
  std::vector<GroupAxis::Digit> digits_;
  std::size_t along_ = 0;  // the digit that says which role a rank has
  Plan plan_;
  std::vector<std::string> names_;
  graph::Workload made_;
};

}  // namespace

graph::Workload draw_axes(Draw& draw, std::uint32_t ranks, bool loop) {
  graph::Workload made = Axes(draw, ranks).write(loop);
  return draw.one_in(3) ? sim::testing::expanded(made) : made;
}

}  // namespace orrery::scale
