// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/goodput_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "orrery/core/text/duration.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using report::Share;
using report::Value;
using study::FailureModel;
using study::Goodput;

namespace {

/// Null where it is infinite.
Value finite(double number) { return std::isfinite(number) ? Value(number) : Value(); }

std::string time_share_text(double share) { return fmt::format("{:.2f} %", share * 100); }

/// "79,228 h": times between failures are compared in one unit.
std::string hours_text(double seconds) {
  if (!std::isfinite(seconds)) return "never";
  return count(static_cast<std::uint64_t>(std::llround(seconds / kSecondsPerHour))) + " h";
}

std::string checkpoint_size_text(double bytes) {
  return format_bytes(Bytes(static_cast<std::int64_t>(std::llround(bytes))));
}

void state_failures(report::Answer& answer, const FailureModel& model) {
  answer.field("devices", model.devices).field("hosts", model.nodes);
  answer.field("devices_per_node", model.devices_per_node);
  answer.row("failures", "mtbf_s", finite(model.job.mtbf),
             std::isfinite(model.job.mtbf)
                 ? fmt::format("one in {} ({})", format_duration(model.job.mtbf), model.rates)
                 : "none");
  answer.line("", fmt::format("MTBF of each of {}: {}; of each of {}, for other causes: {}",
                              plural(static_cast<std::uint64_t>(model.devices), "device"),
                              hours_text(model.device_mtbf.value),
                              plural(static_cast<std::uint64_t>(model.nodes), "node"),
                              hours_text(model.node_mtbf.value)));
  answer.field("device_mtbf_s", finite(model.device_mtbf.value));
  answer.field("node_mtbf_s", finite(model.node_mtbf.value));
  answer.field("failure_source", model.device_mtbf.source);
}

void state_checkpoint(report::Answer& answer, const Goodput& goodput) {
  const FailureModel& model = goodput.failures;
  const bool by_size = model.job.write == model.read;
  answer.row(
      "checkpoint", "checkpoint_bytes",
      Value(static_cast<std::int64_t>(std::llround(model.checkpoint.value))),
      fmt::format("{} ({}): {} at {} ({})", checkpoint_size_text(model.checkpoint.value),
                  model.checkpoint.source, format_duration(model.read),
                  format_bandwidth(Bandwidth(model.bandwidth.value)), model.bandwidth.source));
  if (!by_size)
    answer.line(
        "", fmt::format("training stops for {} (configured)", format_duration(model.job.write)));
  answer.field("checkpoint_source", model.checkpoint.source);
  answer.field("checkpoint_bytes_per_s", model.bandwidth.value);
  answer.field("bandwidth_source", model.bandwidth.source);
  answer.field("write_s", model.job.write).field("read_s", model.read);
  std::string optima =
      fmt::format("Young {}, Daly {}", format_duration(model.young), format_duration(model.daly));
  if (goodput.simulated_interval > 0)
    optima += fmt::format(", simulated {}", format_duration(goodput.simulated_interval));
  const bool fails = std::isfinite(model.job.mtbf);
  answer.row(
      "interval", "interval_s", finite(model.job.interval),
      std::isfinite(model.job.interval)
          ? fmt::format("{} ({})", format_duration(model.job.interval), model.interval_source)
          : "no checkpoints: nothing fails");
  if (fails) answer.line("", "optimum: " + optima);
  answer.field("interval_source", model.interval_source);
  answer.field("young_interval_s", finite(model.young));
  answer.field("daly_interval_s", finite(model.daly));
  answer.field("best_interval_s", finite(model.best));
  answer.field("simulated_interval_s",
               goodput.simulated_interval > 0 ? Value(goodput.simulated_interval) : Value());
}

void state_recovery(report::Answer& answer, const FailureModel& model) {
  std::string parts = fmt::format("{} to restart, {} to read the checkpoint",
                                  format_duration(model.restart), format_duration(model.read));
  if (model.reshard > 0) parts += fmt::format(", {} to re-shard", format_duration(model.reshard));
  answer.row("recovery", "recovery_s", Value(model.job.restart),
             fmt::format("{}: {}", format_duration(model.job.restart), parts));
  answer.field("restart_s", model.restart).field("reshard_s", model.reshard);
  const model::SpareNodes& spare = model.nodes_to_spare;
  answer.row("spare nodes", "spare_nodes", spare.always_free ? Value() : Value(spare.spares),
             spare.always_free ? "one is always free (assumed)"
                               : fmt::format("{}; a failed node returns after {} on average",
                                             count(static_cast<std::uint64_t>(spare.spares)),
                                             format_duration(spare.repair)));
  answer.field("repair_s", spare.always_free ? Value() : Value(spare.repair));
}

/// A part of the time, in closed form and simulated.
struct SharePart {
  const char* name;
  const char* key;
  double model::TimeShares::*share;
};
constexpr std::array kParts{
    SharePart{"training", "training_share", &model::TimeShares::training},
    SharePart{"checkpoints", "writing_share", &model::TimeShares::writing},
    SharePart{"lost work", "lost_share", &model::TimeShares::lost},
    SharePart{"restarts", "restarting_share", &model::TimeShares::restarting},
    SharePart{"waiting for nodes", "waiting_share", &model::TimeShares::waiting}};

void write_shares(report::Answer& answer, const char* key, const model::TimeShares& shares) {
  answer.json(key, [&](report::JsonWriter& json) {
    json.begin_object();
    for (const SharePart& part : kParts) json.field(part.key, shares.*part.share);
    json.end_object();
  });
}

void state_shares(report::Answer& answer, const Goodput& goodput) {
  const model::TimeShares& closed = goodput.failures.shares;
  const model::SimulatedJob& run = goodput.simulation;
  write_shares(answer, "time_split", closed);
  if (run.failures == 0) return;
  write_shares(answer, "simulated_split", run.shares);
  answer.field("simulated_failures", run.failures);
  answer.field("simulated_error", run.shares.training / closed.training - 1);
  report::Columns<SharePart> columns;
  columns.show("time", [](const auto& part) { return std::string(part.name); })
      .show_number("closed form",
                   [&](const auto& part) { return time_share_text(closed.*part.share); })
      .show_number("simulated",
                   [&](const auto& part) { return time_share_text(run.shares.*part.share); });
  answer.table("", kParts, columns);
  answer.note(fmt::format("Simulated: {} failures; its goodput differs by {:+.2f} %.",
                          count(run.failures), (run.shares.training / closed.training - 1) * 100));
}

std::string money(double cost) {
  return cost < 1000 ? fmt::format("{:.4g}", cost)
                     : count(static_cast<std::uint64_t>(std::llround(cost)));
}

void state_speed(report::Answer& answer, const Goodput& goodput) {
  if (goodput.step_items == 0) return;
  const double rate = goodput.rate() * goodput.failures.shares.training;
  const char* items = goodput.tokens ? "tokens" : "samples";
  answer.end_section();
  answer.row("effective", "effective_items_per_s", Value(rate),
             fmt::format("{} {}/s; {} without failures",
                         count(static_cast<std::uint64_t>(std::llround(rate))), items,
                         count(static_cast<std::uint64_t>(std::llround(goodput.rate())))));
  if (!goodput.price) return;
  const double each =
      *goodput.price * static_cast<double>(goodput.failures.devices) / kSecondsPerHour / rate * 1e6;
  answer.row("cost", "cost_per_1e6_items", Value(each),
             fmt::format("{} per million {}, at {:.4g} per device hour", money(each), items,
                         *goodput.price));
  answer.field("device_hour_price", *goodput.price);
}

void state_budget(report::Answer& answer, const Goodput& goodput) {
  if (!goodput.budget) return;
  const study::BudgetPrediction& budget = *goodput.budget;
  const std::string text =
      fmt::format("{} for {} tokens; {} without failures", format_duration(budget.elapsed),
                  count(static_cast<std::uint64_t>(std::min(budget.tokens, 1e18))),
                  format_duration(budget.without_failures));
  answer.object("budget", [&] {
    answer.field("token_budget", budget.tokens);
    answer.row("duration", "elapsed_s", Value(budget.elapsed), text);
    answer.field("without_failures_s", budget.without_failures);
    answer.json("elapsed_range_s", [&](report::JsonWriter& json) {
      if (!budget.range) {
        json.null();
        return;
      }
      json.begin_array().value(budget.range->first).value(budget.range->second).end_array();
    });
    if (budget.range)
      answer.line("", fmt::format("80 % of {} simulated runs: {} to {} (chance of failures only)",
                                  count(budget.runs), format_duration(budget.range->first),
                                  format_duration(budget.range->second)));
    if (budget.deadline)
      answer.row("deadline", "meets_deadline", Value(!budget.late()),
                 fmt::format("{}: {}", format_duration(*budget.deadline),
                             budget.late() ? answer.style().bad("missed") : "met"));
    if (budget.deadline) answer.field("deadline_s", *budget.deadline);
    if (budget.cost)
      answer.row("total cost", "budget_cost", Value(*budget.cost), money(*budget.cost));
  });
}

}  // namespace

void state_goodput(report::Answer& answer, const Goodput& goodput) {
  const double share = goodput.failures.shares.training;
  answer.title(fmt::format("goodput {}: {}{}", time_share_text(share),
                           goodput.name.empty() ? "" : printable(goodput.name) + " on ",
                           printable(goodput.cluster)));
  answer.field("goodput_share", share).field("cluster", goodput.cluster);
  answer.field("workload_name", report::text_or_null(goodput.name));
  std::string step =
      fmt::format("{} ({})", format_duration(goodput.step.value), goodput.step.source);
  if (goodput.step_items > 0)
    step += fmt::format(", {} {}", count(static_cast<std::uint64_t>(goodput.step_items)),
                        goodput.tokens ? "tokens" : "samples");
  answer.row("step", "step_s", Value(goodput.step.value), step);
  answer.field("step_source", goodput.step.source);
  answer.field(goodput.tokens ? "tokens" : "samples", goodput.step_items);
  state_failures(answer, goodput.failures);
  state_checkpoint(answer, goodput);
  state_recovery(answer, goodput.failures);
  state_shares(answer, goodput);
  state_speed(answer, goodput);
  state_budget(answer, goodput);
  answer.findings(goodput.findings);
}

}  // namespace orrery::present
