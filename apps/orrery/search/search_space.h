// SPDX-License-Identifier: Apache-2.0
//
// orrery search SPACE: a space of jobs and clusters, searched.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "orrery/explore/explore.h"
#include "output/report_files.h"
#include "question_options.h"
#include "search/search_executor.h"
#include "session.h"

namespace orrery::app {

struct SpaceOptions {
  std::string file, part;
  PageOptions page;
  ExecutorOptions executor;
  bool check = false;
  /// An option of spaces that was given; empty: none.
  [[nodiscard]] std::string given() const;

  static constexpr auto fields = std::tuple{
      QuestionField{"file", &SpaceOptions::file, "SPACE", "", kAnswer, "space.yaml",
                    "A space of jobs and clusters (docs/reference/space.md), instead of a job"},
      QuestionField{"part", &SpaceOptions::part, "--part", "K/N", kAnswer, "1/2",
                    "Of a space only the Kth of N parts, kept in FILE.part-K-of-N; env: as the "
                    "launcher says"},
      QuestionStruct{
          "page", &SpaceOptions::page,
          SelectedRow{"path", "Of a space: write its points as one self-contained web page"},
          SelectedRow{"page"}, SelectedRow{"open"}},
      QuestionStruct{"executor", &SpaceOptions::executor},
      QuestionField{"check", &SpaceOptions::check, "--check", "", kNothing, "true",
                    "Only say how large the space is, and what constraints over axes leave of "
                    "it"}};
};

/// `how` has gear, simulated and threads; `rows` points are shown. The exit code.
[[nodiscard]] int search_space(const SpaceOptions& options, explore::ExploreOptions how,
                               std::size_t rows, Session& session);

}  // namespace orrery::app
