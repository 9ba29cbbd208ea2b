// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_competitors_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"
#include "orrery/present/search/search_space_labels.h"

namespace orrery::present {

using explore::BreakEven;
using explore::BreakEvenKind;
using explore::Competitor;

std::string need_text(const BreakEven& one) {
  const auto shorter = [&](std::string_view what) {
    return fmt::format("{} {:+.3g} %", what, (one.required / one.current - 1) * 100);
  };
  const auto price = [&](const char* what) {
    return fmt::format("{}{} at {:.4g}, not {:.4g}", one.for_both ? "both with " : "", what,
                       one.required, one.current);
  };
  switch (one.what) {
    case BreakEvenKind::part:
      return shorter(explore::kStepParts[one.part].less);
    case BreakEvenKind::device_price:
      return price("a device hour");
    case BreakEvenKind::energy_price:
      return price("a kWh");
    case BreakEvenKind::axis:
      return fmt::format("both with {} {}", printable(one.axis), printable(one.value));
  }
  return "";
}

namespace {

std::string_view need_key(const BreakEven& one) {
  switch (one.what) {
    case BreakEvenKind::part:
      return explore::kStepParts[one.part].need;
    case BreakEvenKind::device_price:
      return "device_price";
    case BreakEvenKind::energy_price:
      return "energy_price";
    case BreakEvenKind::axis:
      break;
  }
  return "axis";
}

const explore::Point& point_of(const explore::ExplorationResult& explored,
                               const Competitor& competitor) {
  return *std::ranges::lower_bound(explored.points, competitor.number, {}, &explore::Point::number);
}

void write_requirements(report::JsonWriter& json, const Competitor& competitor) {
  json.begin_array();
  for (const BreakEven& one : competitor.break_even) {
    json.begin_object().field("what", need_key(one));
    if (one.what == BreakEvenKind::axis)
      json.field("axis", one.axis).field("setting", one.value);
    else
      json.field("current_value", one.current).field("required_value", one.required);
    json.field("for_both", one.for_both).end_object();
  }
  json.end_array();
}

}  // namespace

void state_competitors(report::Answer& answer, const explore::SearchSpace& space,
                       const explore::ExplorationResult& explored) {
  if (!explored.competitors.empty())
    answer.heading(fmt::format("Break-even: what each alternative needs to match the best {}:",
                               explore::info(space.objectives.front()).title));
  report::Columns<Competitor> columns;
  columns
      .add("behind", "slower_ratio",
           [](const auto& one) {
             return report::Value(one.relative_gap).shown(signed_share(one.relative_gap));
           })
      .show("best with",
            [](const auto& one) { return printable(one.axis) + " " + printable(one.value); })
      .field("axis", &Competitor::axis)
      .field("setting", &Competitor::value)
      .nested("at",
              [&](auto& json, const auto& one) { write_coordinates(json, space, one.number); })
      .show("plan",
            [&](const auto& one) { return printable(point_of(explored, one).predicted().plan); })
      .show("would need one of",
            [](const auto& one) {
              std::string needs;
              for (const BreakEven& need : one.break_even)
                needs += (needs.empty() ? "" : "; ") + need_text(need);
              return needs;
            })
      .nested("requirements", write_requirements);
  answer.table("alternatives", explored.competitors, columns, {.width = 160});
}

}  // namespace orrery::present
