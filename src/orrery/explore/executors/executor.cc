// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/executors/executor.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace orrery::explore {

std::uint32_t threads_of(std::uint32_t threads) {
  return threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

ThreadsExecutor::ThreadsExecutor(const SearchSpace& space, std::uint32_t threads)
    : space_(space), pool_(threads_of(threads)) {}

std::unique_ptr<Evaluator> ThreadsExecutor::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Evaluator>(space_);
  auto evaluator = std::move(idle_.back());
  idle_.pop_back();
  return evaluator;
}

void ThreadsExecutor::return_evaluator(std::unique_ptr<Evaluator> evaluator) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(evaluator));
}

Result<void> ThreadsExecutor::evaluate_points(std::span<const PointQuestion> questions,
                                              Evaluation evaluation,
                                              const AnswerCallback& answered) {
  // Evaluate a few neighbors at a time, since they usually have the same cluster.
  constexpr std::size_t kBatch = 8;
  const auto pieces = static_cast<std::uint32_t>((questions.size() + kBatch - 1) / kBatch);
  pool_.parallel_for(pieces, [&](std::uint32_t piece) {
    auto evaluator = take();
    const std::size_t end = std::min(questions.size(), (piece + std::size_t{1}) * kBatch);
    for (std::size_t i = piece * kBatch; i < end; ++i) {
      PointPrediction predicted = evaluator->predict(questions[i].asked, evaluation);
      const std::lock_guard lock(answering_);
      answered(i, std::move(predicted));
    }
    return_evaluator(std::move(evaluator));
  });
  return {};
}

}  // namespace orrery::explore
