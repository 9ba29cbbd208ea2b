// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/outcome/outcome_cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/report/answer/number_text.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/questions/device_price.h"

namespace orrery::study {

namespace {

constexpr double kJoulesPerKwh = 3.6e6;

/// Sets the power; leaves it empty if it is not known and was not asked for.
Result<void> set_power(const std::string& asked, const platform::Device& device, StepCosts& made) {
  if (!asked.empty() && asked != "catalog") {
    const auto power = model::parse_power(asked, "--power");
    if (!power) return tl::unexpected(power.error());
    made.power = *power;
    made.power_source = "configured";
    return {};
  }
  const platform::DeviceEntry* entry = platform::find_device(device.entry);
  if (entry != nullptr && entry->power_w > 0) {
    made.power = model::power_of(entry->power_w);
    if (device.power_limit_w > 0) made.power->busy = device.power_limit_w;
    made.power_source = fmt::format("catalog: {}", entry->facts_source);
    return {};
  }
  if (asked.empty()) return {};
  return fail(Errc::usage, "--power", "the catalog has no power of the cluster's device",
              "give it in W: --power 700");
}

}  // namespace

std::optional<double> StepCosts::cost() const {
  if (!price) return std::nullopt;
  return *price * static_cast<double>(ranks) * step / 3600;
}
std::optional<double> StepCosts::energy() const {
  if (!power) return std::nullopt;
  return power->at(load) * static_cast<double>(ranks) * step;
}
std::optional<double> StepCosts::per_million(const std::optional<double>& of_step) const {
  if (!of_step || items == 0) return std::nullopt;
  return *of_step / static_cast<double>(items) * 1e6;
}

Result<StepCosts> step_costs(const Outcome& outcome, const CostQuestion& question) {
  StepCosts made;
  made.step = seconds(outcome.result.end);
  made.ranks = static_cast<std::int64_t>(outcome.result.ranks.size());
  if (outcome.job != nullptr) {
    made.tokens = outcome.job->work.tokens > 0;
    made.items = made.tokens ? outcome.job->work.tokens : outcome.job->work.samples;
  }
  for (const sim::RankResult& rank : outcome.result.ranks)
    made.load += made.step > 0 ? std::min(1.0, seconds(rank.compute) / made.step) : 0;
  made.load /= static_cast<double>(std::max<std::int64_t>(made.ranks, 1));
  const std::string& device = outcome.platform().device.entry;
  if (!question.price.empty()) {
    const auto price = price_of(question.price, device);
    if (!price) return tl::unexpected(price.error());
    made.price = *price;
  }
  if (auto fine = set_power(question.power, outcome.platform().device, made); !fine)
    return tl::unexpected(fine.error());
  return made;
}

void state_step_costs(report::Answer& answer, const StepCosts& costs) {
  const char* items = costs.tokens ? "tokens" : "samples";
  /// "0.1234 per million tokens; 0.5 per step"
  const auto text = [&](const std::optional<double>& of_step, double unit, const char* name) {
    const std::string step = fmt::format("{:.4g}{} per step", *of_step / unit, name);
    const auto million = costs.per_million(of_step);
    return million ? fmt::format("{:.4g}{} per million {}; {}", *million / unit, name, items, step)
                   : step;
  };
  answer.object("step_costs", [&] {
    if (const auto cost = costs.cost()) {
      answer.line("cost",
                  fmt::format("{}; at {:.4g} per device hour", text(cost, 1, ""), *costs.price));
      answer.field("device_hour_price", *costs.price).field("step_cost", *cost);
      answer.field("cost_per_1e6_items", costs.per_million(cost));
    }
    if (const auto energy = costs.energy()) {
      answer.line("energy", text(energy, kJoulesPerKwh, " kWh"));
      answer.line("", fmt::format("{} of all devices: each {:.4g} W idle, {:.4g} W computing ({})",
                                  model::format_power_unit(*energy / costs.step, "W"),
                                  costs.power->idle, costs.power->busy,
                                  costs.power_source.substr(0, costs.power_source.find(':'))));
      answer.field("step_energy_j", *energy);
      answer.field("energy_per_1e6_items_j", costs.per_million(energy));
      answer.field("power_w", *energy / costs.step);
      answer.field("idle_power_w", costs.power->idle).field("busy_power_w", costs.power->busy);
      answer.field("power_source", costs.power_source);
    }
  });
}

}  // namespace orrery::study
