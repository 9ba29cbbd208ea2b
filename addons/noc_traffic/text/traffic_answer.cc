// SPDX-License-Identifier: Apache-2.0
#include "addons/noc_traffic/text/traffic_answer.h"

#include <fmt/format.h>

#include "orrery/config/field.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/noc_names.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using noc::CurveAnswer;
using noc::CurvePoint;

namespace {

std::string cycles_text(const CurvePoint& point, double cycles) {
  return point.stable == 0 ? "-" : fmt::format("{:.2f}", cycles);
}

report::Columns<CurvePoint> point_columns(bool has_load) {
  report::Columns<CurvePoint> columns;
  columns.field("load_flits_per_node_cycle", [](auto& point) {
    return point.load ? report::Value(*point.load) : report::Value();
  });
  if (has_load)
    columns.show_number("load", [](auto& point) { return fmt::format("{:g}", *point.load); });
  columns.field("accepted_flits_per_node_cycle", [](auto& point) { return point.accepted; })
      .show_number("accepted", [](auto& point) { return fmt::format("{:.4f}", point.accepted); });
  const auto cycles = [&](const char* title, const char* key, auto member) {
    columns
        .field(key,
               [member](auto& point) {
                 return point.stable == 0 ? report::Value() : report::Value(point.*member);
               })
        .show_number(title, [member](auto& point) { return cycles_text(point, point.*member); });
  };
  cycles("latency", "latency_cycles", &CurvePoint::latency);
  cycles("+-", "latency_deviation_cycles", &CurvePoint::latency_deviation);
  cycles("in the network", "network_latency_cycles", &CurvePoint::network_latency);
  cycles("p99", "p99_cycles", &CurvePoint::p99);
  cycles("routers", "hops", &CurvePoint::hops);
  columns.field("measured_packets", [](auto& point) { return point.packets; })
      .field("seeds", [](auto& point) { return point.runs; })
      .field("stable_seeds", [](auto& point) { return point.stable; })
      .show_number("stable runs",
                   [](auto& point) { return fmt::format("{} of {}", point.stable, point.runs); });
  return columns;
}

}  // namespace

void state_traffic(report::Answer& answer, const CurveAnswer& curve, const std::string& file) {
  const std::string_view routing = config::enum_name(curve.routing);
  answer.title(fmt::format("{}: {}, {}", curve.network, plural(curve.routers, "router"),
                           plural(curve.nodes, "node")));
  answer.field("network_name", curve.network)
      .field("network_routers", curve.routers)
      .field("network_nodes", curve.nodes)
      .row("routing", "routing", routing, std::string(routing))
      .row("zero load", "closed_form_cycles", curve.zero_load_latency,
           fmt::format("{:.2f} cycles, without contention, in closed form",
                       curve.zero_load_latency));
  if (curve.bisection_load)
    answer.line("bisection", fmt::format("no load above {:.3g} flits per node and cycle",
                                         *curve.bisection_load));
  if (curve.saturation)
    answer.line("saturation",
                fmt::format("at {:.3f} flits per node and cycle latency reaches three times that "
                            "without contention",
                            *curve.saturation));
  answer.optional_field("bisection_flits_per_node_cycle", curve.bisection_load)
      .optional_field("saturation_flits_per_node_cycle", curve.saturation);
  if (!file.empty()) answer.line("written", printable(file));
  answer.field("file", file);
  const bool has_load = curve.points.empty() || curve.points[0].load.has_value();
  answer.table("loads", curve.points, point_columns(has_load));
  answer.note(fmt::format("{}accepted: flits per node and cycle; latency and p99: cycles",
                          has_load ? "load and " : ""));
}

}  // namespace orrery::present
