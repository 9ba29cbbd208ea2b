// SPDX-License-Identifier: Apache-2.0
//
// The available models of kernel times, and the selection among them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/model/compute/kernel_file.h"
#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// One model, and its role in the selection.
struct NamedKernelModel {
  TimeSource source = TimeSource::none;
  std::shared_ptr<const KernelModel> model;
  bool enabled = true;             ///< choose_time() uses it …
  bool interpolates_only = false;  ///< … but discards its extrapolated answers
};

/// Models that were read from files, by the source of their times.
using SuppliedModels = std::map<TimeSource, std::shared_ptr<const KernelModel>>;

/// The inputs to build models.
struct KernelModelInputs {
  double scale = 1;       ///< ratio of peaks to those of the data sheet
  bool own_peak = false;  ///< the peak is a custom figure, which only the roofline follows
  SuppliedModels given{};
};

/// The registration of a model of kernel times, in kernel_models.cc.
struct KernelModelEntry {
  TimeSource source = TimeSource::none;
  /// Builds the model. Returns null if it is not built in or its file was not given.
  std::shared_ptr<const KernelModel> (*make)(const KernelModelInputs& sources);
  bool interpolates_only = false;   ///< see NamedKernelModel
  bool follows_data_sheet = false;  ///< `auto` skips it if the user specifies another peak
  bool is_used_by_auto = true;      ///< false: only used if `compute` names it
  bool prefers_recorded = false;    ///< if named: kernels that it cannot predict stay recorded
  bool adds_step_overhead =
      true;  ///< predicts isolated kernels; a step adds overhead (step_overhead.h)
  /// Reads its file; null: it needs none.
  Result<KernelFileContent> (*read)(const KernelFileText& file, Findings& findings) = nullptr;
};
/// All entries, in the order in which `auto` tries them.
[[nodiscard]] std::span<const KernelModelEntry> kernel_model_entries();
/// The entry of `source`. Null: `source` gives no kernel times.
[[nodiscard]] const KernelModelEntry* kernel_model_entry(TimeSource source);

/// All available models, in the order in which `auto` tries them; then those that it never uses.
[[nodiscard]] std::vector<NamedKernelModel> kernel_models(const KernelModelInputs& sources);

/// The model that `auto` selects for a kernel, and its prediction.
struct ChosenTime {
  std::size_t model = 0;  ///< index in the list of models
  KernelTime time{};
};
/// The first model with an answer. Empty: none has one.
[[nodiscard]] std::optional<ChosenTime> choose_time(std::span<const NamedKernelModel> models,
                                                    const graph::Kernel& kernel,
                                                    const Silicon& silicon);

/// Returns `model` with every device replaced by the device `name`.
[[nodiscard]] std::shared_ptr<const KernelModel> with_device_name(
    std::shared_ptr<const KernelModel> model, std::string name);

}  // namespace orrery::model
