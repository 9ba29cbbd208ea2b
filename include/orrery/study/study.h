// SPDX-License-Identifier: Apache-2.0
//
// The main interface: simulates a question and returns an answer. It uses no terminal, no clock and
// no environment variables.
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

struct Outcome;  // internal data

/// Receives the progress of a question. Calls come from the thread that calls simulate(); with
/// several questions, calls may be concurrent.
class Watch {
 public:
  virtual ~Watch() = default;
  /// The number of ranks whose traces are read or converted.
  virtual void reading(std::uint32_t /*ranks*/, std::uint32_t /*of*/) {}
  virtual void converting(std::uint32_t /*ranks*/, std::uint32_t /*of*/) {}
  /// This many simulations of one question follow. Their costs add up.
  virtual void simulations(std::uint32_t /*count*/) {}
  /// Before a simulation of `ranks` ranks: an estimate of the memory that it needs, and of its CPU
  /// time in seconds (order of magnitude).
  virtual void estimated(std::uint32_t /*ranks*/, std::uint64_t /*bytes*/, double /*cpu_seconds*/) {
  }
  /// The number of ranks that finished, and the number of messages.
  virtual void simulating(std::uint32_t /*ranks*/, std::uint32_t /*of*/,
                          std::uint64_t /*messages*/) {}
  /// The phase of the last notification is complete.
  virtual void phase_done() {}
  /// Traces were put into a temporary file in `folder` (Question::stream_folder).
  virtual void spilled(std::uint64_t /*bytes*/, const std::string& /*folder*/) {}
};

/// The result of a question. Cheap to copy.
class Answer {
 public:
  explicit Answer(std::shared_ptr<const Outcome> outcome) : outcome_(std::move(outcome)) {}

  /// The end of the last rank.
  [[nodiscard]] Time step() const;
  /// Whether the run deadlocked; json() contains the waiting ranks and their causes.
  [[nodiscard]] bool stalled() const;
  [[nodiscard]] std::uint32_t ranks() const;
  /// Unexpected, ignored or assumed conditions, of reading and of simulating.
  [[nodiscard]] const Findings& findings() const;
  /// The document of `orrery run --json` without `question` (the options); docs/reference/run.md
  /// describes it. O(ranks).
  [[nodiscard]] std::string json() const;
  /// The run with all recorded times, as a run file contains it (result::write_run). Requires
  /// `record`. Errc: usage without it.
  [[nodiscard]] Result<result::Run> run() const;

  [[nodiscard]] const Outcome& outcome() const { return *outcome_; }

 private:
  std::shared_ptr<const Outcome> outcome_;
};

/// Reads and simulates a question, and returns the result. A deadlocked run is a result, too.
/// Errors and hints are those of the command line.
[[nodiscard]] Result<Answer> simulate(const Question& question, Watch* watch = nullptr);

/// Simulates each question, on `threads` threads (0: all cores) in addition to the threads that a
/// question requests itself. Questions with the same workload or cluster share it: it is read once.
/// Answers are in the order of the questions and equal those of sequential calls.
[[nodiscard]] std::vector<Result<Answer>> simulate_all(std::span<const Question> questions,
                                                       std::uint32_t threads = 0);

}  // namespace orrery::study
