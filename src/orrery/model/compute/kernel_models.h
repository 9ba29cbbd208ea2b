// SPDX-License-Identifier: Apache-2.0
//
// Which models of kernel times there are, and which of them is taken.
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

/// One model, which may be asked.
struct NamedKernelModel {
  TimeSource source = TimeSource::none;
  std::shared_ptr<const KernelModel> model;
  bool asked = true;    ///< `auto` may ask it …
  bool inside = false;  ///< … but discards answers beyond what the model knows
};

/// Models that were read from files, by the source of their times.
using SuppliedModels = std::map<TimeSource, std::shared_ptr<const KernelModel>>;

/// What models are built from.
struct KernelModelInputs {
  double scale = 1;       ///< peaks are this share of the data sheet's
  bool own_peak = false;  ///< the user's own figure, which only the roofline follows
  SuppliedModels given{};
};

/// A model of kernel times: its one registration, in kernel_models.cc.
struct KernelModelEntry {
  TimeSource source = TimeSource::none;
  /// Null where it is not built in, or its file was not given.
  std::shared_ptr<const KernelModel> (*make)(const KernelModelInputs& sources);
  bool inside = false;              ///< as NamedKernelModel's
  bool follows_data_sheet = false;  ///< not asked where the user states another peak
  bool is_used_by_auto = true;      ///< otherwise only where `compute` names it
  bool prefers_recorded = false;    ///< named, it replaces only recorded times that it answers
  bool adds_step_overhead =
      true;  ///< predicts kernels alone: a step adds to them (step_overhead.h)
  /// Reads its file; null: it needs none.
  Result<KernelFileContent> (*read)(const KernelFileText& file, Findings& findings) = nullptr;
};
/// All of them, in the order in which `auto` asks them.
[[nodiscard]] std::span<const KernelModelEntry> kernel_model_entries();
/// The entry of `source`, or null: that gives no kernel times.
[[nodiscard]] const KernelModelEntry* kernel_model_entry(TimeSource source);

/// Every model there is, in the order in which `auto` asks them; behind these what it never asks.
[[nodiscard]] std::vector<NamedKernelModel> kernel_models(const KernelModelInputs& sources);

/// The model that `auto` takes for a kernel, and its answer.
struct ChosenTime {
  std::size_t model = 0;  ///< of those that were asked
  KernelTime time{};
};
/// The first that has an answer. Nothing where none has.
[[nodiscard]] std::optional<ChosenTime> choose_time(std::span<const NamedKernelModel> models,
                                                    const graph::Kernel& kernel,
                                                    const Silicon& silicon);

/// `model`, which knows every device as `name`.
[[nodiscard]] std::shared_ptr<const KernelModel> with_device_name(
    std::shared_ptr<const KernelModel> model, std::string name);

}  // namespace orrery::model
