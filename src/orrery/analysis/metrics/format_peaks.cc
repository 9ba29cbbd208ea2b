// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/format_peaks.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

namespace {

constexpr double kEqualPeaks = 1e-6;    // relative difference of peaks that are the same
constexpr double kLeastShown = 0.0005;  // share of a format below which it is not named

/// The part of `text` before `end`, which is removed with it.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + end.size());
  return taken;
}

std::optional<FormatWork> parse_one(std::string_view text) {
  FormatWork made;
  made.format = take_until(text, " ");
  if (made.format.empty()) return std::nullopt;
  for (double* number : {&made.model_flops, &made.hardware_flops, &made.peak}) {
    const auto parsed = parse_number(take_until(text, " "));
    if (!parsed || !(*parsed >= 0) || !std::isfinite(*parsed)) return std::nullopt;
    *number = *parsed;
  }
  return text.empty() ? std::optional(made) : std::nullopt;
}

/// "fp8 92.1 %, bf16 7.9 %"
std::string formats_text(std::span<const FormatWork> work, double flops) {
  std::string text;
  std::size_t named = 0;
  for (const FormatWork& one : work) {
    if (one.model_flops < kLeastShown * flops) continue;
    ++named;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(one.format),
                        share_text(one.model_flops / flops));
  }
  if (named == 1)
    for (const FormatWork& one : work)
      if (one.model_flops >= kLeastShown * flops) return printable(one.format);
  return text;
}

}  // namespace

std::string to_fact(std::span<const FormatWork> work) {
  std::string text;
  for (const FormatWork& one : work)
    text += fmt::format("{}{} {} {} {}", text.empty() ? "" : "; ", one.format, one.model_flops,
                        one.hardware_flops, one.peak);
  return text;
}

std::vector<FormatWork> parse_work_by_format(std::string_view fact) {
  std::vector<FormatWork> made;
  while (!fact.empty()) {
    auto one = parse_one(take_until(fact, "; "));
    if (!one) return {};
    made.push_back(*std::move(one));
  }
  return made;
}

std::optional<FormatUtilization> format_utilization(std::span<const FormatWork> work, Time step,
                                                    std::size_t devices, double reference) {
  double flops = 0, model_seconds = 0, hardware_seconds = 0;
  for (const FormatWork& one : work) {
    if (one.peak <= 0) return std::nullopt;
    flops += one.model_flops;
    model_seconds += one.model_flops / one.peak;
    hardware_seconds += one.hardware_flops / one.peak;
  }
  const double available = seconds(step) * static_cast<double>(devices);
  if (model_seconds <= 0 || available <= 0) return std::nullopt;
  FormatUtilization made;
  made.peak = flops / model_seconds;
  if (std::abs(made.peak - reference) <= kEqualPeaks * reference) return std::nullopt;
  made.formats = formats_text(work, flops);
  made.mfu = model_seconds / available;
  made.hfu = hardware_seconds / available;
  return made;
}

std::optional<FormatUtilization> format_utilization(const result::Run& run) {
  if (run.stalled) return std::nullopt;
  return format_utilization(parse_work_by_format(run.fact(kWorkByFormat)), run.step,
                            run.ranks.size(), run.peak_flops);
}

}  // namespace orrery::analysis
