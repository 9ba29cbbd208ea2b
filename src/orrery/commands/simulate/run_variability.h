// SPDX-License-Identifier: Apache-2.0
//
// orrery run --variability: samples many steps.
#pragma once

#include <string>

#include "orrery/commands/context.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/study/variability/step_variability.h"

namespace orrery::commands {

/// The options as typed.
struct VariabilityOptions {
  study::VariabilityQuestion question;  ///< without workload and cluster
  std::string plot;

  static constexpr std::string_view group = study::VariabilityQuestion::group;
  static constexpr auto fields = std::tuple{
      config::QuestionStruct{"question", &VariabilityOptions::question},
      config::QuestionField{"plot", &VariabilityOptions::plot, "--plot", "FILE", config::kNothing,
                            "cost.svg", "Plot the cost of variability by number of ranks as SVG"}
          .advanced()};

  [[nodiscard]] bool given() const { return !question.variability.empty(); }
};

/// Adds --variability, --draws, --seed and related options as a separate group.
void add_variability_options(CommandOptions& command, VariabilityOptions& options);

/// Limits the default of --verify-draws to the number of draws. Errc: usage for options that
/// require --variability or conflict with it.
[[nodiscard]] Result<void> complete_variability_options(const CommandOptions& command,
                                                        VariabilityOptions& options);

/// Samples the steps and delivers the result. `inputs` are complete. Returns the exit code.
int run_variability(const InputOptions& inputs, VariabilityOptions& options, Context& context);

}  // namespace orrery::commands
