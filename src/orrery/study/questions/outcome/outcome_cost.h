// SPDX-License-Identifier: Apache-2.0
//
// Cost and energy of a simulated step, and of a million tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "orrery/config/question_table.h"
#include "orrery/core/error.h"
#include "orrery/model/power/device_power.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {

struct CostQuestion {
  std::string price, power;

  [[nodiscard]] bool given() const { return !price.empty() || !power.empty(); }

  static constexpr std::string_view group = "Cost and energy";
  static constexpr auto fields = std::tuple{
      config::QuestionField{"price", &CostQuestion::price, "--price", "PRICE", config::kAnswer,
                            "2.5", "Price of a device per hour: prints cost per million tokens"},
      config::QuestionField{"power", &CostQuestion::power, "--power", "WATTS", config::kAnswer,
                            "100-700",
                            "Power of a device in W: catalog, 700, or idle and busy: 100-700"}};
};

/// Of all ranks.
struct StepCosts {
  double step = 0;  ///< seconds
  std::int64_t ranks = 0;
  std::int64_t items = 0;  ///< tokens, else samples, of a step; 0: not known
  bool tokens = true;
  std::optional<double> price;              ///< of a device hour
  std::optional<model::DevicePower> power;  ///< of a device
  std::string power_source;
  double load = 0;  ///< share of the step that ranks compute, mean

  [[nodiscard]] std::optional<double> cost() const;    ///< of a step
  [[nodiscard]] std::optional<double> energy() const;  ///< of a step, J
  /// A figure of a step, per million items.
  [[nodiscard]] std::optional<double> per_million(const std::optional<double>& of_step) const;
};

/// Without --power the power is the catalog's; empty where it has none. Errc: usage (no price, no
/// power; --power catalog for a device without power).
[[nodiscard]] Result<StepCosts> step_costs(const Outcome& outcome, const CostQuestion& question);

void state_step_costs(report::Answer& answer, const StepCosts& costs);

}  // namespace orrery::study
