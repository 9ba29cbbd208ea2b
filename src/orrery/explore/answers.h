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

#include "orrery/explore/executor.h"
#include "orrery/explore/journal.h"
#include "orrery/explore/judged.h"
#include "orrery/space/kept.h"

namespace orrery::explore {

/// How far a search is.
struct SoFar {
  const char* what = "";  ///< is done: "estimate", "simulate"
  std::size_t done = 0, of = 0;
  std::size_t known = 0;  ///< of what is done: it was before
  const BestSoFar& best;  ///< by what is done here
};
using Progress = std::function<void(const SoFar&)>;

struct AnswerOptions {
  Executor* executor = nullptr;  ///< who finds points out; none: threads of this process
  std::uint32_t threads = 0;     ///< of this process; 0: all cores
  std::string file;              ///< where points are kept; empty: nowhere
  bool force = false;            ///< write over a file that no search kept anything in
  /// Of so many machines this is the one, 1 to `parts`; 0: not one of several. Then the file is
  /// FILE.part-1-of-4, and what others have is read.
  std::uint32_t part = 0, parts = 0;
  Progress progress{};
};

class Answers {
 public:
  /// `space` and `options` must outlive it. Errc: those of reading what is kept; output_exists (it
  /// is no such file); output_failed.
  [[nodiscard]] static Result<std::unique_ptr<Answers>> open(const SearchSpace& space,
                                                             const AnswerOptions& options);

  /// Of points by their numbers, in that order. The same whoever finds them out. Errc:
  /// output_failed; those of the executor.
  [[nodiscard]] Result<std::vector<Told>> tell(const std::vector<std::uint64_t>& points,
                                               search::Gear gear, const char* what);

  /// Writes the file anew: points in their order, then those of other spaces. Errc: output_failed.
  [[nodiscard]] Result<void> close();

  [[nodiscard]] std::size_t found_out() const { return found_out_; }  ///< not known before
  /// How many points were stored and had to be found out again: inputs or models changed.
  [[nodiscard]] std::size_t out_of_date() const { return out_of_date_.size(); }

 private:
  Answers(const SearchSpace& space, const AnswerOptions& options);
  struct Open {
    std::vector<Question> questions;
    std::vector<std::size_t> places;  ///< of each in what was asked
  };
  /// Those of `points` from `begin` to `end` that are not known yet.
  [[nodiscard]] Open look_up(const std::vector<std::uint64_t>& points, std::size_t begin,
                             std::size_t end, search::Gear gear, std::vector<Told>& told);
  void keep(const Question& one, search::Gear gear, const Told& told);

  const SearchSpace& space_;
  const AnswerOptions& options_;
  std::string file_;  ///< that this one writes
  std::unique_ptr<Executor> own_;
  Executor& executor_;
  std::optional<space::KeptFile> kept_file_;
  space::Freshness fresh_;
  Kept kept_;
  std::map<std::string, std::string> lines_;  ///< by digest
  /// Digests in the order of lines: by the point's number, the cheapest gear first.
  std::map<std::tuple<std::uint64_t, search::Gear>, std::string> order_;
  std::size_t found_out_ = 0;
  std::set<std::uint64_t> out_of_date_;  ///< points
  BestSoFar estimated_, simulated_;
  std::optional<Error> error_;
};

}  // namespace orrery::explore
