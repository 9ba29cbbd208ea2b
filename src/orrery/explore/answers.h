// SPDX-License-Identifier: Apache-2.0
//
// What is known of a space's points: found out by a few threads, each point once, and kept in a
// file as soon as it is known.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/thread_pool.h"
#include "orrery/explore/evaluator.h"
#include "orrery/explore/journal.h"
#include "orrery/space/kept.h"

namespace orrery::explore {

/// What is done, how much of it, of how much.
using Progress = std::function<void(const char* what, std::size_t done, std::size_t of)>;

struct AnswerOptions {
  std::uint32_t threads = 0;  ///< 0: all cores
  std::string file;           ///< where points are kept; empty: nowhere
  bool force = false;         ///< write over a file that no search kept anything in
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

  /// Of points by their numbers, in that order. The same with any number of threads. Errc:
  /// output_failed.
  [[nodiscard]] Result<std::vector<Told>> tell(const std::vector<std::uint64_t>& points,
                                               search::Gear gear, const char* what);

  /// Writes the file anew: points in their order, then those of other spaces. Errc: output_failed.
  [[nodiscard]] Result<void> close();

  [[nodiscard]] std::size_t found_out() const { return found_out_; }  ///< not known before

 private:
  Answers(const SearchSpace& space, const AnswerOptions& options);
  struct Open {
    std::size_t place = 0;  ///< in what was asked
    std::uint64_t point = 0;
    Asked asked;
    std::string digest;
  };
  /// Those of `points` from `begin` to `end` that are not known yet.
  [[nodiscard]] std::vector<Open> look_up(const std::vector<std::uint64_t>& points,
                                          std::size_t begin, std::size_t end, search::Gear gear,
                                          std::vector<Told>& told);
  void find_out(const std::vector<Open>& open, search::Gear gear, std::vector<Told>& told,
                const std::function<void()>& one_more);
  void keep(const Open& one, search::Gear gear, const Told& told);
  [[nodiscard]] std::unique_ptr<Evaluator> take();
  void give_back(std::unique_ptr<Evaluator> evaluator);

  const SearchSpace& space_;
  const AnswerOptions& options_;
  std::string file_;  ///< that this one writes
  ThreadPool pool_;
  std::optional<space::KeptFile> kept_file_;
  Kept kept_;
  std::map<std::string, std::string> lines_;  ///< by digest
  /// Digests in the order of lines: by the point's number, estimates first.
  std::map<std::tuple<std::uint64_t, bool>, std::string> order_;
  std::size_t found_out_ = 0;
  std::optional<Error> error_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Evaluator>> idle_;
};

}  // namespace orrery::explore
