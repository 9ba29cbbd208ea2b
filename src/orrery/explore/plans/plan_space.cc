// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/plan_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/config/parameters.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::explore {

using workload::RecomputeKind;
using workload::ScheduleKind;
using workload::Sharding;
using workload::Spec;

namespace {

template <class T>
std::vector<T> in_order(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Parses "2,4,8"; `chosen` if empty.
Result<std::vector<std::int64_t>> numbers(const std::string& text, const char* option,
                                          std::vector<std::int64_t> chosen) {
  if (text.empty()) return chosen;
  std::vector<std::int64_t> values;
  for (const std::string_view part : list_items(text)) {
    const auto value = parse_integer(part, option);
    if (!value || *value < 1 || *value > 1 << 24)
      return fail(Errc::usage, option, fmt::format("{} is not a valid number", in_quotes(part)),
                  "give one number, or several separated by commas: 2,4,8");
    values.push_back(*value);
  }
  return in_order(std::move(values));
}

template <class E>
Result<std::vector<E>> words(const std::string& text, const char* option, std::vector<E> chosen) {
  if (text.empty()) return chosen;
  std::vector<E> values;
  for (const std::string_view part : list_items(text)) {
    const auto& names = config::EnumNames<E>::names;
    const auto name = std::find_if(std::begin(names), std::end(names),
                                   [&](const auto& one) { return one.first == part; });
    if (name == std::end(names))
      return fail(Errc::usage, option, fmt::format("{} is not a valid value", in_quotes(part)),
                  "valid values: " + join(config::enum_names<E>()));
    values.push_back(name->second);
  }
  return in_order(std::move(values));
}

/// Whether a schedule supports `chunks` model chunks per rank.
bool goes_with(ScheduleKind kind, std::int64_t chunks) {
  const workload::ScheduleEntry* schedule = workload::find_schedule(kind);
  return schedule == nullptr ? chunks == 1 : workload::allows(schedule->chunks, chunks);
}

std::vector<std::int64_t> powers_of_two(std::int64_t most) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = 1; value <= most; value *= 2) values.push_back(value);
  return values;
}

/// Values of cp, unless the job already splits sequences.
std::vector<std::int64_t> context_of(const Spec& base) {
  constexpr std::int64_t kFew = 8192;  // minimum tokens per rank
  if (base.parallel.cp > 1 || !workload::has_tokens(base)) return {base.parallel.cp};
  return powers_of_two(std::max<std::int64_t>(base.batch.seq / kFew, 1));
}

std::vector<std::int64_t> divisors(std::int64_t of, std::int64_t most) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = 1; value <= std::min(of, most); ++value)
    if (of % value == 0) values.push_back(value);
  return values;
}

}  // namespace

Result<PlanSpace> plan_space_of(const study::JobDescription& job, const Spec& base,
                                std::int64_t devices, std::int64_t island) {
  PlanSpace space;
  const workload::Model& model = base.model;
  const std::int64_t layers = std::max<std::int64_t>(model.layers, 1);
  const auto read = [](auto& into, auto made) -> Result<void> {
    if (!made) return tl::unexpected(made.error());
    into = *std::move(made);
    return {};
  };
  if (auto done = read(space.tp, numbers(job.tp, "--tp", powers_of_two(island))); !done)
    return tl::unexpected(done.error());
  if (auto done = read(space.pp, numbers(job.pp, "--pp", divisors(layers, devices))); !done)
    return tl::unexpected(done.error());
  if (auto done = read(space.cp, numbers(job.cp, "--cp", context_of(base))); !done)
    return tl::unexpected(done.error());
  const std::int64_t experts = model.moe ? model.moe->experts : 1;
  if (auto done = read(space.ep, numbers(job.ep, "--ep", powers_of_two(experts))); !done)
    return tl::unexpected(done.error());
  if (auto done = read(space.micro, numbers(job.micro_batch, "--micro-batch", {1, 2, 4, 8})); !done)
    return tl::unexpected(done.error());
  if (auto done = read(space.chunks, numbers(job.chunks, "--chunks", {1, 2, 4})); !done)
    return tl::unexpected(done.error());
  if (auto done = read(space.sharding, words(job.sharding, "--sharding",
                                             std::vector{Sharding::zero1, Sharding::zero3}));
      !done)
    return tl::unexpected(done.error());
  if (auto done = read(space.schedule,
                       words(job.schedule, "--schedule",
                             std::vector{ScheduleKind::one_f_one_b, ScheduleKind::interleaved}));
      !done)
    return tl::unexpected(done.error());
  const std::vector all{RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full};
  if (auto done = read(space.recompute, words(job.recompute, "--recompute", all)); !done)
    return tl::unexpected(done.error());
  return space;
}

