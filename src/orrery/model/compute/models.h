// SPDX-License-Identifier: Apache-2.0
//
// Which models of kernel times there are, and which of them is taken.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// One model, under the name that results and `--compute` use.
struct NamedModel {
  std::string_view name;
  std::shared_ptr<const KernelModel> model;
  bool asked = true;    ///< `auto` may take it …
  bool inside = false;  ///< … but not where its answer is beyond what it knows
};

/// Models that somebody's files describe.
struct GivenModels {
  std::shared_ptr<const KernelModel> measured;  ///< a table; may be null
  std::shared_ptr<const KernelModel> fitted;    ///< what `orrery kernels fit` wrote; may be null
  std::shared_ptr<const KernelModel> systolic;  ///< the device as such arrays; may be null
};

/// What models are made from.
struct KernelSources {
  double scale = 1;       ///< peaks are this share of the data sheet's
  bool own_peak = false;  ///< they are somebody's own figure, which only the roofline follows
  GivenModels given{};
};

/// Every model there is, in the order in which `auto` asks them; behind these what it never asks.
[[nodiscard]] std::vector<NamedModel> kernel_models(const KernelSources& sources);

/// The model that `auto` takes for a kernel, and its answer.
struct Taken {
  std::size_t model = 0;  ///< of those that were asked
  KernelTime time{};
};
/// The first that has an answer. Nothing where none has.
[[nodiscard]] std::optional<Taken> take_time(std::span<const NamedModel> models,
                                             const graph::Kernel& kernel, const Silicon& silicon);

/// `model`, which knows every device as `name`.
[[nodiscard]] std::shared_ptr<const KernelModel> known_as(std::shared_ptr<const KernelModel> model,
                                                          std::string name);

}  // namespace orrery::model
