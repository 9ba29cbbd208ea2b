// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/collectives/synthesize_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/collectives/collective_answer.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using study::CollectiveSynthesisAnswer;
using synthesis::Bound;

namespace {

/// "what enters npu0: 1.072 GB over 4 links of 200 GB/s in total"
std::string cut_text(const Bound& bound) {
  const synthesis::BindingCut& cut = bound.binding_cut;
  if (cut.name.empty()) return "no data has to cross a cut";
  return fmt::format("{}: {} over {} of {} in total{}", printable(cut.name),
                     format_bytes(Bytes(static_cast<std::int64_t>(cut.bytes))),
                     plural(cut.links, "link"), format_bandwidth(Bandwidth(cut.capacity)),
                     bound.exact ? "" : " (over the cuts tried)");
}

std::string gap_text(double gap) {
  return gap < 0.5e-4 ? std::string("equal to the bound")
                      : fmt::format("{:.2f} % above the bound", 100 * gap);
}

std::string ranks_text(const CollectiveSynthesisAnswer& synthesis) {
  const auto& groups = synthesis.made.schedule.groups;
  if (groups.size() == 1) return count(groups.front().members.size()) + " ranks";
  return fmt::format("{} concurrent groups with {} ranks in total", groups.size(),
                     count(synthesis.ranks));
}

void state_schedule(report::Answer& answer, const CollectiveSynthesisAnswer& synthesis) {
  const synthesis::Schedule& schedule = synthesis.made.schedule;
  const std::size_t sends = schedule.sends.size(), pieces = schedule.pieces.size();
  answer.row("sends", "sends", sends,
             fmt::format("{} of {} pieces, at most {} in sequence", count(sends), count(pieces),
                         synthesis.depth));
  answer.field("pieces", pieces).field("depth", synthesis.depth);
  answer.json("group_sizes", [&](report::JsonWriter& json) {
    json.begin_array();
    for (const synthesis::Group& group : schedule.groups) json.value(group.members.size());
    json.end_array();
  });
}

void state_link_use(report::Answer& answer, const study::LinkUse& use) {
  if (use.used > 0)
    answer.line("links", fmt::format("{} of {} used, {} busy on average; busiest: {}, {}",
                                     count(use.used), count(use.links), report::percent(use.mean),
                                     printable(use.busiest_name), report::percent(use.busiest)));
  answer.object("link_use", [&] {
    answer.field("links", use.links).field("used_links", use.used);
    answer.field("mean_busy_share", use.mean).field("max_busy_share", use.busiest);
    answer.field("busiest_link", use.busiest_name);
  });
}

}  // namespace

std::string synthesis_title(const CollectiveSynthesisAnswer& synthesis) {
  return fmt::format("{} of {} among {} of {}", synthesis.collective, format_bytes(synthesis.size),
                     ranks_text(synthesis), printable(synthesis.fabric_state.topology->name()));
}

void state_synthesis(report::Answer& answer, const CollectiveSynthesisAnswer& synthesis,
                     const Findings& findings) {
  const Time time = synthesis.made.time;
  const Bound& bound = synthesis.made.bound;
  answer.label_width(11).title(synthesis_title(synthesis));
  answer.field("collective", synthesis.collective);
  answer.field("fabric", synthesis.fabric_state.topology->name()).field("bytes", synthesis.size);
  answer.row("time", "time_ns", time,
             fmt::format("{}, {}", format_time(time), gap_text(synthesis.gap())));
  answer.field("gap_ratio", synthesis.gap());
  answer.line("bound", fmt::format("{}: bandwidth {}, latency {}", format_time(bound.total),
                                   format_time(bound.bandwidth), format_time(bound.latency)));
  answer.line("bottleneck", cut_text(bound)).object("bound", [&] {
    state_bound(answer, bound);
    answer.field("cut_latency_ns", bound.binding_cut.latency);
  });
  if (time > Time{}) {
    const Bandwidth rate(static_cast<double>(synthesis.size.count()) / seconds(time));
    answer.line("bandwidth", format_bandwidth(rate) + " (buffer / time)");
  }
  state_schedule(answer, synthesis);
  state_link_use(answer, synthesis.use);
  answer.row("method", "method", synthesis.made.method);
  answer.findings(findings);
  for (const std::string& note : synthesis.notes) answer.first(answer.style().warn(note));
  answer.list("notes", synthesis.notes);
}

}  // namespace orrery::present
