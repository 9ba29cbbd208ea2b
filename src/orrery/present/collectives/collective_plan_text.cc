// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/collectives/collective_plan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using study::CollectivePlanAnswer;
using study::PlanRun;
using synthesis::Plan;
using synthesis::PlanCheck;
using synthesis::PlanError;

namespace {

constexpr std::size_t kToldErrors = 5;

std::string counted_range(std::uint64_t least, std::uint64_t most, const std::string& what) {
  return least == most ? fmt::format("{} {}", least, what)
                       : fmt::format("{} to {} {}", least, most, what);
}

/// "4 chunks of input, 16 of output"
std::string buffers_text(const Plan& plan) {
  std::string text;
  for (std::size_t buffer = 0; buffer < synthesis::kPlanBuffers; ++buffer) {
    std::uint32_t least = ~0u, most = 0;
    for (const synthesis::PlanRank& rank : plan.ranks) {
      least = std::min(least, rank.chunks[buffer]);
      most = std::max(most, rank.chunks[buffer]);
    }
    if (most == 0) continue;
    const std::string of(synthesis::name(static_cast<synthesis::PlanBuffer>(buffer)));
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        counted_range(least, most, (text.empty() ? "chunks of " : "of ") + of));
  }
  if (plan.cut > 1) text += fmt::format("; a chunk of the file is {} of these", plan.cut);
  return text.empty() ? "not stated in chunks" : text;
}

std::string places_text(const Plan& plan) {
  if (plan.in_place && plan.out_of_place) return "in place or not";
  return plan.in_place ? "in place" : "out of place";
}

std::string sizes_text(const Plan& plan) {
  const auto bytes = [](std::int64_t count) { return format_bytes(Bytes(count)); };
  if (plan.max_bytes < 0)
    return plan.min_bytes > 0 ? bytes(plan.min_bytes) + " or more" : std::string();
  return fmt::format("{} to {}", bytes(std::max<std::int64_t>(plan.min_bytes, 0)),
                     bytes(plan.max_bytes));
}

std::string sent_text(const CollectivePlanAnswer& answer) {
  if (synthesis::whole_chunks(answer.plan) == 0) return "as many bytes as each trace says";
  const auto [least, most] =
      std::minmax_element(answer.chunks_sent.begin(), answer.chunks_sent.end());
  const std::string first = format_bytes(answer.bytes_of(*least));
  const std::string last = format_bytes(answer.bytes_of(*most));
  return fmt::format("{} for a buffer of {}", *least == *most ? first : first + " to " + last,
                     format_bytes(answer.size));
}

std::string verdict_text(const PlanCheck& check) {
  if (!check.is_valid())
    return fmt::format("no: {} {}", check.error_count,
                       check.error_count == 1 ? "mistake" : "mistakes");
  if (check.result_checked) return "yes: every chunk ends up where it should, whole and once";
  return fmt::format(
      "as far as can be told: messages match, nothing waits in a circle, nothing races, all is "
      "inside its buffers; {}",
      check.unchecked_reason);
}

std::string errors_text(const CollectivePlanAnswer& answer, report::Style style) {
  std::string text;
  const auto& errors = answer.check.errors;
  for (std::size_t i = 0; i < std::min(kToldErrors, errors.size()); ++i) {
    const PlanError& error = errors[i];
    const std::string at = error.has_step ? synthesis::to_text(answer.plan, error.at)
                                          : fmt::format("gpu {}", error.at.rank);
    text += fmt::format("\n{}: {}\n  {}\n", style.bad(at), synthesis::name(error.fault),
                        printable(error.what));
    if (i > 0) continue;  // the stories of the others are mostly the same
    for (const std::string& line : error.history) text += fmt::format("    {}\n", printable(line));
  }
  if (answer.check.error_count > kToldErrors)
    text += fmt::format("\nand {} more (--json has the first {})\n",
                        count(answer.check.error_count - kToldErrors), PlanCheck::kMaxErrors);
  return text;
}

void add_time(report::Sheet& sheet, const PlanRun& run, const std::string& of) {
  sheet.add("cluster", fmt::format("{}, network {}", printable(run.cluster), run.network));
  sheet.add("time", fmt::format("{} {}{}", format_time(run.time), of,
                                run.own ? fmt::format("; {} by the cluster's own algorithms",
                                                      format_time(*run.own))
                                        : ""));
}

void add_run(report::Sheet& sheet, const PlanRun& run) {
  add_time(sheet, run, "for " + format_bytes(run.size));
  if (run.algorithm_bandwidth == 0) return;
  const std::string bus =
      run.bus_bandwidth > 0
          ? fmt::format(", on the bus {}", format_bandwidth(Bandwidth(run.bus_bandwidth)))
          : "";
  sheet.add("bandwidth",
            format_bandwidth(Bandwidth(run.algorithm_bandwidth)) + bus + " (as nccl-tests has it)");
}

}  // namespace

