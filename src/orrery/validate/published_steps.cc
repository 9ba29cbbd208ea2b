// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/published_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "orrery/config/parameters.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/validate/cluster_sketch.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::validate {

// cmake/OrreryEmbed.cmake
extern const std::string_view kKorthikantiText;
extern const std::string_view kNarayananText;
extern const std::string_view kMlperfText;
extern const std::string_view kMosaicText;
extern const std::string_view kDgxcText;
extern const std::string_view kVtrainText;

namespace {

using workload::Spec;

std::string products_text(const Spec& spec) {
  const workload::Dtype type = spec.precision.product_type();
  const bool half = type == workload::Dtype::bf16 || type == workload::Dtype::fp16;
  return half ? "16 bits" : std::string(config::enum_name(type));
}

/// "h100" of "h100-sxm".
std::string_view variant_free(std::string_view device) {
  return device.substr(0, device.find('-'));
}

/// The kind of layers: what determines the share of matrix products in a step.
auto family_of(const Spec& spec) {
  return std::tuple(spec.model.kind, spec.model.moe.has_value(), spec.model.norm,
                    workload::is_gated(spec.model.mlp), spec.lora.has_value());
}

std::string family_text(const Spec& spec) {
  if (spec.model.moe) return "models with experts";
  return fmt::format("dense models with {} and {} MLP",
                     spec.model.norm == workload::Norm::rmsnorm ? "RMS norm" : "layer norm",
                     workload::is_gated(spec.model.mlp) ? "gated" : "plain");
}

bool is_same_model(const Spec& a, const Spec& b) {
  const auto shape = [](const Spec& spec) {
    const workload::Model& model = spec.model;
    return std::tuple(model.layers, model.hidden, model.heads, model.inner());
  };
  return family_of(a) == family_of(b) && shape(a) == shape(b);
}

/// A point of the GPU, and what it computes.
struct CountedPoint {
  Spec spec;
  PublishedStep step;
};

std::optional<CountedPoint> counted(const MeasuredPoint& point, const platform::Device& device) {
  Findings ignored_findings;
  const auto platform = study::read_platform(point.question, ignored_findings);
  if (!platform) return std::nullopt;
  const study::ClusterSize size = study::size_of(*platform, point.place);
  const auto program = study::assemble(point.question.job, size, ignored_findings);
  if (!program) return std::nullopt;
  const auto count = workload::count(*program);
  if (!count) return std::nullopt;
  CountedPoint made{program->spec, {point.id, point.source, point.model, point.seconds}};
  made.step.devices = platform->npu_count();
  made.step.mfu = workload::to_double(count->flops.model()) /
                  (point.seconds * static_cast<double>(made.step.devices) * device.rated.count());
  return made;
}

/// Whether the point was measured on a GPU like the device.
bool is_alike(const MeasuredPoint& point, const platform::DeviceEntry& device) {
  const platform::DeviceEntry* const other = match_device(point.gpu);
  return other != nullptr && variant_free(other->name) == variant_free(device.name) &&
         other->peaks.front().rate == device.peaks.front().rate;
}

void add(PublishedStep step, PublishedGroup& group) {
  group.models.push_back(step.model);
  group.sources.push_back(step.source);
  group.steps.push_back(std::move(step));
}

void finish(PublishedGroup& group) {
  for (std::vector<std::string>* names : {&group.models, &group.sources}) {
    std::sort(names->begin(), names->end());
    names->erase(std::unique(names->begin(), names->end()), names->end());
  }
  std::stable_sort(group.steps.begin(), group.steps.end(),
                   [](const PublishedStep& a, const PublishedStep& b) { return a.mfu < b.mfu; });
}

}  // namespace

Result<std::vector<MeasuredPoint>> published_points() {
  struct File {
    std::string_view name, text;
  };
  const std::array files = {File{"megatron_korthikanti2022.csv", kKorthikantiText},
                            File{"megatron_narayanan2021.csv", kNarayananText},
                            File{"mlperf_training.csv", kMlperfText},
                            File{"mosaic_mpt_fsdp.csv", kMosaicText},
                            File{"nvidia_dgxc_benchmarking.csv", kDgxcText},
                            File{"vtrain_multi_a100.csv", kVtrainText}};
  std::vector<MeasuredPoint> all;
  Findings ignored_findings;
  for (const File& file : files) {
    auto points = parse_points(file.text, std::string(file.name), ignored_findings);
    if (!points) return points;
    std::move(points->begin(), points->end(), std::back_inserter(all));
  }
  return all;
}

double PublishedGroup::quantile(double share) const {
  std::vector<double> sorted;
  for (const PublishedStep& step : steps) sorted.push_back(step.mfu);
  return quantile_interpolated_of_sorted(sorted, share);
}

double PublishedGroup::share_below(double mfu) const {
  double below = 0;
  for (const PublishedStep& step : steps) below += step.mfu < mfu ? 1 : step.mfu == mfu ? 0.5 : 0;
  return steps.empty() ? 0 : below / static_cast<double>(steps.size());
}

PublishedSteps published_steps(std::span<const MeasuredPoint> points, const Spec& spec,
                               const platform::Device& device) {
  PublishedSteps made;
  made.products = products_text(spec);
  made.device = device.entry.empty() ? device.name : std::string(variant_free(device.entry));
  made.same_model.what = spec.model.name;
  made.family.what = family_text(spec);
  const platform::DeviceEntry* const entry = platform::find_device(device.entry);
  if (entry == nullptr || device.rated.count() <= 0) return made;
  for (const MeasuredPoint& point : points) {
    if (!point.skip_reason.empty() || !is_alike(point, *entry)) continue;
    auto one = counted(point, device);
    if (!one || products_text(one->spec) != made.products ||
        family_of(one->spec) != family_of(spec))
      continue;
    if (is_same_model(one->spec, spec)) add(one->step, made.same_model);
    add(std::move(one->step), made.family);
  }
  finish(made.same_model);
  finish(made.family);
  return made;
}

}  // namespace orrery::validate
