// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernel_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "orrery/core/suggest.h"
#include "orrery/core/text.h"
#include "orrery/model/compute/models.h"
#include "orrery/model/kernels/learned/classes.h"
#include "orrery/model/kernels/learned/samples.h"
#include "orrery/model/kernels/table_file.h"
#include "orrery/study/fitted.h"
#include "orrery/study/kernel_tables.h"

namespace orrery::study {
namespace {

using model::NamedModel;

constexpr std::size_t kFewClasses = 2, kFewPanels = 12;

Result<std::vector<NamedModel>> models_asked(const PlotQuestion& question, Findings& findings) {
  model::KernelSources sources;
  if (!question.kernel_table.empty()) {
    const auto rows = model::read_measured(question.kernel_table);
    if (!rows) return tl::unexpected(rows.error());
    sources.given.measured =
        std::make_shared<const model::MeasuredTable>(model::MeasuredTable::make(*rows, findings));
  }
  if (!question.kernel_model.empty()) {
    const auto fitted = read_fitted(question.kernel_model);
    if (!fitted) return tl::unexpected(fitted.error());
    sources.given.fitted = fitted->model;
  }
  std::vector<NamedModel> models = model::kernel_models(sources);
  if (question.compute == "auto") return models;
  std::vector<std::string_view> names{"auto"};
  for (const NamedModel& known : models) {
    if (known.name == question.compute) {
      NamedModel one = known;
      one.asked = true;
      one.inside = false;
      return std::vector<NamedModel>{one};
    }
    names.push_back(known.name);
  }
  const std::string near = did_you_mean(question.compute, names);
  return fail(
      Errc::usage, "--compute", fmt::format("there is no model {}", in_quotes(question.compute)),
      near.empty()
          ? "one of " + join(names) + "; table with --kernel-table, fitted with --kernel-model"
          : near);
}

/// What kernels of one panel have in common.
std::string panel_of(const graph::Kernel& kernel) {
  const model::KernelClass known = model::class_of(kernel);
  if (known != model::KernelClass::none) return std::string(model::name(known));
  return fmt::format("{} {} {}", name(kernel.operation), name(kernel.pass), name(kernel.a));
}

/// The time of all kernels of a row; nothing where one is not known.
std::optional<PlotAnswer::Point> point_of(const std::vector<NamedModel>& models,
                                          const std::vector<graph::Kernel>& kernels,
                                          const model::Silicon& silicon, double measured,
                                          bool& banded) {
  PlotAnswer::Point point;
  double least = 0, most = 0;
  for (const graph::Kernel& kernel : kernels) {
    const auto taken = model::take_time(models, kernel, silicon);
    if (!taken) return std::nullopt;
    const double seconds = taken->time.seconds;
    point.predicted += seconds;
    least += seconds * (1 + taken->time.band.least);
    most += seconds * (1 + taken->time.band.most);
    banded = banded || taken->time.band != model::ErrorBand{};
  }
  point.measured = measured;
  point.inside = measured >= least && measured <= most;
  return point;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void finish(PlotAnswer::Class& is) {
  std::vector<double> errors, ratios;
  std::size_t inside = 0;
  for (const PlotAnswer::Point& point : is.points) {
    ratios.push_back(point.predicted / point.measured - 1);
    errors.push_back(std::abs(ratios.back()));
    inside += point.inside ? 1 : 0;
  }
  is.median_error = median_of(std::move(errors));
  is.bias = median_of(std::move(ratios));
  is.inside = static_cast<double>(inside) / static_cast<double>(is.points.size());
}

/// A panel for each class, or for each class and device where these are few.
std::vector<PlotAnswer::Class> panels_of(std::map<std::string, PlotAnswer::Class>&& by_class,
                                         const std::vector<std::string>& devices) {
  std::vector<PlotAnswer::Class> panels;
  std::map<std::pair<std::string, std::uint32_t>, PlotAnswer::Class> by_device;
  for (auto& [name, is] : by_class) {
    for (const PlotAnswer::Point& point : is.points) {
      PlotAnswer::Class& one = by_device[{name, point.device}];
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
  for (PlotAnswer::Class& is : panels) finish(is);
  return panels;
}

}  // namespace

Result<PlotAnswer> plot_kernels(const PlotQuestion& question) {
  PlotAnswer answer;
  answer.model = question.compute;
  const auto models = models_asked(question, answer.findings);
  if (!models) return tl::unexpected(models.error());
  const auto tables = read_kernel_tables(question.tables, question.devices, answer.findings);
  if (!tables) return tl::unexpected(tables.error());
  const model::MeasuredRows& rows = tables->rows;
  std::vector<bool> wanted(rows.devices.size(), question.only_devices.empty());
  for (const std::string& word : question.only_devices) {
    const auto found =
        std::find(rows.devices.begin(), rows.devices.end(), catalogue_spelling(word));
    if (found == rows.devices.end())
      return fail(Errc::usage, "--device", "the tables have no kernels of " + in_quotes(word),
                  fmt::format("they have kernels of {}", fmt::join(rows.devices, ", ")));
    wanted[static_cast<std::size_t>(found - rows.devices.begin())] = true;
  }
  answer.devices = rows.devices;
  std::map<std::string, PlotAnswer::Class> by_class;
  const auto seed = static_cast<std::uint64_t>(question.seed);
  for (const model::MeasuredKernel& row : rows.rows) {
    const auto kernels = rows.kernels_of(row);
    if (!wanted[row.device] || (question.held_back && model::part_of(kernels, seed) != 0)) continue;
    ++answer.rows;
    bool banded = false;
    auto point = point_of(*models, kernels, tables->silicons[row.device], row.seconds, banded);
    if (!point) {
      ++answer.silent;
      continue;
    }
    point->device = row.device;
    PlotAnswer::Class& is = by_class[panel_of(row.kernel)];
    is.name = panel_of(row.kernel);
    is.banded = is.banded || banded;
    is.points.push_back(*point);
  }
  if (by_class.empty())
    return fail(Errc::input_empty, rows.where,
                fmt::format("{} says nothing of these kernels", answer.model),
                "another model (--compute), or other devices");
  answer.classes = panels_of(std::move(by_class), answer.devices);
  return answer;
}

}  // namespace orrery::study
