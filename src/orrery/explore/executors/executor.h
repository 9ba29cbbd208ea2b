// SPDX-License-Identifier: Apache-2.0
//
// Who finds points out. Every phase of a search asks through here, and gets the same answers from
// whoever it is.
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

/// A point that nobody knows yet.
struct PointQuestion {
  std::uint64_t point = 0;
  PointSpec asked;
  std::string digest;  ///< empty: nobody keeps it
};

/// Of the question at a place. Called by one thread at a time, in any order.
using AnswerCallback = std::function<void(std::size_t place, PointPrediction predicted)>;

class Executor {
 public:
  virtual ~Executor() = default;
  /// All have been answered when this returns; where it fails, some. Errc: input_mismatch (whoever
  /// was asked is another program, or has other files).
  [[nodiscard]] virtual Result<void> evaluate_points(std::span<const PointQuestion> questions,
                                                     Evaluation evaluation,
                                                     const AnswerCallback& answered) = 0;
};

/// A few threads of this process.
class ThreadsExecutor final : public Executor {
 public:
  /// `space` must outlive it. `threads`: 0: all cores.
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

/// 0: as many as there are cores.
[[nodiscard]] std::uint32_t threads_of(std::uint32_t threads);

}  // namespace orrery::explore
