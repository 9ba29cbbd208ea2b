// SPDX-License-Identifier: Apache-2.0
//
// orrery search SPACE: searches a space of jobs and clusters.
#pragma once

#include <string>

#include "orrery/commands/command_options.h"
#include "orrery/commands/context.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/commands/search/search_executor.h"
#include "orrery/explore/explore.h"

namespace orrery::commands {

struct SpaceOptions {
  std::string file, part;
  PageOptions page;
  ExecutorOptions executor;
  bool check = false;
  /// The first given option that needs a space; empty: none.
  [[nodiscard]] std::string given() const;

  static constexpr auto fields = std::tuple{
      QuestionField{"file", &SpaceOptions::file, "SPACE", "", kAnswer, "space.yaml",
                    "A space of jobs and clusters (docs/reference/space.md), instead of a job"},
      QuestionField{
          "part", &SpaceOptions::part, "--part", "K/N", kAnswer, "1/2",
          "Evaluate part K of N of a space, stored in FILE.part-K-of-N; env: from the launcher"}
          .advanced(),
      QuestionStruct{
          "page", &SpaceOptions::page,
          SelectedRow{"path", "Write the points of a space as one self-contained web page"},
          SelectedRow{"page"}, SelectedRow{"open"}},
      QuestionStruct{"executor", &SpaceOptions::executor},
      QuestionField{
          "check", &SpaceOptions::check, "--check", "", kNothing, "true",
          "Only print the size of the space, and how much of it constraints on axes allow"}
          .advanced()};
};

/// `how` contains method, simulated and threads; the output shows `rows` points. Returns the exit
/// code.
[[nodiscard]] int search_space(const SpaceOptions& options, explore::ExploreOptions how,
                               std::size_t rows, Context& context);

}  // namespace orrery::commands
