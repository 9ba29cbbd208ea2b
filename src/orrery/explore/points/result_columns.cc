// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/points/result_columns.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/core/text/units.h"

namespace orrery::explore {

namespace {

constexpr std::array<FigureDescription, kFigures> kFigureTable{
    {{Figure::step, "step", "step", "step_ns", 1e9, "step"},
     {Figure::step_low, "step_low", "step_low", "step_low_ns", 1e9, "step, low", true},
     {Figure::step_high, "step_high", "step_high", "step_high_ns", 1e9, "step, high", true},
     {Figure::rate, "rate", "tokens_rate", "items_per_s", 1, "tokens/s"},
     {Figure::mfu, "mfu", "mfu", "mfu", 1, "MFU"},
     {Figure::format_mfu, "format_mfu", "format_mfu", "format_mfu", 1, "by format"},
     {Figure::format_hfu, "format_hfu", "format_hfu", "format_hfu", 1, "HFU by format"},
     {Figure::memory, "memory", "peak_memory", "memory_bytes", 1, "memory"},
     {Figure::spare_memory, "spare_memory", "spare_memory", "spare_memory_bytes", 1, "to spare"},
     {Figure::devices, "devices", "ranks", "devices", 1, "devices"},
     {Figure::power, "power", "power", "power_w", 1, "power"},
     {Figure::energy, "energy", "energy", "step_energy_j", 1, "energy"},
     {Figure::work, "tokens_per_joule", "tokens_per_joule", "items_per_j", 1, "tokens/J"},
     {Figure::cost, "cost", "cost", "step_cost", 1, "cost"},
     {Figure::unit_cost, "cost_of_1e9", "cost_of_1e9", "cost_per_1e9_items", 1, "per 1e9"}}};

/// "179 kW"
std::string scaled(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 5> kPrefixes{"", "k", "M", "G", "T"};
  std::size_t by = 0;
  while (std::abs(value) >= 999.95 && by + 1 < kPrefixes.size()) {
    value /= 1000;
    ++by;
  }
  return fmt::format("{:.4g} {}{}", value, kPrefixes[by], unit);
}

}  // namespace

std::span<const FigureDescription> figures() { return kFigureTable; }
const FigureDescription& info(Figure figure) {
  return kFigureTable[static_cast<std::size_t>(figure)];
}
const analysis::MetricInfo& metric_of(Figure figure) {
  return *analysis::find_metric(info(figure).metric);
}
std::optional<Figure> figure_named(std::string_view name) {
  for (const FigureDescription& one : kFigureTable)
    if (one.name == name) return one.figure;
  return std::nullopt;
}

namespace {

/// Of the step's interval, the memory to spare and the formats of products.
void add_doubts_and_formats(const PointPrediction& predicted, Figures& made) {
  made[Figure::step_low] = predicted.interval ? seconds(predicted.interval->lower) : kUnknown;
  made[Figure::step_high] = predicted.interval ? seconds(predicted.interval->upper) : kUnknown;
  made[Figure::spare_memory] =
      predicted.fit() ? static_cast<double>((predicted.capacity - predicted.memory.total).count())
                      : kUnknown;
  const auto by_format =
      analysis::format_utilization(predicted.work_by_format, Time(predicted.step),
                                   static_cast<std::size_t>(predicted.devices), predicted.peak);
  made[Figure::format_mfu] = by_format ? by_format->mfu : kUnknown;
  made[Figure::format_hfu] = by_format ? by_format->hfu : kUnknown;
}

}  // namespace

Figures figures_of(const PointPrediction& predicted, const Rates& rates) {
  Figures made;
  add_doubts_and_formats(predicted, made);
  const double seconds = static_cast<double>(predicted.step) * 1e-12;
  const auto devices = static_cast<double>(predicted.devices);
  const auto done =
      static_cast<double>(predicted.tokens > 0 ? predicted.tokens : predicted.samples);
  made[Figure::step] = seconds;
  made[Figure::memory] = static_cast<double>(predicted.memory.total.count());
  made[Figure::devices] = devices;
  made[Figure::rate] = done / seconds;
  const double most = seconds * devices * predicted.peak;
  made[Figure::mfu] =
      most > 0 && predicted.model_flops > 0 ? predicted.model_flops / most : kUnknown;
  const double each =
      rates.device_power.value_or(predicted.device_power > 0 ? predicted.device_power  //
                                                             : kUnknown);
  made[Figure::power] = devices * (each + rates.other_power) * rates.overhead;
  made[Figure::energy] = made[Figure::power] * seconds;
  made[Figure::work] = done / made[Figure::energy];
  // A kWh is 3.6e6 J; energy that costs nothing needs no power to be known.
  const double energy = rates.energy == 0 ? 0 : made[Figure::energy] / 3.6e6 * rates.energy;
  made[Figure::cost] = seconds / 3600 * devices * rates.device + energy;
  made[Figure::unit_cost] = made[Figure::cost] / done * 1e9;
  return made;
}

std::string format(Figure figure, double value) {
  if (std::isnan(value)) return "?";
  switch (figure) {
    case Figure::step:
    case Figure::step_low:
    case Figure::step_high:
      return format_time(Time(static_cast<std::int64_t>(std::llround(value * 1e12))));
    case Figure::rate:
      return format_count(static_cast<std::int64_t>(std::llround(value)));
    case Figure::mfu:
    case Figure::format_mfu:
    case Figure::format_hfu:
      return fmt::format("{:.1f} %", value * 100);
    case Figure::memory:
    case Figure::spare_memory:
      return fmt::format("{:.1f} GB", value * 1e-9);
    case Figure::devices:
      return format_count(static_cast<std::int64_t>(std::llround(value)));
    case Figure::power:
      return scaled(value, "W");
    case Figure::energy:
      return scaled(value, "J");
    default:
      return fmt::format("{:.4g}", value);
  }
}

}  // namespace orrery::explore
