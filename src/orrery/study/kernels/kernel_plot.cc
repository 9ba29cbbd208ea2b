// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/kernel_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/data_parts.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"
#include "orrery/model/kernels/learned/kernel_class.h"
#include "orrery/model/kernels/table/minimum_work.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/kernels/kernel_tables.h"

namespace orrery::study {
namespace {

using model::NamedKernelModel;

constexpr std::size_t kFewClasses = 2, kFewPanels = 12;

/// The selected models. A model named by the user also extrapolates.
Result<std::vector<NamedKernelModel>> models_asked(const KernelPlotQuestion& question,
                                                   Findings& findings) {
  auto models = select_kernel_models({.files = question.files}, question.compute, findings);
  if (models && question.compute != "auto") models->front().interpolates_only = false;
  return models;
}

/// Name of the panel of a kernel: its class, or operation, pass and format.
std::string panel_of(const graph::Kernel& kernel) {
  const model::KernelClass known = model::class_of(kernel);
  if (known != model::KernelClass::none) return std::string(model::name(known));
  return fmt::format("{} {} {}", name(kernel.operation), name(kernel.pass), name(kernel.a));
}

/// Splits the time of a row over its kernels in proportion to the heuristic model, as fitting does,
/// so that both weigh them equally. Empty if the heuristic predicts nothing.
std::vector<double> shares_of(const std::vector<graph::Kernel>& kernels,
                              const model::Silicon& silicon, double seconds) {
  if (kernels.size() == 1) return {seconds};
  std::vector<double> shares;
  double all = 0;
  for (const graph::Kernel& kernel : kernels) {
    const auto time = model::HeuristicModel().time(kernel, silicon);
    if (!time) return {};
    all += shares.emplace_back(time->seconds);
  }
  for (double& share : shares) share *= seconds / all;
  return shares;
}

struct Timed {
  KernelPlot::Point point;
  bool banded = false;
};

/// The roofline needs the work of a kernel, which tables state by sizes only.
std::vector<graph::Kernel> with_work(std::vector<graph::Kernel> kernels) {
  for (graph::Kernel& kernel : kernels) model::set_minimum_work(kernel);
  return kernels;
}

/// One point per kernel of a row; none if the models do not predict one of them.
std::vector<Timed> points_of(const std::vector<NamedKernelModel>& models,
                             const std::vector<graph::Kernel>& kernels,
                             const model::Silicon& silicon, const model::MeasuredKernel& row) {
  const std::vector<double> shares = shares_of(kernels, silicon, row.seconds);
  std::vector<Timed> points;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto taken = model::choose_time(models, kernels[i], silicon);
    if (!taken) return {};
    const double seconds = taken->time.seconds, off = shares[i] / seconds - 1;
    const model::ErrorBand& band = taken->time.band;
    points.push_back({{.measured = shares[i],
                       .predicted = seconds,
                       .device = row.device,
                       .inside = off >= band.lower && off <= band.upper},
                      band != model::ErrorBand{}});
  }
  return points;
}

void finish(KernelPlot::Class& is) {
  std::vector<double> errors, ratios;
  std::vector<WeightedValue> measured;
  std::size_t inside = 0;
  for (const KernelPlot::Point& point : is.points) {
    measured.push_back({point.measured / point.predicted - 1, point.predicted});
    ratios.push_back(point.predicted / point.measured - 1);
    errors.push_back(std::abs(ratios.back()));
    inside += point.inside ? 1 : 0;
  }
  is.median_error = quantile_nearest(errors, 0.5);
  is.bias = quantile_nearest(ratios, 0.5);
  is.inside = static_cast<double>(inside) / static_cast<double>(is.points.size());
  is.spread = {weighted_quantile(measured, 0.1), weighted_quantile(measured, 0.9)};
}

/// A panel per class, or per class and device if these are few.
std::vector<KernelPlot::Class> panels_of(std::map<std::string, KernelPlot::Class>&& by_class,
                                         const std::vector<std::string>& devices) {
  std::vector<KernelPlot::Class> panels;
  std::map<std::pair<std::string, std::uint32_t>, KernelPlot::Class> by_device;
  for (auto& [name, is] : by_class) {
    for (const KernelPlot::Point& point : is.points) {
      KernelPlot::Class& one = by_device[{name, point.device}];
      one.name = name;
      one.device = devices[point.device];
      one.banded = is.banded;
      one.points.push_back(point);
    }
  }
  if (by_class.size() <= kFewClasses && by_device.size() <= kFewPanels) {
    for (auto& [key, is] : by_device) panels.push_back(std::move(is));
  } else {
    for (auto& [name, is] : by_class) panels.push_back(std::move(is));
  }
  for (KernelPlot::Class& is : panels) finish(is);
  return panels;
}

}  // namespace

Result<KernelPlot> plot_kernels(const KernelPlotQuestion& question) {
  if (question.seed < 0) return fail(Errc::usage, "--seed", "give a whole number, 0 or more");
  if (question.seed != 1 && !question.held_back)
    return fail(Errc::usage, "--seed", "selects the held-out kernels, but all kernels are plotted",
                "add --held-back");
  KernelPlot answer;
  answer.model = question.compute;
  const auto models = models_asked(question, answer.findings);
  if (!models) return tl::unexpected(models.error());
  const auto tables = read_kernel_tables(question.tables, question.devices, answer.findings);
  if (!tables) return tl::unexpected(tables.error());
  const model::MeasuredRows& rows = tables->rows;
  std::vector<bool> wanted(rows.devices.size(), question.only_devices.empty());
  for (const std::string& word : question.only_devices) {
    const auto found = std::find(rows.devices.begin(), rows.devices.end(), catalog_name(word));
    if (found == rows.devices.end())
      return fail(Errc::usage, "--device", "the tables have no kernels of " + in_quotes(word),
                  fmt::format("they have kernels of {}", fmt::join(rows.devices, ", ")));
    wanted[static_cast<std::size_t>(found - rows.devices.begin())] = true;
  }
  answer.devices = rows.devices;
  std::map<std::string, KernelPlot::Class> by_class;
  const bool is_roofline = question.compute == name(TimeSource::roofline);
  const auto seed = static_cast<std::uint64_t>(question.seed);
  for (const model::MeasuredKernel& row : rows.rows) {
    const auto stated = rows.kernels_of(row);
    if (!wanted[row.device] || (question.held_back && model::part_of(stated, seed) != 0)) continue;
    ++answer.rows;
    const auto kernels = is_roofline ? with_work(stated) : stated;
    const auto points = points_of(*models, kernels, tables->silicons[row.device], row);
    answer.unpredicted += points.empty() ? 1 : 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      KernelPlot::Class& is = by_class[panel_of(kernels[i])];
      is.name = panel_of(kernels[i]);
      is.banded = is.banded || points[i].banded;
      is.points.push_back(points[i].point);
    }
  }
  if (answer.rows == 0)
    return fail(Errc::input_empty, rows.where, "none of these kernels was held out",
                "omit --held-back");
  if (by_class.empty())
    return fail(Errc::input_empty, rows.where,
                fmt::format("{} predicts none of these kernels", answer.model),
                "use another model (--compute) or other devices");
  answer.classes = panels_of(std::move(by_class), answer.devices);
  return answer;
}

}  // namespace orrery::study
