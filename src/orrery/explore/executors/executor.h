// SPDX-License-Identifier: Apache-2.0
//
// Evaluates points for every phase of a search. All executors give the same results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/explore/evaluation/evaluator.h"

namespace orrery::explore {

/// A point to evaluate.
struct PointQuestion {
  std::uint64_t point = 0;
  PointSpec asked;
  std::string digest;  ///< empty: the result is not stored
};

/// Receives the result of question number `place`. Calls are sequential, in any order.
using AnswerCallback = std::function<void(std::size_t place, PointPrediction predicted)>;

class Executor {
 public:
  virtual ~Executor() = default;
  /// Evaluates `questions` and returns when all are answered; after an error, some are. Errc:
  /// input_mismatch (another process runs another program, or has other files).
  [[nodiscard]] virtual Result<void> evaluate_points(std::span<const PointQuestion> questions,
                                                     Evaluation evaluation,
                                                     const AnswerCallback& answered) = 0;
};

/// Evaluates with threads of this process.
class ThreadsExecutor final : public Executor {
 public:
  /// `space` must outlive this object. `threads`: 0: all cores.
  ThreadsExecutor(const SearchSpace& space, std::uint32_t threads);
  [[nodiscard]] Result<void> evaluate_points(std::span<const PointQuestion> questions,
                                             Evaluation evaluation,
                                             const AnswerCallback& answered) override;

 private:
  [[nodiscard]] std::unique_ptr<Evaluator> take();
  void return_evaluator(std::unique_ptr<Evaluator> evaluator);

  const SearchSpace& space_;
  ThreadPool pool_;
  std::mutex mutex_, answering_;
  std::vector<std::unique_ptr<Evaluator>> idle_;
};

/// `threads`; for 0 the number of cores.
[[nodiscard]] std::uint32_t threads_of(std::uint32_t threads);

}  // namespace orrery::explore
