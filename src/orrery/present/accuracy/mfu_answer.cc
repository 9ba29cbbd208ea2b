// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/accuracy/mfu_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/graph/kernel.h"
#include "orrery/present/number_text.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

using report::Answer;
using report::Columns;
using report::percent;
using report::Value;
using study::StepLoss;
using validate::MfuComparison;
using validate::PublishedGroup;
using validate::StepSpeed;

namespace {

constexpr std::size_t kTableWidth = 100;

/// "+3.1", "-0.4": points of MFU.
std::string points_text(double share) { return fmt::format("{:+.1f}", 100 * share); }

/// "13.61 s (12.7 … 15.1)"
std::string time_with_interval(Time step, const std::optional<analysis::StepInterval>& interval) {
  if (!interval) return format_time(step);
  return format_time(step) + " " + analysis::interval_text(step, interval->lower, interval->upper);
}

/// "44.1 % (39.9 … 47.5)": the MFU of the predicted step and of the ends of its interval.
std::string mfu_text(const MfuComparison& compared) {
  const StepSpeed& speed = compared.predicted;
  const auto& interval = compared.interval;
  if (!interval || interval->lower <= Time{}) return percent(speed.mfu);
  const auto of = [&](Time step) {
    return 100 * speed.mfu * static_cast<double>(speed.step.count()) /
           static_cast<double>(step.count());
  };
  return fmt::format("{} ({:.1f} … {:.1f})", percent(speed.mfu), of(interval->upper),
                     of(interval->lower));
}

void write_speed(report::JsonWriter& json, const StepSpeed& speed) {
  json.begin_object();
  Answer members(json);
  members.field("step_ns", speed.step).field("mfu", speed.mfu);
  members.field("device_model_flop_per_s", speed.flops);
  members.field("tokens_per_s", speed.tokens_per_s > 0 ? Value(speed.tokens_per_s) : Value());
  members.field("format_mfu", speed.by_format ? Value(speed.by_format->mfu) : Value());
  members.field("format_hfu", speed.by_format ? Value(speed.by_format->hfu) : Value());
  json.end_object();
}

/// A row of the comparison, for people.
struct SpeedRow {
  std::string name, step, mfu;
  const StepSpeed& speed;
};

void state_speeds(Answer& answer, const MfuComparison& compared) {
  answer.json("measured_step", [&](auto& json) { write_speed(json, compared.measured); });
  answer.json("predicted_step", [&](auto& json) { write_speed(json, compared.predicted); });
  const std::vector<SpeedRow> rows = {
      {"measured", time_with_interval(compared.measured.step, {}), percent(compared.measured.mfu),
       compared.measured},
      {"predicted", time_with_interval(compared.predicted.step, compared.interval),
       mfu_text(compared), compared.predicted}};
  const std::string precision =
      compared.peak_precision.empty() ? "" : " of " + printable(compared.peak_precision);
  Columns<SpeedRow> columns;
  columns.show("", [](const auto& row) { return row.name; })
      .show("step time", [](const auto& row) { return row.step; })
      .show("MFU" + precision, [](const auto& row) { return row.mfu; });
  if (compared.predicted.by_format)
    columns.show_number("MFU by format", [](const auto& row) {
      return row.speed.by_format ? percent(row.speed.by_format->mfu) : "-";
    });
  columns.show_number("per device",
                      [](const auto& row) { return format_flops(FlopRate(row.speed.flops)); });
  if (compared.predicted.tokens_per_s > 0)
    columns.show_number("tokens/s", [](const auto& row) {
      return count(static_cast<std::uint64_t>(row.speed.tokens_per_s));
    });
  answer.table("", rows, columns);
}

/// "inside the 80 % prediction interval", or why there is none.
std::string interval_verdict(const MfuComparison& compared) {
  if (!compared.interval)
    return compared.no_interval_reason.empty()
               ? "there is no prediction interval: no model with a known error predicts the step"
               : "there is no prediction interval: " + compared.no_interval_reason;
  if (compared.is_inside())
    return "inside the 80 % prediction interval: the models cannot tell the two apart";
  return compared.unexplained() > Time{} ? "slower than the 80 % prediction interval"
                                         : "faster than the 80 % prediction interval";
}

void state_difference(Answer& answer, const MfuComparison& compared) {
  const Time difference = compared.unexplained();
  const double points = compared.measured.mfu - compared.predicted.mfu;
  answer.row(
      "not explained", "unexplained_ns", difference,
      fmt::format("{} ({}), {} points of MFU: measured - predicted; {}", signed_time(difference),
                  relative_change(compared.predicted.step, compared.measured.step),
                  points_text(points), interval_verdict(compared)));
  answer.field("unexplained_mfu", points);
  answer.field("inside_interval", compared.interval ? Value(compared.is_inside()) : Value());
  answer.object_or_null("prediction_interval", compared.interval.has_value(), [&] {
    answer.field("low_ns", compared.interval->lower).field("high_ns", compared.interval->upper);
    answer.field("unknown_ns", compared.interval->unknown);
  });
  if (!compared.no_interval_reason.empty())
    answer.field("no_interval_reason", compared.no_interval_reason);
}

void state_peaks(Answer& answer, const MfuComparison& compared) {
  std::string text = format_flops(FlopRate(compared.peak_flops));
  if (!compared.peak_precision.empty())
    text += fmt::format(" ({})", printable(compared.peak_precision));
  if (const auto& by_format = compared.predicted.by_format)
    text += fmt::format("; by format {} ({})", format_flops(FlopRate(by_format->peak)),
                        by_format->formats);
  answer.row("device peak", "peak_flop_per_s", compared.peak_flops, text);
  answer.field("peak_precision", text_or_null(compared.peak_precision));
}

constexpr std::array<std::pair<double, const char*>, 5> kPercentiles = {{{0.1, "p10_ratio"},
                                                                         {0.25, "p25_ratio"},
                                                                         {0.5, "median_ratio"},
                                                                         {0.75, "p75_ratio"},
                                                                         {0.9, "p90_ratio"}}};

bool has_percentiles(const PublishedGroup& group) {
  return group.steps.size() >= validate::kMinPercentileSteps;
}

Columns<PublishedGroup> published_columns(const MfuComparison& compared) {
  Columns<PublishedGroup> columns;
  columns.add("published steps", "name", &PublishedGroup::what)
      .add("n", "points", [](const auto& group) { return group.steps.size(); });
  columns.field("device", [&](const auto&) { return compared.published.device; });
  constexpr std::array kTitles = {"10 %", "25 %", "median", "75 %", "90 %"};
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    const double share = kPercentiles[i].first;
    columns.add(
        kTitles[i], kPercentiles[i].second,
        [share](const auto& group) {
          return has_percentiles(group) ? Value(group.quantile(share)) : Value();
        },
        [share](const auto& group) { return percent(group.quantile(share)); });
  }
  const double mfu = compared.measured.mfu;
  columns.add(
      "yours is above", "below_share",
      [mfu](const auto& group) {
        return has_percentiles(group) ? Value(group.share_below(mfu)) : Value();
      },
      [mfu](const auto& group) { return fmt::format("{:.0f} %", 100 * group.share_below(mfu)); });
  columns
      .field("model_names",
             [](const auto& group) { return fmt::format("{}", fmt::join(group.models, ", ")); })
      .field("source_names",
             [](const auto& group) { return fmt::format("{}", fmt::join(group.sources, ", ")); });
  Columns<validate::PublishedStep> steps;
  steps.field("id", &validate::PublishedStep::id)
      .field("source", &validate::PublishedStep::source)
      .field("model", &validate::PublishedStep::model)
      .field("step_ns", [](const auto& step) { return seconds_value(step.seconds); })
      .field("ranks", &validate::PublishedStep::devices)
      .field("mfu", &validate::PublishedStep::mfu);
  columns.nested("published_steps", [steps](auto& json, const auto& group) {
    report::write_rows(json, group.steps, steps);
  });
  return columns;
}

