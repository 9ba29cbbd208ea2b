// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/checked_text.h"

#include <fmt/format.h>

#include "orrery/core/text.h"
#include "orrery/present/words.h"
#include "orrery/report/envelope.h"

namespace orrery::present {

using explore::CheckedConstraint;
using explore::CheckedSpace;

namespace {

std::string combinations_words(double combinations) {
  return combinations < 1e15 ? plural(static_cast<std::uint64_t>(combinations), "combination")
                             : fmt::format("{:.3g} combinations", combinations);
}

/// What leaves nothing.
std::string impossible_words(const CheckedSpace& checked) {
  const CheckedConstraint& one = checked.constraints[*checked.impossible];
  return fmt::format("constraint {} {}none of {}", printable(one.text),
                     checked.alone ? "allows " : "and those before it allow ",
                     checked.all ? "them" : count(checked.looked_at) + " that were drawn");
}

bool any_early(const CheckedSpace& checked) {
  for (const CheckedConstraint& one : checked.constraints)
    if (one.early) return true;
  return false;
}

}  // namespace

std::string checked_words(const CheckedSpace& checked) {
  const std::string all = combinations_words(checked.combinations);
  if (checked.impossible) return all + ": " + impossible_words(checked);
  if (!any_early(checked)) return all;
  if (checked.all)
    return fmt::format("{}, of which constraints over axes leave {}", all, count(checked.left));
  return fmt::format("{}; of {} that were drawn, constraints over axes leave {}", all,
                     count(checked.looked_at), count(checked.left));
}

std::string checked_text(const explore::SearchSpace& space, const CheckedSpace& checked,
                         report::Style style) {
  report::Sheet sheet(style);
  std::string axes;
  for (const explore::Axis& axis : space.axes)
    axes += fmt::format("{}{} {}", axes.empty() ? "" : ", ", printable(axis.name),
                        count(axis.values.size()));
  sheet.add("space",
            fmt::format("{}{}", space.file.title.empty() ? "" : printable(space.file.title) + ": ",
                        combinations_words(checked.combinations)));
  sheet.add("values", axes);
  if (!checked.all)
    sheet.add("drawn", fmt::format("{}; what is said below holds for these",
                                   plural(checked.looked_at, "combination")));
  sheet.add("left", fmt::format("{} ({})", count(checked.left),
                                report::percent(static_cast<double>(checked.left) /
                                                static_cast<double>(checked.looked_at))));
  report::Table table({{"takes", true}, {"leaves", true}, {"constraint"}});
  for (const CheckedConstraint& one : checked.constraints)
    table.row({one.early ? count(one.takes) : "?", one.early ? count(one.left) : "?",
               printable(one.text)});
  std::string text = sheet.text();
  if (!table.empty()) text += "\n" + table.text(style, 0, 160);
  for (const CheckedConstraint& one : checked.constraints)
    if (!one.early) {
      text += "? it is over figures, which a search finds out\n";
      break;
    }
  if (checked.impossible) text += "\n" + impossible_words(checked) + "\n";
  return text;
}

void write_checked(report::JsonWriter& json, const CheckedSpace& checked) {
  json.begin_object()
      .field("combinations", checked.combinations)
      .field("examined", checked.looked_at)
      .field("complete", checked.all)
      .field("remaining", checked.left)
      .key("constraints")
      .begin_array();
  for (const CheckedConstraint& one : checked.constraints) {
    json.begin_object().field("constraint", one.text).field("axes_only", one.early);
    if (one.early) json.field("excluded", one.takes).field("remaining", one.left);
    json.end_object();
  }
  json.end_array();
  if (checked.impossible)
    json.key("infeasible")
        .begin_object()
        .field("constraint", checked.constraints[*checked.impossible].text)
        .field("infeasible_alone", checked.alone)
        .end_object();
  json.end_object();
}

std::string checked_json(const CheckedSpace& checked) {
  return report::envelope("search", {}, [&](report::JsonWriter& json) {
    json.begin_object().key("space_check");
    write_checked(json, checked);
    json.end_object();
  });
}

}  // namespace orrery::present
