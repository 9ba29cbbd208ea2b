// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_check_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using explore::ConstraintCheck;
using explore::SpaceCheck;

namespace {

std::string combinations_words(double combinations) {
  return combinations < 1e15 ? plural(static_cast<std::uint64_t>(combinations), "combination")
                             : fmt::format("{:.3g} combinations", combinations);
}

/// What leaves nothing.
std::string impossible_words(const SpaceCheck& space_check) {
  const ConstraintCheck& one = space_check.constraints[*space_check.impossible];
  return fmt::format("constraint {} {}none of {}", printable(one.text),
                     space_check.alone ? "allows " : "and those before it allow ",
                     space_check.all ? "them" : count(space_check.examined) + " that were drawn");
}

bool any_early(const SpaceCheck& space_check) {
  for (const ConstraintCheck& one : space_check.constraints)
    if (one.axes_only) return true;
  return false;
}

}  // namespace

std::string allowed_combinations_text(const SpaceCheck& space_check) {
  const std::string all = combinations_words(space_check.combinations);
  if (space_check.impossible) return all + ": " + impossible_words(space_check);
  if (!any_early(space_check)) return all;
  if (space_check.all)
    return fmt::format("{}, of which constraints over axes leave {}", all, count(space_check.left));
  return fmt::format("{}; of {} that were drawn, constraints over axes leave {}", all,
                     count(space_check.examined), count(space_check.left));
}

std::string search_check_text(const explore::SearchSpace& space, const SpaceCheck& space_check,
                              report::Style style) {
  report::Sheet sheet(style);
  std::string axes;
  for (const explore::Axis& axis : space.axes)
    axes += fmt::format("{}{} {}", axes.empty() ? "" : ", ", printable(axis.name),
                        count(axis.values.size()));
  sheet.add("space",
            fmt::format("{}{}", space.file.title.empty() ? "" : printable(space.file.title) + ": ",
                        combinations_words(space_check.combinations)));
  sheet.add("values", axes);
  if (!space_check.all)
    sheet.add("drawn", fmt::format("{}; what is said below holds for these",
                                   plural(space_check.examined, "combination")));
  sheet.add("left", fmt::format("{} ({})", count(space_check.left),
                                report::percent(static_cast<double>(space_check.left) /
                                                static_cast<double>(space_check.examined))));
  report::Table table({{"takes", true}, {"leaves", true}, {"constraint"}});
  for (const ConstraintCheck& one : space_check.constraints)
    table.row({one.axes_only ? count(one.removed) : "?", one.axes_only ? count(one.left) : "?",
               printable(one.text)});
  std::string text = sheet.text();
  if (!table.empty()) text += "\n" + table.text(style, 0, 160);
  for (const ConstraintCheck& one : space_check.constraints)
    if (!one.axes_only) {
      text += "? it is over figures, which a search finds out\n";
      break;
    }
  if (space_check.impossible) text += "\n" + impossible_words(space_check) + "\n";
  return text;
}

void write_search_check(report::JsonWriter& json, const SpaceCheck& space_check) {
  json.begin_object()
      .field("combinations", space_check.combinations)
      .field("examined", space_check.examined)
      .field("complete", space_check.all)
      .field("remaining", space_check.left)
      .key("constraints")
      .begin_array();
  for (const ConstraintCheck& one : space_check.constraints) {
    json.begin_object().field("constraint", one.text).field("axes_only", one.axes_only);
    if (one.axes_only) json.field("excluded", one.removed).field("remaining", one.left);
    json.end_object();
  }
  json.end_array();
  if (space_check.impossible)
    json.key("infeasible")
        .begin_object()
        .field("constraint", space_check.constraints[*space_check.impossible].text)
        .field("infeasible_alone", space_check.alone)
        .end_object();
  json.end_object();
}

std::string search_check_json(const SpaceCheck& space_check) {
  return report::envelope("search", {}, [&](report::JsonWriter& json) {
    json.begin_object().key("space_check");
    write_search_check(json, space_check);
    json.end_object();
  });
}

}  // namespace orrery::present
