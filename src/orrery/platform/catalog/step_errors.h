// SPDX-License-Identifier: Apache-2.0
//
// Errors of predicted steps beyond those of the models of their kernels and collectives: entries of
// data/catalog/step_errors.yaml, computed from published steps (benchmarks/fit_bands.py).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "orrery/config/field.h"
#include "orrery/core/error.h"

namespace orrery::platform {

/// One side each of an 80 % interval, as shares of the predicted step: least -0.1 is 10 % shorter.
struct StepErrorRange {
  double lower = 0, upper = 0;

  static constexpr auto fields =
      std::tuple{config::field("least", &StepErrorRange::lower, "lower end, relative to the step",
                               config::between(-0.95, 0)),
                 config::field("most", &StepErrorRange::upper, "upper end, relative to the step",
                               config::between(0, 20))};
  friend bool operator==(const StepErrorRange&, const StepErrorRange&) = default;
};

/// The terms of steps of one kind. They are independent, so they add as the root of the sum of
/// squares.
struct StepErrors {
  std::string name;        ///< kind of the job and products: "dense, 16 bits"; "dense": any other
  std::string about;       ///< what it was computed from
  StepErrorRange source;   ///< between those who measure: site, software, what they do not state
  StepErrorRange family;   ///< between model families
  StepErrorRange release;  ///< between releases of the framework
  StepErrorRange device;   ///< between devices with factors of their own (StepEffects::Factor)
  StepErrorRange unknown_device;  ///< instead of `device`, for devices without such factors
  StepErrorRange plan;            ///< between plans of one source, family, release and device

  static constexpr auto fields = std::tuple{
      config::field("name", &StepErrors::name, "kind of the job, and format of its products"),
      config::field("about", &StepErrors::about, "what the terms were computed from"),
      config::field("source", &StepErrors::source, "between sources"),
      config::field("family", &StepErrors::family, "between model families"),
      config::field("release", &StepErrors::release, "between releases"),
      config::field("device", &StepErrors::device, "between devices with in-step factors"),
      config::field("unknown_device", &StepErrors::unknown_device,
                    "between devices without in-step factors, instead of `device`"),
      config::field("plan", &StepErrors::plan, "between plans")};
};

/// A term, and its name in an interval: "between releases".
struct StepErrorTerm {
  std::string_view name;
  StepErrorRange StepErrors::*range;
};

/// The terms of an interval, in the order of output.
[[nodiscard]] std::span<const StepErrorTerm> step_error_terms(bool known_device);

/// The entry "KIND, PRODUCTS", otherwise "KIND"; null if neither exists: too few measured steps.
[[nodiscard]] const StepErrors* find_step_errors(std::string_view kind, std::string_view products);

[[nodiscard]] std::span<const StepErrors> all_step_errors();
/// Checks the entries. Errc: config_*.
[[nodiscard]] Result<void> check_step_errors();

}  // namespace orrery::platform
