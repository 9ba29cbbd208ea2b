// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/fit_kernel_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "addons/kernel_fitting/training/fit_nets.h"
#include "addons/kernel_fitting/training/fit_trees.h"
#include "addons/kernel_fitting/training/training_set.h"

namespace orrery::model {
namespace {

/// The error if nothing was fitted: it names the class, or class and device, with the most rows.
Error too_few(const TrainingSet& set, const FitOptions& options) {
  const bool trees = options.by == Learner::trees;
  std::size_t max_rows = 0;
  std::string of;
  for (std::size_t which = 1; which < kKernelClasses; ++which) {
    const auto kernels = static_cast<KernelClass>(which);
    if (!options.wants(kernels)) continue;
    std::vector<std::size_t> on(set.devices.size());
    for (const Sample& sample : set.samples[which]) ++on[sample.device];
    for (std::size_t device = 0; device < on.size(); ++device) {
      const std::size_t rows = trees ? set.samples[which].size() : on[device];
      if (rows <= max_rows) continue;
      max_rows = rows;
      of = std::string(name(kernels));
      if (!trees) of += " on " + set.devices[device]->name;
    }
  }
  if (static_cast<std::int64_t>(max_rows) >= kMinRows)
    return {Errc::input_empty, "fit",
            fmt::format("too few different kernels: no row of the {} rows of {} can be held out",
                        max_rows, of),
            "use the table directly (--kernel-table), or measure more sizes"};
  return {Errc::input_empty, "fit",
          fmt::format("too few rows: {} are needed {}, but {}", kMinRows,
                      trees ? "per class" : "per class and device",
                      max_rows == 0 ? "no row belongs to a supported class"
                                    : fmt::format("{} has {}", of, max_rows)),
          "use the table directly (--kernel-table), or measure more"};
}

}  // namespace

Result<KernelFit> fit_kernel_models(const MeasuredRows& measured, std::span<const Silicon> silicons,
                                    const FitOptions& options,
                                    const std::function<void(const KernelFitReport&)>& on_done) {
  if (options.by == Learner::trees && !has_xgboost())
    return tl::unexpected(boost_trees({}, 0, {}).error());
  const Result<TrainingSet> set = make_training_set(measured, silicons, options.seed);
  if (!set) return tl::unexpected(set.error());
  KernelFit made;
  made.unlearned = set->unlearned;
  const auto note = [&](KernelFitReport about) {
    if (on_done) on_done(about);
    made.reports.push_back(std::move(about));
  };
  Result<std::string> file =
      options.by == Learner::trees ? fit_trees(*set, options, note) : fit_nets(*set, options, note);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (made.reports.empty()) return tl::unexpected(too_few(*set, options));
  made.file = *std::move(file);
  return made;
}

}  // namespace orrery::model
