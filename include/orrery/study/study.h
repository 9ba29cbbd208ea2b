// SPDX-License-Identifier: Apache-2.0
//
// The front door: a question in, an answer out. Without a terminal, a clock or the environment.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/result/run.h"
#include "orrery/study/question.h"

namespace orrery::study {

struct Outcome;  // what is known inside

/// Is told how far a question is. Calls come from the thread that asked, but for several questions
/// at a time.
class Watch {
 public:
  virtual ~Watch() = default;
  /// So many of the ranks' traces are read, or converted.
  virtual void reading(std::uint32_t /*ranks*/, std::uint32_t /*of*/) {}
  virtual void converting(std::uint32_t /*ranks*/, std::uint32_t /*of*/) {}
  /// So many ranks have finished, by so many messages.
  virtual void simulating(std::uint32_t /*ranks*/, std::uint32_t /*of*/,
                          std::uint64_t /*messages*/) {}
  /// What was told of last is through.
  virtual void phase_done() {}
  /// Traces were put into a temporary file in `folder` (Question::stream_folder).
  virtual void spilled(std::uint64_t /*bytes*/, const std::string& /*folder*/) {}
};

/// What came of a question. Cheap to copy.
class Answer {
 public:
  explicit Answer(std::shared_ptr<const Outcome> outcome) : outcome_(std::move(outcome)) {}

  /// When the last rank ended.
  [[nodiscard]] Time step() const;
  /// Ranks wait for each other and never end; json() says which, and why.
  [[nodiscard]] bool stalled() const;
  [[nodiscard]] std::uint32_t ranks() const;
  /// What was odd, ignored or assumed, of reading and of simulating.
  [[nodiscard]] const Findings& findings() const;
  /// What `orrery run --json` prints, but for `question`, the options; docs/reference/run.md says
  /// what is in it. O(ranks).
  [[nodiscard]] std::string json() const;
  /// When everything happened, as a run file holds it (result::write_run); for questions with
  /// `record`. Errc: usage without.
  [[nodiscard]] Result<result::Run> run() const;

  [[nodiscard]] const Outcome& outcome() const { return *outcome_; }

 private:
  std::shared_ptr<const Outcome> outcome_;
};

/// Reads, simulates, and says what came of it. A run that cannot finish is an answer, too. Errors:
/// as the command line has them, with the same hints.
[[nodiscard]] Result<Answer> simulate(const Question& question, Watch* watch = nullptr);

/// The same for each, on so many threads (0: all cores) beside those that a question asks for
/// itself. Questions about one workload or one cluster share it: it is read once. Answers come in
/// the order of the questions, and are the same as one after another.
[[nodiscard]] std::vector<Result<Answer>> simulate_all(std::span<const Question> questions,
                                                       std::uint32_t threads = 0);

}  // namespace orrery::study
