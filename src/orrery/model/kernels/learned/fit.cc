// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/model/kernels/learned/net_fitting.h"
#include "orrery/model/kernels/learned/samples.h"
#include "orrery/model/kernels/learned/tree_fitting.h"

namespace orrery::model {
namespace {

/// Why nothing was fitted: of the class, or class and device, with the most rows.
Error too_few(const TrainingSet& set, const FitOptions& options) {
  const bool trees = options.by == Learner::trees;
  std::size_t most = 0;
  std::string of;
  for (std::size_t which = 1; which < kKernelClasses; ++which) {
    const auto kernels = static_cast<KernelClass>(which);
    if (!options.wants(kernels)) continue;
    std::vector<std::size_t> on(set.devices.size());
    for (const Sample& sample : set.samples[which]) ++on[sample.device];
    for (std::size_t device = 0; device < on.size(); ++device) {
      const std::size_t rows = trees ? set.samples[which].size() : on[device];
      if (rows <= most) continue;
      most = rows;
      of = std::string(name(kernels));
      if (!trees) of += " on " + set.devices[device]->name;
    }
  }
  if (static_cast<std::int64_t>(most) >= kLeastRows)
    return {Errc::input_empty, "fit",
            fmt::format("too few different kernels: of the {} rows of {} none can be held back",
                        most, of),
            "use the table itself (--kernel-table), or measure more sizes"};
  return {Errc::input_empty, "fit",
          fmt::format("too few rows: {} are needed {}, and {}", kLeastRows,
                      trees ? "of a class" : "of a class on a device",
                      most == 0 ? "there are none of a class that can be learned"
                                : fmt::format("of {} there are {}", of, most)),
          "use the table itself (--kernel-table), or measure more"};
}

}  // namespace

Result<Fit> fit(const MeasuredRows& measured, std::span<const Silicon> silicons,
                const FitOptions& options, const std::function<void(const FitReport&)>& told) {
  if (options.by == Learner::trees && !can_grow()) return tl::unexpected(grow({}, 0, {}).error());
  const Result<TrainingSet> set = take_samples(measured, silicons, options.seed);
  if (!set) return tl::unexpected(set.error());
  Fit made;
  made.unlearned = set->unlearned;
  const auto note = [&](FitReport about) {
    if (told) told(about);
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