/// "dgxc-0231 51.2 %, dgxc-0232 51.0 %"
std::string list_text(const PublishedGroup& group) {
  std::vector<std::string> texts;
  for (const validate::PublishedStep& step : group.steps)
    texts.push_back(fmt::format("{} {}", step.id, percent(step.mfu)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void state_published(Answer& answer, const MfuComparison& compared) {
  const validate::PublishedSteps& published = compared.published;
  const std::vector<PublishedGroup> groups = {published.same_model, published.family};
  answer.field("product_width", published.products);
  answer.rows("published", groups, published_columns(compared));
  if (answer.is_json()) return;
  const std::string on = fmt::format("on {}, products in {}", published.device, published.products);
  std::vector<PublishedGroup> shown;
  std::vector<std::string> sources;
  for (const PublishedGroup& group : groups) {
    sources.insert(sources.end(), group.sources.begin(), group.sources.end());
    if (has_percentiles(group)) {
      shown.push_back(group);
    } else if (group.steps.empty()) {
      answer.line("published", fmt::format("no step of {} {}", printable(group.what), on));
    } else {
      answer.line("published", fmt::format("{} of {} {}, too few for percentiles: {}",
                                           plural(group.steps.size(), "step"),
                                           printable(group.what), on, printable(list_text(group))));
    }
  }
  if (shown.empty()) return;
  answer.heading(fmt::format("published MFU {}; FLOPs counted as for your step", on));
  answer.table("", shown, published_columns(compared), {.width = kTableWidth});
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  answer.line("models", printable(fmt::format("{}", fmt::join(shown.back().models, ", "))));
  answer.line("sources", printable(fmt::format("{}", fmt::join(sources, ", "))) +
                             " (data/measured/README.md)");
}

std::string loss_text(const StepLoss& loss) {
  if (loss.kind == study::LossKind::idle)
    return loss.group == study::kPipeline ? "pipeline bubble" : "idle: other ranks";
  std::string text(name(loss.kind));
  if (loss.kind == study::LossKind::communication)
    text += loss.group.empty() ? ", messages" : ", " + printable(loss.group);
  return text;
}

Columns<StepLoss> loss_columns(const MfuComparison& compared) {
  const Time step = compared.losses.step;
  // A cell about the best change; "-": no change that was simulated saves time.
  const auto remedy_text = [step](auto text) {
    return [step, text](const StepLoss& loss) {
      const study::LossRemedy* remedy = loss.remedy(step);
      return remedy == nullptr ? std::string("-") : std::string(text(*remedy));
    };
  };
  Columns<StepLoss> columns;
  columns.show("largest losses, predicted", loss_text)
      .field("kind", [](const auto& loss) { return name(loss.kind); })
      .field("group", [](const auto& loss) { return text_or_null(loss.group); })
      .add("time", "time_ns", [](const auto& loss) { return loss.time; })
      .show_number("share", [step](const auto& loss) { return share(loss.time, step); })
      .add(
          "MFU points", "mfu_gain", [&](const auto& loss) { return compared.gain(loss.time); },
          [&](const auto& loss) { return points_text(compared.gain(loss.time)); })
      .field("recoverable", [](const auto& loss) { return is_recoverable(loss.kind); })
      .show("best change", remedy_text([](const auto& remedy) { return printable(remedy.change); }))
      .show_number("step", remedy_text([step](const auto& remedy) {
                     return relative_change(step, remedy.whole);
                   }))
      .show("fits", remedy_text([](const auto& remedy) { return remedy.fits ? "yes" : "no"; }));
  Columns<study::LossRemedy> remedies;
  remedies.field("change", &study::LossRemedy::change)
      .field("step_ns", &study::LossRemedy::whole)
      .field("saved_ns", [step](const auto& remedy) { return step - remedy.whole; })
      .field("fits", &study::LossRemedy::fits);
  columns.nested("remedies", [remedies](auto& json, const auto& loss) {
    report::write_rows(json, loss.tried, remedies);
  });
  Columns<study::FamilyTime> families;
  families.field("operation", [](const auto& family) { return graph::name(family.operation); })
      .field("time_ns", &study::FamilyTime::time);
  columns.nested("kernel_families", [families](auto& json, const auto& loss) {
    report::write_rows(json, loss.families, families);
  });
  return columns;
}

constexpr std::size_t kShownFamilies = 4;

/// "rms_norm 21.4 ms, elementwise 15.6 ms, 3 more 4.1 ms"
std::string families_text(const StepLoss& loss) {
  std::vector<std::string> texts;
  Time rest{};
  for (std::size_t i = 0; i < loss.families.size(); ++i) {
    const study::FamilyTime& family = loss.families[i];
    if (i < kShownFamilies)
      texts.push_back(
          fmt::format("{} {}", graph::name(family.operation), format_time(family.time)));
    else
      rest += family.time;
  }
  if (loss.families.size() > kShownFamilies)
    texts.push_back(
        fmt::format("{} more {}", loss.families.size() - kShownFamilies, format_time(rest)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Below the table: the kernels of losses by family, and changes that save nothing.
void explain_losses(Answer& answer, const std::vector<StepLoss>& losses, Time step) {
  std::string label = "families";
  for (const StepLoss& loss : losses) {
    if (loss.families.size() < 2) continue;
    const bool is_product = loss.kind == study::LossKind::below_peak;
    answer.line(
        std::exchange(label, ""),
        fmt::format("{}: {}", is_product ? "products, with their time at peak" : name(loss.kind),
                    families_text(loss)));
  }
  label = "no saving by";
  for (const StepLoss& loss : losses) {
    if (loss.tried.empty() || loss.remedy(step) != nullptr) continue;
    std::vector<std::string> texts;
    for (const study::LossRemedy& one : loss.tried) texts.push_back(printable(one.change));
    answer.line(std::exchange(label, ""),
                fmt::format("{} ({})", fmt::join(texts, ", "), loss_text(loss)));
  }
}

void state_losses(Answer& answer, const MfuComparison& compared) {
  const study::StepLosses& losses = compared.losses;
  answer.rows("losses", losses.losses, loss_columns(compared));
  answer.field("needed_ns", losses.needed);
  if (answer.is_json()) return;
  std::vector<StepLoss> shown;
  Time rest{}, products{};
  for (const StepLoss& loss : losses.losses) {
    if (!is_recoverable(loss.kind)) {
      products += loss.time;
    } else if (shown.size() < validate::kShownLosses) {
      shown.push_back(loss);
    } else {
      rest += loss.time;
    }
  }
  answer.table("", shown, loss_columns(compared), {.width = kTableWidth});
  for (const StepLoss& loss : losses.losses)
    if (!is_recoverable(loss.kind)) shown.push_back(loss);
  explain_losses(answer, shown, losses.step);
  answer.line("rest of step",
              fmt::format("{} model FLOPs at peak, {} products below peak, {} other losses",
                          format_time(losses.needed), format_time(products), format_time(rest)));
}

}  // namespace

void state_mfu(Answer& answer, const MfuComparison& compared) {
  answer.title(fmt::format("MFU {} measured, {} predicted: {} on {} {}",
                           percent(compared.measured.mfu), percent(compared.predicted.mfu),
                           printable(compared.job), count(compared.devices),
                           printable(compared.device)));
  answer.field("model", compared.job).field("ranks", compared.devices);
  answer.field("device", compared.device);
  state_speeds(answer, compared);
  answer.end_section();
  state_difference(answer, compared);
  state_peaks(answer, compared);
  state_published(answer, compared);
  state_losses(answer, compared);
  answer.end_section();
  answer.findings(compared.findings);
}

}  // namespace orrery::present
