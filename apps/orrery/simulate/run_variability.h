// SPDX-License-Identifier: Apache-2.0
//
// orrery run --variability: many draws of one step.
#pragma once

#include <string>

#include "options/input_options.h"
#include "orrery/study/variability/step_variability.h"
#include "session.h"

namespace orrery::app {

/// As it was typed.
struct VariabilityOptions {
  study::VariabilityQuestion question;  ///< but for the workload and the cluster
  std::string plot;

  static constexpr std::string_view group = study::VariabilityQuestion::group;
  static constexpr auto fields = std::tuple{
      config::QuestionStruct{"question", &VariabilityOptions::question},
      config::QuestionField{"plot", &VariabilityOptions::plot, "--plot", "FILE", config::kNothing,
                            "cost.svg", "Draw how the cost grows with scale into an SVG"}};

  [[nodiscard]] bool given() const { return !question.variability.empty(); }
};

/// Adds --variability, --draws, --seed and those about them, in a group of their own.
void add_variability_options(CLI::App& command, VariabilityOptions& options);

/// No more draws are verified than there are, where nobody said how many. Errc: usage for what only
/// goes with --variability, and what does not.
[[nodiscard]] Result<void> settle_variability_options(const CLI::App& command,
                                                      VariabilityOptions& options);

/// Draws, and says what came of it. `inputs` are settled.
int run_variability(const InputOptions& inputs, VariabilityOptions& options, Session& session);

}  // namespace orrery::app
