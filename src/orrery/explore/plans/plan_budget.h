// SPDX-License-Identifier: Apache-2.0
//
// How long a plan trains for a token budget, and its cost.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "orrery/config/question_table.h"
#include "orrery/config/unit_fields.h"
#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::explore {

struct BudgetQuestion {
  double tokens = 0;
  std::optional<Duration> deadline;
  std::optional<double> goodput;

  [[nodiscard]] bool given() const { return tokens > 0; }

  static constexpr std::string_view group = "Budget";
  static constexpr auto fields = std::tuple{
      config::QuestionField{"tokens", &BudgetQuestion::tokens, "--tokens", "N", config::kAnswer,
                            "15e12", "Tokens to train on: prints days, and cost with --price"},
      config::QuestionField{"deadline", &BudgetQuestion::deadline, "--deadline", "TIME",
                            config::kAnswer, "90d",
                            "Time available for --tokens: marks plans that need longer; exit code "
                            "1 if all do"},
      config::QuestionField{"goodput", &BudgetQuestion::goodput, "--goodput", "SHARE",
                            config::kAnswer, "0.9",
                            "Share of the time that trains, above 0 to 1; by default as "
                            "'orrery goodput' predicts it with published failure rates"}
          .advanced()};
};

struct PlanBudget {
  double goodput = 1;
  double elapsed = 0;  ///< seconds
  bool late = false;   ///< after the deadline
};

/// Errc: usage for --deadline or --goodput without --tokens, and values outside their range.
[[nodiscard]] Result<void> check_budget(const BudgetQuestion& question);

/// A plan of `spec` on all `devices` of the platform. `step_tokens`: tokens of a step. Errc: usage
/// (the model has no tokens); those of assembling the plan.
[[nodiscard]] Result<PlanBudget> plan_budget(const BudgetQuestion& question,
                                             const platform::Platform& platform,
                                             std::int64_t devices, const workload::Spec& spec,
                                             Time step, std::int64_t step_tokens);

}  // namespace orrery::explore
