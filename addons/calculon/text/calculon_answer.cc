// SPDX-License-Identifier: Apache-2.0
#include "addons/calculon/text/calculon_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "orrery/config/parameters.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

namespace calculon = estimate::calculon;

namespace {

std::string gibibytes(double bytes) { return fmt::format("{:.1f} GiB", bytes / (1 << 30)); }

/// "w,a,o": weights, activations, optimizer state
std::string offloaded(const calculon::Plan& plan) {
  std::string text;
  const auto add = [&](bool is, std::string_view what) {
    if (is) text += (text.empty() ? "" : ",") + std::string(what);
  };
  add(plan.weight_offload, "w");
  add(plan.activations_offload, "a");
  add(plan.optimizer_offload, "o");
  return text.empty() ? "-" : text;
}

/// Options of the plan other than its parallelism.
std::string other_options(const calculon::Plan& plan) {
  std::string text = fmt::format("{}", config::enum_name(plan.tensor_par_comm_type));
  if (plan.tensor_par_overlap != calculon::Overlap::none)
    text += fmt::format(" {}", config::enum_name(plan.tensor_par_overlap));
  if (plan.seq_par_ag_redo) text += " redo";
  if (plan.optimizer_sharding) text += " shard";
  if (plan.data_par_overlap) text += " overlap";
  return text;
}

void write_plan(report::JsonWriter& json, const calculon::Plan& plan) {
  const config::OrderedJson tree = config::write_value(plan);
  json.begin_object();
  for (const auto& [key, value] : tree.items()) {
    if (value.is_boolean()) {
      json.field(key, value.get<bool>());
    } else if (value.is_number_integer()) {
      json.field(key, value.get<std::int64_t>());
    } else {
      json.field(key, value.get<std::string>());
    }
  }
  json.end_object();
}

/// Useful FLOP rate of the step, as a share of the device's peak.
double share_of_peak(const CalculonStep& question) {
  const calculon::Plan& plan = question.plan;
  const auto blocks =
      static_cast<double>((question.model.num_blocks + plan.pipeline_par - 1) / plan.pipeline_par);
  const double peak = question.machine.matrix[static_cast<std::size_t>(plan.datatype)]->peak;
  return blocks * static_cast<double>(plan.microbatches()) * question.step.block.useful_flop() /
         peak / question.step.times.total();
}

/// A part of the step, in seconds.
struct Part {
  std::string_view name;
  double exposed = 0;
  double on_links = 0;
};

void state_parts(report::Answer& answer, const calculon::Times& times) {
  std::vector<Part> parts{
      {"forward", times.forward},
      {"backward", times.backward},
      {"recomputed", times.recompute},
      {"optimizer", times.optimizer},
      {"bubble", times.bubble},
      {"tensor parallel", times.tensor, times.tensor_link},
      {"tensor parallel, recomputed", times.tensor_recompute, times.tensor_recompute_link},
      {"pipeline", times.pipeline, times.pipeline_link},
      {"data parallel", times.data, times.data_link},
      {"offload, forward", times.offload_forward},
      {"offload, backward", times.offload_backward}};
  std::erase_if(parts, [](auto& part) { return part.exposed == 0 && part.on_links <= 0; });
  report::Columns<Part> columns;
  columns.add("part", "", [](auto& part) { return part.name; })
      .add("time", "", [](auto& part) { return seconds_value(part.exposed); })
      .add("share", "", [&](auto& part) { return report::Share{part.exposed / times.total()}; })
      .add("on links", "", [](auto& part) {
        return part.on_links > 0 ? seconds_value(part.on_links) : report::Value().shown("");
      });
  answer.table("", parts, columns);
}

report::Columns<calculon::RankedPlan> plan_columns() {
  using calculon::Plan;
  report::Columns<calculon::RankedPlan> columns;
  columns
      .add("samples/s", "samples_per_s",
           [](auto& found) {
             const double rate = found.samples_per_second;
             return report::Value(rate).shown(fmt::format("{:.3f}", rate));
           })
      .add("step", "step_ns", [](auto& found) { return seconds_value(found.seconds); });
  for (const auto& [title, number] :
       {std::pair{"TP", &Plan::tensor_par}, std::pair{"PP", &Plan::pipeline_par},
        std::pair{"DP", &Plan::data_par}, std::pair{"mb", &Plan::microbatch_size},
        std::pair{"chunks", &Plan::pipeline_interleaving}})
    columns.show_number(
        title, [number = number](auto& found) { return std::to_string(found.plan.*number); });
  columns
      .show("nets",
            [](auto& found) {
              const Plan& plan = found.plan;
              return fmt::format("{}/{}/{}", plan.tensor_par_net, plan.pipeline_par_net,
                                 plan.data_par_net);
            })
      .add("recompute", "",
           [](auto& found) { return config::enum_name(found.plan.activation_recompute); })
      .show("offload", [](auto& found) { return offloaded(found.plan); })
      .add("near", "near_bytes",
           [](auto& found) {
             return report::Value(found.space.tier1).shown(gibibytes(found.space.tier1));
           })
      .field("far_bytes", [](auto& found) { return found.space.tier2; })
      .show("options", [](auto& found) { return other_options(found.plan); })
      .nested("execution", [](auto& json, auto& found) { write_plan(json, found.plan); });
  return columns;
}

struct Rejection {
  std::uint64_t count = 0;
  std::string_view reason;
};

/// Programs get the reasons in Calculon's order, people the most frequent first.
void state_rejections(report::Answer& answer, const calculon::Search& search) {
  std::vector<Rejection> rejections;
  for (std::size_t i = 0; i < calculon::kRefusalCount; ++i)
    if (search.refused[i] > 0)
      rejections.push_back({search.refused[i], about(static_cast<calculon::Refusal>(i))});
  report::Columns<Rejection> columns;
  columns.add("refused", "count", [](auto& row) { return row.count; })
      .add("reason", "reason", [](auto& row) { return row.reason; });
  if (!answer.is_json())
    std::stable_sort(rejections.begin(), rejections.end(),
                     [](auto& a, auto& b) { return a.count > b.count; });
  answer.table("rejections", rejections, columns);
}

}  // namespace

void state_calculon_step(report::Answer& answer, const CalculonStep& question) {
  const calculon::Space& space = question.step.space;
  const double step = question.step.times.total();
  answer.line("step", seconds_text(step));
  answer.line("samples", fmt::format("{:.3f} per second",
                                     static_cast<double>(question.plan.batch_size) / step));
  answer.line("share of peak", report::percent(share_of_peak(question)));
  answer.line("memory", gibibytes(space.tier1) + " near, " + gibibytes(space.tier2) + " far");
  answer.line("model", "Calculon's closed form: block by block, networks by bandwidth alone");
  state_parts(answer, question.step.times);
  answer.json("execution", [&](report::JsonWriter& json) { write_plan(json, question.plan); });
  answer.object("statistics", [&] {
    for (const auto& [name, value] :
         calculon::statistics(question.model, question.machine, question.plan, question.step))
      answer.field(name, value);
  });
}

void state_calculon_search(report::Answer& answer, const calculon::Search& search) {
  answer.row("candidates", "candidates", search.candidates);
  answer.row("feasible", "feasible", search.feasible,
             fmt::format("{} ({})", count(search.feasible),
                         report::percent(
                             static_cast<double>(search.feasible) /
                             static_cast<double>(std::max<std::uint64_t>(search.candidates, 1)))));
  answer.table("best", search.best, plan_columns(), {.width = 120});
  state_rejections(answer, search);
}

}  // namespace orrery::present
