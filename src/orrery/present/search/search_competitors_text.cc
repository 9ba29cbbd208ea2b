// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_competitors_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using explore::BreakEven;
using explore::BreakEvenKind;
using explore::Competitor;

std::string need_text(const BreakEven& one) {
  const auto shorter = [&](std::string_view what) {
    return fmt::format("{} {:+.3g} %", what, (one.needs / one.is - 1) * 100);
  };
  const auto price = [&](const char* what) {
    return fmt::format("{}{} at {:.4g}, not {:.4g}", one.for_both ? "both with " : "", what,
                       one.needs, one.is);
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
                               const Competitor& rival) {
  return *std::lower_bound(
      explored.points.begin(), explored.points.end(), rival.number,
      [](const explore::Point& point, std::uint64_t number) { return point.number < number; });
}

}  // namespace

std::string competitors_table(const explore::SearchSpace& space,
                              const explore::ExplorationResult& explored, report::Style style) {
  report::Table table({{"behind", true}, {"the best with"}, {"plan"}, {"would need one of"}});
  for (const Competitor& rival : explored.competitors) {
    std::string needs;
    for (const BreakEven& one : rival.needed)
      needs += fmt::format("{}{}", needs.empty() ? "" : "; ", need_text(one));
    table.row({fmt::format("{:+.1f} %", rival.behind * 100),
               printable(rival.axis) + " " + printable(rival.value),
               printable(point_of(explored, rival).predicted().plan), needs});
  }
  return table.empty()
             ? ""
             : fmt::format("\nWhat would have to be true for others to be as good in {}:\n",
                           explore::info(space.objectives.front()).title) +
                   table.text(style, 0, 160);
}

void write_competitors(report::JsonWriter& json, const explore::SearchSpace& space,
                       const explore::ExplorationResult& explored) {
  json.key("alternatives").begin_array();
  for (const Competitor& rival : explored.competitors) {
    const explore::Coordinates at = space.at(rival.number);
    json.begin_object()
        .field("axis", rival.axis)
        .field("setting", rival.value)
        .field("slower_ratio", rival.behind)
        .key("at")
        .begin_object();
    for (std::size_t a = 0; a < at.size(); ++a)
      json.field(space.axes[a].name, space.axes[a].labels[at[a]]);
    json.end_object().key("requirements").begin_array();
    for (const BreakEven& one : rival.needed) {
      json.begin_object().field("what", need_key(one));
      if (one.what == BreakEvenKind::axis)
        json.field("axis", one.axis).field("setting", one.value);
      else
        json.field("current_value", one.is).field("required_value", one.needs);
      json.field("for_both", one.for_both).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace orrery::present
