// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/kernel_models.h"

#include <algorithm>
#include <array>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/model/compute/portable_kernels.h"
#include "orrery/model/compute/quantized_products.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"
#include "orrery/model/kernels/learned/learned_model.h"
#include "orrery/model/kernels/roofline_model.h"

namespace orrery::model {
namespace {

/// Longer than any kernel: 46 days.
constexpr double kMaxSeconds = 4e6;

class RenamedDeviceModel final : public KernelModel {
 public:
  RenamedDeviceModel(std::shared_ptr<const KernelModel> model, std::string name)
      : model_(std::move(model)), name_(std::move(name)) {}
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override {
    Silicon same = silicon;
    same.name = name_;
    return model_->time(kernel, same);
  }

 private:
  std::shared_ptr<const KernelModel> model_;
  std::string name_;
};

/// Whether the trees were trained on devices of this maker. For devices of other makers, the
/// heuristic is more accurate: for 16 measured bf16 products on an MI355X its median error is
/// 11.5 %, that of the trees 26 %.
bool is_measured_maker(const Silicon& silicon) {
  constexpr std::array<std::string_view, 7> kMeasured = {
      "volta", "turing", "ampere", "ada", "hopper", "blackwell", "rtx-blackwell"};
  return std::any_of(kMeasured.begin(), kMeasured.end(), [&](std::string_view known) {
    return silicon.architecture.starts_with(known);
  });
}

/// Ada devices other than an L40S: the heuristic, whose constants of Ada include their power. Trees
/// for any device, which were trained without Ada, are less accurate (docs/kernel-times.md).
class LearnedModelOfMakers final : public KernelModel {
 public:
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override {
    if (!is_measured_maker(silicon) || knows_training_attention(kernel, silicon))
      return std::nullopt;
    const LearnedModel* const ada = LearnedModel::built_in_ada();
    if (ada != nullptr && silicon.architecture == "ada")
      if (const LearnedClass* is = ada->find(class_of(kernel)); is != nullptr)
        return is_seen(*is, silicon) ? ada->time(kernel, silicon) : std::nullopt;
    return LearnedModel::built_in()->time(kernel, silicon);
  }
};

using ModelPtr = std::shared_ptr<const KernelModel>;

ModelPtr given(const KernelModelInputs& sources, TimeSource source) {
  const auto found = sources.given.find(source);
  return found == sources.given.end() ? nullptr : found->second;
}

ModelPtr make_table(const KernelModelInputs& sources) {
  ModelPtr table = given(sources, TimeSource::table);
  return table ? with_unquantized_fallback(std::move(table)) : nullptr;
}
ModelPtr make_fitted(const KernelModelInputs& sources) {
  return given(sources, TimeSource::fitted);
}
ModelPtr make_learned(const KernelModelInputs& /*sources*/) {
  if (LearnedModel::built_in() == nullptr) return nullptr;
  return with_portable(with_quantizing(std::make_shared<LearnedModelOfMakers>()));
}
ModelPtr make_heuristic(const KernelModelInputs& /*sources*/) {
  return with_portable(std::make_shared<HeuristicModel>());
}
ModelPtr make_roofline(const KernelModelInputs& sources) {
  return std::make_shared<RooflineModel>(sources.scale);
}
ModelPtr make_systolic(const KernelModelInputs& sources) {
  return given(sources, TimeSource::systolic);
}

constexpr std::array kEntries = {
    KernelModelEntry{.source = TimeSource::table,
                     .make = make_table,
                     .interpolates_only = true,
                     .read = read_table},
    KernelModelEntry{.source = TimeSource::fitted,
                     .make = make_fitted,
                     .interpolates_only = true,
                     .read = read_fitted},
    KernelModelEntry{
        .source = TimeSource::learned, .make = make_learned, .follows_data_sheet = true},
    KernelModelEntry{
        .source = TimeSource::heuristic, .make = make_heuristic, .follows_data_sheet = true},
    KernelModelEntry{
        .source = TimeSource::roofline, .make = make_roofline, .adds_step_overhead = false},
    KernelModelEntry{.source = TimeSource::systolic,
                     .make = make_systolic,
                     .is_used_by_auto = false,
                     .prefers_recorded = true,
                     .adds_step_overhead = false,
                     .read = read_systolic}};

}  // namespace

std::span<const KernelModelEntry> kernel_model_entries() { return kEntries; }

const KernelModelEntry* kernel_model_entry(TimeSource source) {
  const auto* const found =
      std::find_if(kEntries.begin(), kEntries.end(),
                   [&](const KernelModelEntry& each) { return each.source == source; });
  return found == kEntries.end() ? nullptr : found;
}

Result<KernelFileContent> read_kernel_file(TimeSource source, const KernelFileText& file,
                                           Findings& findings) {
  const KernelModelEntry* const found = kernel_model_entry(source);
  ORRERY_CHECK(found != nullptr && found->read != nullptr);
  return found->read(file, findings);
}

std::vector<NamedKernelModel> kernel_models(const KernelModelInputs& sources) {
  std::vector<NamedKernelModel> models;
  for (const KernelModelEntry& each : kEntries)
    if (ModelPtr made = each.make(sources))
      models.push_back({each.source, std::move(made),
                        each.is_used_by_auto && !(each.follows_data_sheet && sources.own_peak),
                        each.interpolates_only});
  return models;
}

std::optional<ChosenTime> choose_time(std::span<const NamedKernelModel> models,
                                      const graph::Kernel& kernel, const Silicon& silicon) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!models[i].enabled) continue;
    const auto time = models[i].model->time(kernel, silicon);
    if (!time || !(time->seconds > 0 && time->seconds < kMaxSeconds)) continue;
    if (models[i].interpolates_only && time->extrapolated) continue;
    return ChosenTime{i, *time};
  }
  return std::nullopt;
}

std::shared_ptr<const KernelModel> with_device_name(std::shared_ptr<const KernelModel> model,
                                                    std::string name) {
  return std::make_shared<RenamedDeviceModel>(std::move(model), std::move(name));
}

}  // namespace orrery::model
