// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels fit, orrery kernels plot.
#pragma once

#include <optional>
#include <string>

#include "orrery/study/kernel_fit.h"
#include "orrery/study/kernel_plot.h"
#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// What only these two are asked.
struct TableOptions {
  std::string devices, by, notes;
  std::vector<std::string> classes;
  std::int64_t seed = 1;
  std::int64_t epochs = 0;
  bool quick = false;  ///< leave no device out
  bool held_back = false;

  /// An option that somebody typed, and the commands that it is for.
  struct Stray {
    const char* option;
    const char* only_for;
  };
  /// The first that `fit` (or `plot`) has nothing to do with, if there is one. With both false:
  /// any.
  [[nodiscard]] std::optional<Stray> stray(bool fit, bool plot) const;
};
void add_table_options(CLI::App& command, TableOptions& options);

/// Writes what was fitted, or drawn, to --output and says how good it is.
int fit_kernels(study::FitQuestion question, Session& session);
int plot_kernels(study::PlotQuestion question, Session& session);

}  // namespace orrery::app
