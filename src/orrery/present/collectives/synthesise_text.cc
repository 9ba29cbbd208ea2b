// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/collectives/synthesise_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using study::CollectiveSynthesisAnswer;
using synthesis::Bound;

namespace {

/// "what enters npu0: 1.072 GB over 4 links of 200 GB/s in all"
std::string cut_text(const Bound& bound) {
  const synthesis::BindingCut& cut = bound.binding_cut;
  if (cut.name.empty()) return "nothing has to pass";
  return fmt::format("{}: {} over {} of {} in all{}", printable(cut.name),
                     format_bytes(Bytes(static_cast<std::int64_t>(cut.bytes))),
                     cut.links == 1 ? std::string("1 link") : count(cut.links) + " links",
                     format_bandwidth(Bandwidth(cut.capacity)),
                     bound.exact ? "" : " (of the cuts that were tried)");
}

std::string gap_text(const CollectiveSynthesisAnswer& answer) {
  const double gap = 100 * answer.gap();
  return gap < 0.005 ? std::string("its bound") : fmt::format("{:.2f} % above its bound", gap);
}

std::string ranks_text(const CollectiveSynthesisAnswer& answer) {
  const auto& groups = answer.made.schedule.groups;
  if (groups.size() == 1) return count(groups.front().members.size()) + " ranks";
  return fmt::format("{} groups with {} ranks in all, at once", groups.size(), count(answer.ranks));
}

}  // namespace

std::string synthesis_title(const CollectiveSynthesisAnswer& answer) {
  return fmt::format("{} of {} among {} of {}", answer.collective, format_bytes(answer.size),
                     ranks_text(answer), printable(answer.fabric_state.topology->name()));
}

std::vector<std::pair<std::string, std::string>> synthesis_lines(
    const CollectiveSynthesisAnswer& answer) {
  const Bound& bound = answer.made.bound;
  std::vector<std::pair<std::string, std::string>> lines = {
      {"time", fmt::format("{}, {}", format_time(answer.made.time), gap_text(answer))},
      {"bound", fmt::format("{}: bandwidth {}, latency {}", format_time(bound.total),
                            format_time(bound.bandwidth), format_time(bound.latency))},
      {"binds", cut_text(bound)}};
  const double duration = seconds(answer.made.time);
  if (duration > 0)
    lines.emplace_back(
        "bandwidth",
        format_bandwidth(Bandwidth(static_cast<double>(answer.size.count()) / duration)) +
            " (buffer / time)");
  lines.emplace_back("sends", fmt::format("{} of {} pieces, {} after each other at most",
                                          count(answer.made.schedule.sends.size()),
                                          count(answer.made.schedule.pieces.size()), answer.depth));
  if (answer.use.used > 0)
    lines.emplace_back(
        "links",
        fmt::format("{} of {} used, busy {} of the time; {} {}", count(answer.use.used),
                    count(answer.use.links), report::percent(answer.use.mean),
                    printable(answer.use.busiest_name), report::percent(answer.use.busiest)));
  lines.emplace_back("how", printable(answer.made.method));
  return lines;
}

std::string synthesis_text(const CollectiveSynthesisAnswer& answer, const Findings& findings,
                           report::Style style) {
  report::Sheet sheet(style, 11);
  sheet.line(style.strong(synthesis_title(answer)));
  for (const auto& [label, text] : synthesis_lines(answer)) sheet.add(label, text);
  report::add_findings(sheet, findings, style);
  std::string text = sheet.text();
  for (const std::string& note : answer.notes) text += style.warn(note) + "\n";
  return text;
}

std::string synthesis_json(const CollectiveSynthesisAnswer& answer, const Findings& findings) {
  return report::envelope("synthesise", findings, [&](JsonWriter& json) {
    const Bound& bound = answer.made.bound;
    const synthesis::Schedule& schedule = answer.made.schedule;
    json.begin_object().field("collective", std::string_view(answer.collective));
    json.field("fabric", std::string_view(answer.fabric_state.topology->name()));
    json.field("bytes", answer.size.count());
    json.key("group_sizes").begin_array();
    for (const synthesis::Group& group : schedule.groups)
      json.value(std::uint64_t{group.members.size()});
    json.end_array().nanoseconds("time", answer.made.time);
    json.field("method", std::string_view(answer.made.method)).field("gap_ratio", answer.gap());
    json.key("bound").begin_object().nanoseconds("total", bound.total);
    json.nanoseconds("bandwidth", bound.bandwidth);
    json.nanoseconds("latency", bound.latency).field("exact", bound.exact);
    json.field("cut", std::string_view(bound.binding_cut.name))
        .field("cut_bytes", bound.binding_cut.bytes);
    json.field("cut_bytes_per_s", bound.binding_cut.capacity);
    json.field("cut_links", std::uint64_t{bound.binding_cut.links});
    json.nanoseconds("cut_latency", bound.binding_cut.latency).end_object();
    json.field("sends", std::uint64_t{schedule.sends.size()});
    json.field("pieces", std::uint64_t{schedule.pieces.size()});
    json.field("depth", std::uint64_t{answer.depth});
    json.key("link_use").begin_object().field("links", std::uint64_t{answer.use.links});
    json.field("used_links", std::uint64_t{answer.use.used})
        .field("mean_busy_share", answer.use.mean);
    json.field("max_busy_share", answer.use.busiest);
    json.field("busiest_link", std::string_view(answer.use.busiest_name)).end_object();
    json.key("notes").begin_array();
    for (const std::string& note : answer.notes) json.value(std::string_view(note));
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
