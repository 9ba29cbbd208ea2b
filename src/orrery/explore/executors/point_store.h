// SPDX-License-Identifier: Apache-2.0
//
// What is known of a space's points: each found out once, and kept in a file as soon as it is
// known.
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

/// How far a search is.
struct PointProgress {
  const char* what = "";  ///< is done: "estimate", "simulate"
  std::size_t done = 0, of = 0;
  std::size_t known = 0;    ///< of what is done: it was before
  const RunningBest& best;  ///< by what is done here
};
using Progress = std::function<void(const PointProgress&)>;

struct PointStoreOptions {
  Executor* executor = nullptr;  ///< who finds points out; none: threads of this process
  std::uint32_t threads = 0;     ///< of this process; 0: all cores
  std::string file;              ///< where points are kept; empty: nowhere
  bool force = false;            ///< write over a file that no search kept anything in
  /// Of so many machines this is the one, 1 to `parts`; 0: not one of several. Then the file is
  /// FILE.part-1-of-4, and what others have is read.
  std::uint32_t part = 0, parts = 0;
  Progress progress{};
};

class PointStore {
 public:
  /// `space` and `options` must outlive it. Errc: those of reading what is kept; output_exists (it
  /// is no such file); output_failed.
  [[nodiscard]] static Result<std::unique_ptr<PointStore>> open(const SearchSpace& space,
                                                                const PointStoreOptions& options);

  /// Of points by their numbers, in that order. The same whoever finds them out. Errc:
  /// output_failed; those of the executor.
  [[nodiscard]] Result<std::vector<PointPrediction>> find_results(
      const std::vector<std::uint64_t>& points, Evaluation evaluation, const char* what);

  /// Writes the file anew: points in their order, then those of other spaces. Errc: output_failed.
  [[nodiscard]] Result<void> close();

  [[nodiscard]] std::size_t evaluated() const { return evaluated_; }  ///< not known before
  /// How many points were stored and had to be found out again: inputs or models changed.
  [[nodiscard]] std::size_t out_of_date() const { return out_of_date_.size(); }

 private:
  PointStore(const SearchSpace& space, const PointStoreOptions& options);
  struct Open {
    std::vector<PointQuestion> questions;
    std::vector<std::size_t> places;  ///< of each in what was asked
  };
  /// Those of `points` from `begin` to `end` that are not known yet.
  [[nodiscard]] Open find_stored(const std::vector<std::uint64_t>& points, std::size_t begin,
                                 std::size_t end, Evaluation evaluation,
                                 std::vector<PointPrediction>& predicted);
  void keep(const PointQuestion& one, Evaluation evaluation, const PointPrediction& predicted);

  const SearchSpace& space_;
  const PointStoreOptions& options_;
  std::string file_;  ///< that this one writes
  std::unique_ptr<Executor> own_;
  Executor& executor_;
  std::optional<LineFile> kept_file_;
  Freshness fresh_;
  StoredPoints stored_;
  std::map<std::string, std::string> lines_;  ///< by digest
  /// Digests in the order of lines: by the point's number, the cheapest gear first.
  std::map<std::tuple<std::uint64_t, Evaluation>, std::string> order_;
  std::size_t evaluated_ = 0;
  std::set<std::uint64_t> out_of_date_;  ///< points
  RunningBest estimated_, simulated_;
  std::optional<Error> error_;
};

}  // namespace orrery::explore
