// SPDX-License-Identifier: Apache-2.0
//
// orrery search SPACE: a space of jobs and clusters, searched.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "orrery/explore/explore.h"
#include "report_files.h"
#include "search_executor.h"
#include "session.h"

namespace orrery::app {

struct SpaceOptions {
  std::string file;  ///< empty: no space is asked about
  std::string part;  ///< "3/16", or "env"
  bool check = false;
  ExecutorOptions executor;
  PageOptions page;
  /// An option of spaces that was given; empty: none.
  [[nodiscard]] std::string given() const;
};

/// `--part`, `--html` and what goes with it, who looks at points, and what the file is.
void add_space_options(CLI::App& command, SpaceOptions& options);

/// `how` has gear, simulated and threads; `rows` points are shown. The exit code.
[[nodiscard]] int search_space(const SpaceOptions& options, explore::ExploreOptions how,
                               std::size_t rows, Session& session);

}  // namespace orrery::app
