// SPDX-License-Identifier: Apache-2.0
#include "addons/calculon/text/calculon_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/config/parameters.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

namespace calculon = estimate::calculon;

namespace {

std::string calculon_time(double seconds) {
  return format_time(Time(static_cast<std::int64_t>(std::min(seconds, 4e6) * 1e12 + 0.5)));
}

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

/// What the plan says beside its parallelisms.
std::string more(const calculon::Plan& plan) {
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

}  // namespace

std::string calculon_step_text(const CalculonStep& predicted, report::Style style) {
  const calculon::Times& times = predicted.step.times;
  const calculon::Space& space = predicted.step.space;
  const double total = times.total();
  report::Sheet sheet(style);
  sheet.add("step", calculon_time(total));
  sheet.add("samples",
            fmt::format("{:.3f} a second", static_cast<double>(predicted.plan.batch_size) / total));
  const auto flop = predicted.step.block.useful_flop();
  const auto blocks = static_cast<double>(
      (predicted.model.num_blocks + predicted.plan.pipeline_par - 1) / predicted.plan.pipeline_par);
  const double peak =
      predicted.machine.matrix[static_cast<std::size_t>(predicted.plan.datatype)]->peak;
  sheet.add("of the peak",
            report::percent(blocks * static_cast<double>(predicted.plan.microbatches()) * flop /
                            peak / total));
  sheet.add("memory", gibibytes(space.near) + " near, " + gibibytes(space.far) + " far");
  report::Table table({{"part"}, {"time", true}, {"share", true}, {"on links", true}});
  const auto row = [&](std::string_view name, double seconds, double link) {
    if (seconds == 0 && link <= 0) return;
    table.row({std::string(name), calculon_time(seconds), report::percent(seconds / total),
               link > 0 ? calculon_time(link) : ""});
  };
  row("forward", times.forward, -1);
  row("backward", times.backward, -1);
  row("recomputed", times.recompute, -1);
  row("optimizer", times.optimizer, -1);
  row("bubble", times.bubble, -1);
  row("tensor parallel", times.tensor, times.tensor_link);
  row("tensor parallel, again", times.again, times.again_link);
  row("pipeline", times.pipeline, times.pipeline_link);
  row("data parallel", times.data, times.data_link);
  row("offload, forward", times.offload_forward, -1);
  row("offload, backward", times.offload_backward, -1);
  sheet.add("model", "Calculon's closed form: block by block, networks by bandwidth alone");
  return sheet.text() + "\n" + table.text(style);
}

std::string calculon_step_json(const CalculonStep& predicted) {
  return report::envelope("calculon", {}, [&](report::JsonWriter& json) {
    json.begin_object().key("execution");
    write_plan(json, predicted.plan);
    json.key("statistics").begin_object();
    for (const auto& [name, value] :
         calculon::statistics(predicted.model, predicted.machine, predicted.plan, predicted.step)) {
      json.key(name);
      if (value) {
        json.value(*value);
      } else {
        json.null();
      }
    }
    json.end_object().end_object();
  });
}

std::string calculon_search_text(const calculon::Search& search, report::Style style) {
  report::Sheet sheet(style);
  sheet.add("candidates", count(search.candidates));
  sheet.add("that fit", fmt::format("{} ({})", count(search.feasible),
                                    report::percent(static_cast<double>(search.feasible) /
                                                    static_cast<double>(std::max<std::uint64_t>(
                                                        search.candidates, 1)))));
  std::string text = sheet.text() + "\n";
  report::Table table({{"samples/s", true},
                       {"step", true},
                       {"TP", true},
                       {"PP", true},
                       {"DP", true},
                       {"mb", true},
                       {"chunks", true},
                       {"nets"},
                       {"recompute"},
                       {"offload"},
                       {"near", true},
                       {"with"}});
  for (const calculon::Found& one : search.best) {
    const calculon::Plan& plan = one.plan;
    table.row(
        {fmt::format("{:.3f}", one.samples_per_second), calculon_time(one.seconds),
         std::to_string(plan.tensor_par), std::to_string(plan.pipeline_par),
         std::to_string(plan.data_par), std::to_string(plan.microbatch_size),
         std::to_string(plan.pipeline_interleaving),
         fmt::format("{}/{}/{}", plan.tensor_par_net, plan.pipeline_par_net, plan.data_par_net),
         std::string(config::enum_name(plan.activation_recompute)), offloaded(plan),
         gibibytes(one.space.near), more(plan)});
  }
  if (!search.best.empty()) text += table.text(style, 0, 120) + "\n";
  report::Table refused({{"refused", true}, {"because"}});
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < calculon::kRefusalCount; ++i)
    if (search.refused[i] > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return search.refused[a] > search.refused[b];
  });
  for (const std::size_t i : order)
    refused.row({count(search.refused[i]),
                 std::string(calculon::about(static_cast<calculon::Refusal>(i)))});
  return refused.empty() ? text : text + refused.text(style);
}

std::string calculon_search_json(const calculon::Search& search) {
  return report::envelope("calculon", {}, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("candidates", static_cast<std::int64_t>(search.candidates))
        .field("feasible", static_cast<std::int64_t>(search.feasible))
        .key("rejections")
        .begin_array();
    for (std::size_t i = 0; i < calculon::kRefusalCount; ++i) {
      if (search.refused[i] == 0) continue;
      json.begin_object()
          .field("count", static_cast<std::int64_t>(search.refused[i]))
          .field("reason", calculon::about(static_cast<calculon::Refusal>(i)))
          .end_object();
    }
    json.end_array().key("best").begin_array();
    for (const calculon::Found& one : search.best) {
      json.begin_object()
          .field("samples_per_s", one.samples_per_second)
          .nanoseconds("step", one.seconds * 1e9)
          .field("near_bytes", one.space.near)
          .field("far_bytes", one.space.far)
          .key("execution");
      write_plan(json, one.plan);
      json.end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
