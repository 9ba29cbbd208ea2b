// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_plans_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text/duration.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/search/search_space_labels.h"

namespace orrery::present {

using explore::ClusterAnswer;
using explore::PlanAnswer;
using explore::PlanSearch;
using report::Align;
using report::Value;

namespace {

std::string plan_gigabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

/// "1.2 s"; "1.2 s *" of an estimate
std::string step_text(const PlanAnswer& plan) {
  return format_time(plan.step()) + (plan.simulated ? "" : " *");
}

/// "+3.1 %": how much slower than the best.
std::string slower(const PlanAnswer& plan, const PlanAnswer& best) {
  if (&plan == &best || best.step().count() <= 0) return "";
  return signed_share(
      static_cast<double>(plan.step().count()) / static_cast<double>(best.step().count()) - 1);
}

/// The part of the step that grows most compared with the best plan: "computing +120 ms".
std::string why(const PlanAnswer& plan, const PlanAnswer& best) {
  if (!plan.parts || !best.parts || &plan == &best) return "";
  std::size_t most = 0;
  explore::PartTimes more{};
  for (std::size_t i = 0; i < more.size(); ++i) {
    more[i] = (*plan.parts)[i] - (*best.parts)[i];
    if (more[most] < more[i]) most = i;
  }
  if (more[most].count() <= 0) return "";
  return fmt::format("{} {}", explore::kStepParts[most].more, signed_time(more[most]));
}

void add_parts(report::Columns<PlanAnswer>& columns) {
  for (std::size_t i = 0; i < explore::kStepParts.size(); ++i) {
    const explore::StepPart& part = explore::kStepParts[i];
    columns
        .add(std::string(part.name), fmt::format("{}_ns", part.time_key),
             [i](const PlanAnswer& plan) {
               return plan.parts
                          ? Value((*plan.parts)[i]).shown(share((*plan.parts)[i], plan.step()))
                          : Value().shown("");
             })
        .omit_null();
  }
}

/// "58.3 days"; after the deadline "58.3 days (late)".
std::string duration_text(const PlanAnswer& plan) {
  if (!plan.budget) return "";
  return format_duration(plan.budget->elapsed) + (plan.budget->late ? " (late)" : "");
}

/// For programs.
void add_budget_fields(report::Columns<PlanAnswer>& columns) {
  const auto of_budget = [](const auto& get) {
    return
        [get](const PlanAnswer& plan) { return plan.budget ? Value(get(*plan.budget)) : Value(); };
  };
  columns.field("goodput_share", of_budget([](const auto& budget) { return budget.goodput; }))
      .omit_null()
      .field("elapsed_s", of_budget([](const auto& budget) { return budget.elapsed; }))
      .omit_null()
      .field("meets_deadline", of_budget([](const auto& budget) { return !budget.late; }))
      .omit_null();
}

report::Columns<PlanAnswer> plan_columns(const PlanSearch& search) {
  const auto best = [&search]() -> const PlanAnswer& { return search.best.front(); };
  report::Columns<PlanAnswer> columns;
  columns.show_number("step", step_text)
      .show_number("", [=](const auto& plan) { return slower(plan, best()); })
      .add("MFU", "mfu", [&](const auto& plan) { return report::Share{search.mfu(plan)}; });
  const auto by_format = [&search](const auto& plan) -> Value {
    const auto mfu = search.format_mfu(plan);
    return mfu ? Value(report::Share{*mfu}) : Value();
  };
  search.format_peak > 0 ? columns.add("by format", "format_mfu", by_format)
                         : columns.field("format_mfu", by_format);
  columns
      .add("memory", "memory_bytes",
           [](const auto& plan) { return Value(plan.memory).shown(plan_gigabytes(plan.memory)); })
      .add("", "verdict", [](const auto& plan) {
        return Value(name(plan.fit))
            .shown(std::string(plan.fit == MemoryFit::yes ? "" : text(plan.fit)));
      });
  if (std::ranges::any_of(search.best, [](const auto& plan) { return plan.budget.has_value(); }))
    columns.show_number("budget", duration_text);
  add_parts(columns);
  add_budget_fields(columns);
  columns.add("plan", "plan", [](const auto& plan) { return explore::plan_label(plan.spec); })
      .show("slower by", [=](const auto& plan) { return why(plan, best()); })
      .field("tp", [](const auto& plan) { return plan.spec.parallel.tp; })
      .field("sp", [](const auto& plan) { return plan.spec.parallel.sp; })
      .field("pp", [](const auto& plan) { return plan.spec.parallel.pp; })
      .field("cp", [](const auto& plan) { return plan.spec.parallel.cp; })
      .field("dp", [](const auto& plan) { return plan.spec.parallel.dp; })
      .field("ep", [](const auto& plan) { return plan.spec.parallel.ep; })
      .field("micro_batch", [](const auto& plan) { return plan.spec.batch.micro; })
      .field("chunks", [](const auto& plan) { return plan.spec.schedule.chunks; })
      .field("estimate_ns", &PlanAnswer::estimate)
      .omit_null()
      .field("simulated_ns", &PlanAnswer::simulated)
      .omit_null()
      .field("specification", [](const auto& plan) { return workload::to_json(plan.spec); });
  return columns;
}

std::string batch_text(const PlanSearch& search) {
  const std::string samples = format_count(search.samples) + " samples";
  return search.tokens > 0 ? fmt::format("{}, {} tokens", samples, format_count(search.tokens))
                           : samples;
}

/// "no plan fits: the smallest needs 90.1 GB, a device has 80.0 GB (tp 8)"
std::string no_plan_text(const PlanSearch& search) {
  if (!search.smallest) return "no plan fits\n";
  return fmt::format("no plan fits: the smallest needs {}, a device has {} ({})\n",
                     plan_gigabytes(search.smallest->memory), plan_gigabytes(search.memory),
                     explore::plan_label(search.smallest->spec));
}

/// How the plans in the table were evaluated.
void state_evaluation(report::Answer& answer, const PlanSearch& search) {
  answer.field("closed_form", search.in_columns).field("estimated", search.detailed);
  answer.field("max_closed_form_error", search.columns_error);
  answer.field("max_estimate_error", search.max_estimate_error);
  if (search.best.empty()) {
    answer.block(no_plan_text(search));
    return;
  }
  const bool all = std::ranges::all_of(
      search.best, [](const PlanAnswer& plan) { return plan.simulated.has_value(); });
  const bool both = std::ranges::any_of(
      search.best, [](const PlanAnswer& plan) { return plan.simulated && plan.estimate; });
  if (!all)
    answer.note("* estimated: operations with their contention-free times (docs/search.md)");
  if (both)
    answer.note("Estimates " + estimate_error_text(search.max_estimate_error,
                                                   all && search.fitting <= search.best.size()));
  if (search.in_columns > 0)
    answer.note(fmt::format(
        "{} of the {} plans that fit are estimated in closed form, error up to {:.1f} %; {} in "
        "detail.",
        search.in_columns, search.fitting, std::abs(search.columns_error) * 100, search.detailed));
}

/// A figure of the best plan; null where no plan fits.
template <class Get>
report::Columns<ClusterAnswer>::GetValue of_best(const Get& get) {
  return [get](const ClusterAnswer& cluster) {
    return cluster.fits() ? Value(get(cluster, cluster.search.best.front())) : Value();
  };
}

void add_cluster_budget(report::Columns<ClusterAnswer>& columns, bool priced) {
  columns
      .show_number(
          "budget",
          [](const auto& one) { return one.fits() ? duration_text(one.search.best.front()) : ""; })
      .add(priced ? "total cost" : "device hours", "budget_cost",
           [](const ClusterAnswer& one) {
             const auto cost = one.budget_cost();
             return cost
                        ? Value(*cost).shown(count(static_cast<std::uint64_t>(std::llround(*cost))))
                        : Value();
           })
      .omit_null()
      .align(Align::right);
}

report::Columns<ClusterAnswer> cluster_columns(bool tokens, bool priced, bool budget) {
  report::Columns<ClusterAnswer> columns;
  columns.add("cluster", "cluster", [](const auto& one) { return one.search.cluster; })
      .add("devices", "devices", [](const auto& one) { return one.search.devices; })
      .field("samples", [](const auto& one) { return one.search.samples; })
      .field("tokens", [](const auto& one) { return one.search.tokens; })
      .field("device_hour_price", &ClusterAnswer::price)
      .add("step", "", of_best([](const auto&, const PlanAnswer& best) {
             return Value(best.step()).shown(step_text(best));
           }))
      .align(Align::right)
      .add(tokens ? "tokens/s" : "samples/s", "items_per_s",
           of_best([](const auto& one, const auto&) {
             return Value(one.rate()).shown(count(static_cast<std::uint64_t>(one.rate())));
           }))
      .omit_null()
      .align(Align::right)
      .add("MFU", "", of_best([](const auto& one, const PlanAnswer& best) {
             return report::Share{one.search.mfu(best)};
           }))
      .align(Align::right)
      .add(priced ? "cost per step" : "device hours", "step_cost",
           of_best([](const auto& one, const auto&) { return one.cost(); }))
      .omit_null()
      .align(Align::right)
      .add("per 1e9", "", of_best([](const auto& one, const PlanAnswer& best) {
             return one.cost() / (one.rate() * seconds(best.step())) * 1e9;
           }))
      .align(Align::right);
  if (budget) add_cluster_budget(columns, priced);
  columns
      .add("front", "front", &ClusterAnswer::front,
           [](const auto& one) { return one.front ? "yes" : ""; })
      .show("best plan",
            [](const auto& one) {
              return one.fits() ? explore::plan_label(one.search.best.front().spec) : "none fits";
            })
      .members([](auto& json, const auto& one) {
        if (!one.fits()) return;
        write_object(json.key("best_plan"), one.search.best.front(), plan_columns(one.search));
      });
  return columns;
}

void state_token_budget(report::Answer& answer, const explore::BudgetQuestion& budget) {
  if (!budget.given()) return;
  std::string text = count(static_cast<std::uint64_t>(std::min(budget.tokens, 1e18))) + " tokens";
  if (budget.deadline) text += " in " + format_duration(budget.deadline->seconds);
  text += budget.goodput ? fmt::format("; goodput {:.1f} %", *budget.goodput * 100)
                         : std::string("; goodput with published failure rates (docs/goodput.md)");
  answer.row("budget", "token_budget", Value(budget.tokens), text);
  answer.optional_field("deadline_s", budget.deadline ? Value(budget.deadline->seconds) : Value());
}

}  // namespace

void state_search_plans(report::Answer& answer, const PlanSearch& search,
                        const explore::BudgetQuestion& budget) {
  answer.row("cluster", "cluster", search.cluster,
             fmt::format("{}: {}", printable(search.cluster),
                         plural(static_cast<std::uint64_t>(search.devices), "device")));
  answer.field("devices", search.devices).field("capacity_bytes", search.memory);
  answer.row("step", "samples", search.samples, batch_text(search)).field("tokens", search.tokens);
  answer.row("plans", "plans", search.plans,
             fmt::format("{}, of which {} fit", count(search.plans), count(search.fitting)));
  state_token_budget(answer, budget);
  answer.field("fitting", search.fitting).field("too_large", search.too_large);
  answer.field("not_estimated", search.needs_simulation);
  if (answer.is_json()) answer.findings(search.findings);
  for (const Finding& finding : search.findings.list()) {
    const FindingInfo about = describe(finding.code);
    answer.line("finding", fmt::format("{}: {}", about.name,
                                       finding.places.empty() ? std::string(about.sentence)
                                                              : printable(finding.places.front())));
  }
  answer.table("best", search.best, plan_columns(search), {.width = 150});
  state_evaluation(answer, search);
  state_numbers(answer, "illegal_by_rule", search.illegal);
  const std::string memory = "needs more than the " + plan_gigabytes(search.memory) + " per device";
  state_rejections(answer, "plans", "skipped because",
                   rejections(search.too_large, memory, search.needs_simulation, search.illegal));
}

void state_search_clusters(report::Answer& answer, const std::vector<ClusterAnswer>& clusters,
                           bool priced, const explore::BudgetQuestion& budget) {
  const PlanSearch& any = clusters.front().search;
  answer.line("step", batch_text(any)).field("priced", priced);
  state_token_budget(answer, budget);
  answer.table("clusters", clusters, cluster_columns(any.tokens > 0, priced, budget.given()),
               {.width = 150});
  answer.note("front: Pareto front (step time, cost)");
}

}  // namespace orrery::present