namespace {

report::Sheet sheet_of(const CollectivePlanAnswer& answer, report::Style style) {
  const Plan& plan = answer.plan;
  report::Sheet sheet(style, 12);
  sheet.line(style.strong(fmt::format("{} ({} among {} GPUs, {})", printable(plan.name),
                                      printable(plan.collective_name), plan.ranks.size(),
                                      printable(plan.format))));
  sheet.add("buffers", fmt::format("{}, {}", buffers_text(plan), places_text(plan)));
  if (const std::string sizes = sizes_text(plan); !sizes.empty()) sheet.add("meant for", sizes);
  std::uint64_t least = ~0ull, most = 0;
  for (const synthesis::PlanRank& rank : plan.ranks) {
    least = std::min<std::uint64_t>(least, rank.blocks.size());
    most = std::max<std::uint64_t>(most, rank.blocks.size());
  }
  sheet.add("blocks",
            fmt::format("{} a GPU, on {} {}{}",
                        counted_range(least, most, most == 1 ? "thread block" : "thread blocks"),
                        plan.channels, plan.channels == 1 ? "channel" : "channels",
                        plan.protocol.empty() ? "" : ", protocol " + printable(plan.protocol)));
  sheet.add("steps", fmt::format("{}, at most {} in a block", count(synthesis::step_count(plan)),
                                 count(answer.longest_block)));
  sheet.add("each sends", sent_text(answer));
  sheet.add("right", verdict_text(answer.check));
  return sheet;
}

}  // namespace

std::string collective_plan_text(const CollectivePlanAnswer& answer, const Findings& findings,
                                 report::Style style) {
  report::Sheet sheet = sheet_of(answer, style);
  if (answer.run) add_run(sheet, *answer.run);
  report::add_findings(sheet, findings, style);
  return sheet.text() + errors_text(answer, style);
}

std::string collective_plans_text(const study::CollectivePlansAnswer& answer,
                                  const Findings& findings, report::Style style) {
  std::string text;
  for (const CollectivePlanAnswer& one : answer.plans)
    text += sheet_of(one, style).text() + errors_text(one, style) + "\n";
  report::Sheet sheet(style, 12);
  sheet.line(style.strong(fmt::format("all {} at once", answer.plans.size())));
  if (answer.run) {
    add_time(sheet, *answer.run, "until the last has ended");
  } else {
    const bool is_valid = std::all_of(answer.plans.begin(), answer.plans.end(),
                                      [](const auto& one) { return one.check.is_valid(); });
    sheet.add("right", is_valid ? "yes, each" : "no");
  }
  report::add_findings(sheet, findings, style);
  return text + sheet.text();
}

namespace {

void write_plan(JsonWriter& json, const CollectivePlanAnswer& answer) {
  const Plan& plan = answer.plan;
  json.field("name", std::string_view(plan.name)).field("format", std::string_view(plan.format));
  json.field("collective", std::string_view(plan.collective_name));
  json.field("ranks", std::uint64_t{plan.ranks.size()});
  json.field("in_place", plan.in_place).field("out_of_place", plan.out_of_place);
  json.field("chunks", std::uint64_t{synthesis::whole_chunks(plan)});
  json.field("blocks", synthesis::block_count(plan))
      .field("channels", std::uint64_t{plan.channels});
  json.field("steps", synthesis::step_count(plan)).field("longest_block", answer.longest_block);
  if (plan.min_bytes >= 0) json.field("min_bytes", plan.min_bytes);
  if (plan.max_bytes >= 0) json.field("max_bytes", plan.max_bytes);
  const auto [least, most] =
      std::minmax_element(answer.chunks_sent.begin(), answer.chunks_sent.end());
  json.field("bytes", answer.size.count()).key("min_max_sent_bytes").begin_array();
  json.value(answer.bytes_of(*least).count()).value(answer.bytes_of(*most).count()).end_array();
}

void write_check(JsonWriter& json, const CollectivePlanAnswer& answer) {
  const PlanCheck& check = answer.check;
  json.field("correct", check.is_valid()).field("result_checked", check.result_checked);
  if (!check.unchecked_reason.empty())
    json.field("unchecked_reason", std::string_view(check.unchecked_reason));
  json.field("error_count", check.error_count).key("errors").begin_array();
  for (const PlanError& error : check.errors) {
    json.begin_object().field("fault", synthesis::name(error.fault));
    json.field("rank", std::uint64_t{error.at.rank});
    if (error.has_step)
      json.field("block_index", std::uint64_t{error.at.block})
          .field("block_step", std::uint64_t{error.at.step});
    json.field("what", std::string_view(error.what)).key("history").begin_array();
    for (const std::string& line : error.history) json.value(std::string_view(line));
    json.end_array().end_object();
  }
  json.end_array();
}

void write_planned_run(JsonWriter& json, const PlanRun& run) {
  json.key("run").begin_object().field("cluster", std::string_view(run.cluster));
  json.field("network_model", std::string_view(run.network)).field("bytes", run.size.count());
  json.nanoseconds("time", run.time).field("messages", run.messages);
  if (run.algorithm_bandwidth > 0)
    json.field("algbw_bytes_per_s", run.algorithm_bandwidth)
        .field("busbw_bytes_per_s", run.bus_bandwidth);
  if (run.own) json.nanoseconds("own_time", *run.own);
  json.end_object();
}

}  // namespace

std::string collective_plan_json(const CollectivePlanAnswer& answer, const Findings& findings) {
  return report::envelope("plan", findings, [&](JsonWriter& json) {
    json.begin_object();
    write_plan(json, answer);
    write_check(json, answer);
    if (answer.run) write_planned_run(json, *answer.run);
    json.end_object();
  });
}

std::string collective_plans_json(const study::CollectivePlansAnswer& answer,
                                  const Findings& findings) {
  return report::envelope("plan", findings, [&](JsonWriter& json) {
    json.begin_object().key("per_plan").begin_array();
    for (const CollectivePlanAnswer& one : answer.plans) {
      json.begin_object();
      write_plan(json, one);
      write_check(json, one);
      json.end_object();
    }
    json.end_array();
    if (answer.run) write_planned_run(json, *answer.run);
    json.end_object();
  });
}

}  // namespace orrery::present
