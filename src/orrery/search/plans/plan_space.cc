// SPDX-License-Identifier: Apache-2.0
#include "orrery/search/plans/plan_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "orrery/core/suggest.h"
#include "orrery/core/text.h"

namespace orrery::search {

using workload::RecomputeKind;
using workload::ScheduleKind;
using workload::Sharding;
using workload::Spec;

namespace {

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

/// Of "2,4,8"; what was chosen, where nothing is given. The text is taken out.
Result<std::vector<std::int64_t>> numbers(std::string& text, const char* option,
                                          std::vector<std::int64_t> chosen) {
  if (text.empty()) return chosen;
  std::vector<std::int64_t> values;
  for (const std::string_view part : parts_of(text)) {
    std::int64_t value = 0;
    const auto [end, bad] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (bad != std::errc{} || end != part.data() + part.size() || value < 1 || value > 1 << 24)
      return fail(Errc::usage, option, fmt::format("{} is no such number", in_quotes(part)),
                  "one, or several with commas: 2,4,8");
    values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  text.clear();
  return values;
}

template <class E>
Result<std::vector<E>> words(std::string& text, const char* option, std::vector<E> chosen) {
  if (text.empty()) return chosen;
  std::vector<std::string_view> all;
  for (const auto& [word, value] : config::Words<E>::names) all.push_back(word);
  std::vector<E> values;
  for (const std::string_view part : parts_of(text)) {
    const auto place = std::find(all.begin(), all.end(), part);
    if (place == all.end())
      return fail(Errc::usage, option, fmt::format("there is no {}", in_quotes(part)),
                  "they are: " + join(all));
    values.push_back(config::Words<E>::names[static_cast<std::size_t>(place - all.begin())].second);
  }
  text.clear();
  return values;
}

std::vector<std::int64_t> powers_of_two(std::int64_t most) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = 1; value <= most; value *= 2) values.push_back(value);
  return values;
}

std::vector<std::int64_t> divisors(std::int64_t of, std::int64_t most) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = 1; value <= std::min(of, most); ++value)
    if (of % value == 0) values.push_back(value);
  return values;
}

template <class E>
std::string_view word(E value) {
  for (const auto& [name, meaning] : config::Words<E>::names)
    if (meaning == value) return name;
  return "";
}

}  // namespace

Result<PlanSpace> take_plan_space(study::JobDescription& job, const workload::Model& model,
                                  std::int64_t devices, std::int64_t island) {
  PlanSpace space;
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
  const std::vector all{RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full};
  if (auto done = read(space.recompute, words(job.recompute, "--recompute", all)); !done)
    return tl::unexpected(done.error());
  return space;
}

std::vector<Spec> plans_of(const PlanSpace& space, const Spec& base, std::int64_t devices) {
  std::vector<Spec> plans;
  const auto add = [&](Spec plan) {
    for (const std::int64_t chunks : space.chunks) {
      if (chunks > 1 && plan.parallel.pp == 1) continue;
      plan.schedule.chunks = chunks;
      plan.schedule.kind = chunks > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
      for (const std::int64_t micro : space.micro) {
        plan.batch.micro = micro;
        if (plan.batch.global % (micro * plan.parallel.dp) != 0) continue;
        plans.push_back(plan);
      }
    }
  };
  for (const std::int64_t tp : space.tp) {
    for (const std::int64_t pp : space.pp) {
      const std::int64_t others = tp * pp * base.parallel.cp;
      if (devices % others != 0) continue;
      for (const std::int64_t ep : space.ep) {
        for (const Sharding sharding : space.sharding) {
          Spec plan = base;
          plan.parallel.tp = tp;
          plan.parallel.sp = space.sp && tp > 1;
          plan.parallel.pp = pp;
          plan.parallel.dp = devices / others;
          plan.parallel.ep = ep;
          plan.parallel.sharding = plan.parallel.dp > 1 ? sharding : Sharding::none;
          plan.recompute.kind = space.recompute.front();
          if (plan.parallel.dp == 1 && sharding != space.sharding.front()) continue;
          add(plan);
        }
      }
    }
  }
  return plans;
}

std::string plan_words(const Spec& spec) {
  const workload::Parallel& parallel = spec.parallel;
  std::string text = fmt::format("tp {}, pp {}", parallel.tp, parallel.pp);
  if (parallel.cp > 1) text += fmt::format(", cp {}", parallel.cp);
  text += fmt::format(", dp {}", parallel.dp);
  if (parallel.ep > 1) text += fmt::format(", ep {}", parallel.ep);
  text += fmt::format(", micro {}", spec.batch.micro);
  if (spec.schedule.chunks > 1) text += fmt::format(", {} chunks", spec.schedule.chunks);
  if (parallel.sharding != Sharding::none) text += fmt::format(", {}", word(parallel.sharding));
  if (spec.recompute.kind != RecomputeKind::none)
    text += fmt::format(", recompute {}", word(spec.recompute.kind));
  return text;
}

}  // namespace orrery::search
