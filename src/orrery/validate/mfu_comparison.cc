// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/mfu_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/loss_remedies.h"
#include "orrery/study/whatif/whatif_case.h"

namespace orrery::validate {

namespace {

using study::Outcome;

constexpr double kMaxSeconds = 1e6;  // longer steps are typing errors

/// "41%", "41 %" or "0.41" as a share.
Result<double> parse_mfu(const std::string& text) {
  std::string_view number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  const auto value = parse_number(number);
  const double share = value ? (percent ? *value / 100 : *value) : 0;
  if (!(share > 0 && share <= 1))
    return fail(Errc::usage, "--measured-mfu",
                fmt::format("{} is not a share above 0 and at most 1", in_quotes(text)),
                "write 41% or 0.41");
  return share;
}

/// Checks that there is one measured value. Errc: usage.
Result<void> check_measured(const MfuQuestion& question) {
  const int given = (question.measured ? 1 : 0) + (question.measured_mfu.empty() ? 0 : 1) +
                    (question.measured_tokens_per_s ? 1 : 0);
  if (given == 0)
    return fail(Errc::usage, "--measured", "no measured step is given",
                "--measured 410ms, --measured-mfu 41% or --measured-tokens-per-s 150000");
  if (given > 1)
    return fail(Errc::usage, "--measured", "the measured step is given more than once",
                "give one of --measured, --measured-mfu and --measured-tokens-per-s");
  return {};
}

/// The measured step time. Errc: usage for values that are no step time.
Result<Time> measured_step(const MfuQuestion& question, const Outcome& outcome, double peak) {
  const result::StepWork& work = outcome.job->work;
  double length = 0;
  std::string option = "--measured";
  if (question.measured) {
    length = seconds(*question.measured);
  } else if (question.measured_tokens_per_s) {
    option = "--measured-tokens-per-s";
    if (work.tokens == 0)
      return fail(Errc::usage, option, "the model has no tokens", "give --measured TIME");
    length = static_cast<double>(work.tokens) / *question.measured_tokens_per_s;
  } else {
    option = "--measured-mfu";
    const auto share = parse_mfu(question.measured_mfu);
    if (!share) return tl::unexpected(share.error());
    length = work.model_flops / (*share * peak * static_cast<double>(outcome.result.ranks.size()));
  }
  if (!(length > 0 && length <= kMaxSeconds))
    return fail(Errc::usage, option, "is not a step time above 0 and at most 1,000,000 s",
                "give the time of one training step: --measured 410ms");
  return Time(std::llround(length * 1e12));
}

StepSpeed speed_of(const Outcome& outcome, Time step) {
  StepSpeed made;
  made.step = step;
  const std::size_t devices = outcome.result.ranks.size();
  const double peak = outcome.platform().device.rated.count();
  const auto speed = analysis::throughput(outcome.job->work, step, devices, peak);
  if (!speed) return made;
  made.mfu = speed->mfu.value_or(0);
  made.flops = speed->flops;
  made.tokens_per_s = speed->tokens;
  made.by_format = analysis::format_utilization(outcome.job->work_by_format, step, devices, peak);
  return made;
}

}  // namespace

double MfuComparison::gain(Time time) const {
  const auto step = static_cast<double>(predicted.step.count());
  const auto left = step - static_cast<double>(time.count());
  return left > 0 ? predicted.mfu * (step / left - 1) : 0;
}

Result<MfuComparison> compare_mfu(const MfuQuestion& question, study::Watch& watch) {
  if (auto fine = check_measured(question); !fine) return tl::unexpected(fine.error());
  if (!question.base.job.given())
    return fail(Errc::usage, "--model", "no job is given",
                "give a specification, or --model NAME and a plan (--tp, --pp, --dp …)");
  if (question.base.cluster.empty())
    return fail(Errc::usage, "--cluster", "no cluster is given", "--cluster h100-sxm:64");
  study::Question base = question.base;
  base.exposed_by_group = true;
  MfuComparison made;
  auto read = study::WhatIfCase::read(std::move(base), "", watch, made.findings);
  if (!read) return tl::unexpected(read.error());
  const auto outcome = read->simulate({}, false, watch, made.findings);
  if (!outcome) return tl::unexpected(outcome.error());
  const platform::Device& device = outcome->platform().device;
  if (device.rated.count() <= 0)
    return fail(
        Errc::usage, "--cluster", "the peak of its device is not known, so there is no MFU",
        "name a device of the catalog with `is`, or give `peak` (docs/reference/cluster.md)");
  const auto measured = measured_step(question, *outcome, device.rated.count());
  if (!measured) return tl::unexpected(measured.error());
  const workload::Spec& spec = read->program()->spec;
  made.job = spec.model.name;
  made.devices = outcome->result.ranks.size();
  made.device = device.name;
  made.peak_flops = device.rated.count();
  made.peak_precision = device.precision;
  made.measured = speed_of(*outcome, *measured);
  made.predicted = speed_of(*outcome, outcome->result.end);
  const analysis::Digest digest = study::digest(*outcome);
  made.interval = digest.interval;
  if (!made.interval)
    made.no_interval_reason = analysis::no_interval_reason(digest.errors, digest.step.step);
  made.losses = study::separated_losses(*read, *outcome, watch);
  study::try_remedies(*read, kShownLosses, made.losses);
  const auto points = published_points();
  if (!points) return tl::unexpected(points.error());
  made.published = published_steps(*points, spec, device);
  made.findings = outcome->findings;
  return made;
}

}  // namespace orrery::validate
