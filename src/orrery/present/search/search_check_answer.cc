// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_check_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using explore::ConstraintCheck;
using explore::SpaceCheck;

namespace {

std::string combinations_text(double combinations) {
  return combinations < 1e15 ? plural(static_cast<std::uint64_t>(combinations), "combination")
                             : fmt::format("{:.3g} combinations", combinations);
}

/// The constraint that allows no combination.
std::string impossible_text(const SpaceCheck& space_check) {
  const ConstraintCheck& one = space_check.constraints[*space_check.impossible];
  return fmt::format("constraint {} {}none of {}", printable(one.text),
                     space_check.alone ? "allows " : "and those before it allow ",
                     space_check.all ? "them" : count(space_check.examined) + " sampled ones");
}

report::Columns<ConstraintCheck> constraint_columns() {
  const auto number = [](std::uint64_t ConstraintCheck::*member) {
    return [member](const ConstraintCheck& one) {
      return one.axes_only ? report::Value(one.*member) : report::Value().shown("?");
    };
  };
  report::Columns<ConstraintCheck> columns;
  columns.add("removes", "excluded", number(&ConstraintCheck::removed))
      .omit_null()
      .align(report::Align::right)
      .add("leaves", "remaining", number(&ConstraintCheck::left))
      .omit_null()
      .align(report::Align::right)
      .add("constraint", "constraint", &ConstraintCheck::text)
      .field("axes_only", &ConstraintCheck::axes_only);
  return columns;
}

}  // namespace

std::string allowed_combinations_text(const SpaceCheck& space_check) {
  const std::string all = combinations_text(space_check.combinations);
  if (space_check.impossible) return all + ": " + impossible_text(space_check);
  if (std::ranges::none_of(space_check.constraints, &ConstraintCheck::axes_only)) return all;
  if (space_check.all)
    return fmt::format("{}, of which constraints over axes leave {}", all, count(space_check.left));
  return fmt::format("{}; of {} sampled ones, constraints over axes leave {}", all,
                     count(space_check.examined), count(space_check.left));
}

void state_search_check(report::Answer& answer, const explore::SearchSpace& space,
                        const SpaceCheck& space_check) {
  const auto state = [&] {
    answer.row("space", "combinations", space_check.combinations,
               (space.file.title.empty() ? "" : printable(space.file.title) + ": ") +
                   combinations_text(space_check.combinations));
    std::string axes;
    for (const explore::Axis& axis : space.axes)
      axes += fmt::format("{}{} {}", axes.empty() ? "" : ", ", printable(axis.name),
                          count(axis.values.size()));
    answer.line("values", axes);
    answer.field("examined", space_check.examined).field("complete", space_check.all);
    if (!space_check.all)
      answer.line("sampled", plural(space_check.examined, "combination") +
                                 "; the figures below refer to these");
    answer.row("remaining", "remaining", space_check.left,
               fmt::format("{} ({})", count(space_check.left),
                           report::percent(static_cast<double>(space_check.left) /
                                           static_cast<double>(space_check.examined))));
    answer.table("constraints", space_check.constraints, constraint_columns(), {.width = 160});
    if (!std::ranges::all_of(space_check.constraints, &ConstraintCheck::axes_only))
      answer.note("? depends on figures that only the search computes");
    if (!space_check.impossible) return;
    answer.block(impossible_text(space_check) + "\n");
    answer.object("infeasible", [&] {
      answer.field("constraint", space_check.constraints[*space_check.impossible].text)
          .field("infeasible_alone", space_check.alone);
    });
  };
  answer.object("space_check", state);
}

}  // namespace orrery::present
