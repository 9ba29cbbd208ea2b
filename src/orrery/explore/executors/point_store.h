// SPDX-License-Identifier: Apache-2.0
//
// Results of the points of a space. Each is computed once, and stored in a file immediately.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/explore/evaluation/evaluated_point.h"
#include "orrery/explore/executors/executor.h"
#include "orrery/explore/journal/freshness.h"
#include "orrery/explore/journal/journal.h"
#include "orrery/explore/journal/line_file.h"

namespace orrery::explore {

/// Progress of a search.
struct PointProgress {
  const char* what = "";  ///< phase: "estimate", "simulate"
  std::size_t done = 0, of = 0;
  std::size_t known = 0;    ///< already stored
  const RunningBest& best;  ///< best points of this phase
};
using Progress = std::function<void(const PointProgress&)>;

struct PointStoreOptions {
  Executor* executor = nullptr;  ///< null: threads of this process
  std::uint32_t threads = 0;     ///< threads of this process; 0: all cores
  std::string file;              ///< file of stored points; empty: none
  bool force = false;            ///< overwrite a file without stored points
  /// Number of this part of a search, 1 to `parts`; 0: not split. A part writes FILE.part-1-of-4,
  /// and also reads the files of other parts.
  std::uint32_t part = 0, parts = 0;
  Progress progress{};
};

class PointStore {
 public:
  /// `space` and `options` must outlive the result. Errc: those of reading stored points;
  /// output_exists (the file contains no stored points); output_failed.
  [[nodiscard]] static Result<std::unique_ptr<PointStore>> open(const SearchSpace& space,
                                                                const PointStoreOptions& options);

  /// Returns the results of points by number, in that order, independent of the executor. Evaluates
  /// points without a stored result. Errc: output_failed; those of the executor.
  [[nodiscard]] Result<std::vector<PointPrediction>> find_results(
      const std::vector<std::uint64_t>& points, Evaluation evaluation, const char* what);

  /// Rewrites the file: points in their order, then those of other spaces. Errc: output_failed.
  [[nodiscard]] Result<void> close();

  /// Number of points without a stored result.
  [[nodiscard]] std::size_t evaluated() const { return evaluated_; }
  /// Number of stored points computed again because inputs or models changed.
  [[nodiscard]] std::size_t out_of_date() const { return out_of_date_.size(); }

 private:
  PointStore(const SearchSpace& space, const PointStoreOptions& options);
  struct Open {
    std::vector<PointQuestion> questions;
    std::vector<std::size_t> places;  ///< index of each question in the requested points
  };
  /// Points from `begin` to `end` without a stored result. Fills `predicted` of the others.
  [[nodiscard]] Open find_stored(const std::vector<std::uint64_t>& points, std::size_t begin,
                                 std::size_t end, Evaluation evaluation,
                                 std::vector<PointPrediction>& predicted);
  void store(const PointQuestion& one, Evaluation evaluation, const PointPrediction& predicted);

  const SearchSpace& space_;
  const PointStoreOptions& options_;
  std::string file_;  ///< file to write
  std::unique_ptr<Executor> own_;
  Executor& executor_;
  std::optional<LineFile> file_writer_;
  Freshness fresh_;
  StoredPoints stored_;
  std::map<std::string, std::string> lines_;  ///< by digest
  /// Digests in the order of lines: by point number, then by cost of the evaluation method.
  std::map<std::tuple<std::uint64_t, Evaluation>, std::string> order_;
  std::size_t evaluated_ = 0;
  std::set<std::uint64_t> out_of_date_;  ///< numbers of points
  RunningBest estimated_, simulated_;
  std::optional<Error> error_;
};

}  // namespace orrery::explore