std::vector<Spec> plans_of(const PlanSpace& space, const Spec& base, std::int64_t devices) {
  std::vector<Spec> plans;
  const auto add_sizes = [&](Spec& plan, ScheduleKind kind, std::int64_t chunks) {
    plan.schedule.kind = kind;
    plan.schedule.chunks = chunks;
    for (const std::int64_t micro : space.micro) {
      plan.batch.micro = micro;
      if (plan.batch.global % (micro * plan.parallel.dp) == 0) plans.push_back(plan);
    }
  };
  const auto add = [&](Spec plan) {
    if (plan.parallel.pp == 1) {
      add_sizes(plan, ScheduleKind::one_f_one_b, 1);
      return;
    }
    for (const ScheduleKind kind : space.schedule)
      for (const std::int64_t chunks : space.chunks)
        if (goes_with(kind, chunks)) add_sizes(plan, kind, chunks);
  };
  const auto add_cut = [&](std::int64_t tp, std::int64_t pp, std::int64_t cp) {
    const std::int64_t others = tp * pp * cp;
    if (devices % others != 0) return;
    for (const std::int64_t ep : space.ep) {
      for (const Sharding sharding : space.sharding) {
        Spec plan = base;
        plan.parallel.tp = tp;
        plan.parallel.sp = tp > 1;  // sequence parallel
        plan.parallel.pp = pp;
        plan.parallel.cp = cp;
        plan.parallel.dp = devices / others;
        plan.parallel.ep = ep;
        const bool shards = plan.parallel.dp * cp > 1;
        plan.parallel.sharding = shards ? sharding : Sharding::none;
        plan.recompute.kind = space.recompute.front();
        if (!shards && sharding != space.sharding.front()) continue;
        add(plan);
      }
    }
  };
  for (const std::int64_t tp : space.tp)
    for (const std::int64_t pp : space.pp)
      for (const std::int64_t cp : space.cp) add_cut(tp, pp, cp);
  return plans;
}

std::string plan_label(const Spec& spec) {
  const workload::Parallel& parallel = spec.parallel;
  std::string text = fmt::format("tp {}, pp {}", parallel.tp, parallel.pp);
  if (parallel.cp > 1) text += fmt::format(", cp {}", parallel.cp);
  text += fmt::format(", dp {}", parallel.dp);
  if (parallel.ep > 1) text += fmt::format(", ep {}", parallel.ep);
  text += fmt::format(", micro {}", spec.batch.micro);
  const ScheduleKind kind = spec.schedule.kind;
  if (kind != ScheduleKind::one_f_one_b && kind != ScheduleKind::interleaved)
    text += fmt::format(", {}", config::enum_name(kind));
  if (spec.schedule.chunks > 1) text += fmt::format(", {} chunks", spec.schedule.chunks);
  if (parallel.sharding != Sharding::none)
    text += fmt::format(", {}", config::enum_name(parallel.sharding));
  if (spec.recompute.kind != RecomputeKind::none)
    text += fmt::format(", recompute {}", config::enum_name(spec.recompute.kind));
  return text;
}

}  // namespace orrery::explore
