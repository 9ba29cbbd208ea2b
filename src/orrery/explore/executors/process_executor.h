// SPDX-License-Identifier: Apache-2.0
//
// A search with several processes. The first distributes points, a few at a time, to free processes
// and stores the results; the others evaluate.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/explore/executors/channel.h"
#include "orrery/explore/executors/executor.h"

namespace orrery::explore {

/// The executor of the first process. It distributes points in order, in pieces that become smaller
/// towards the end. Each process has two pieces, so that it never waits for the next.
class ProcessExecutor final : public Executor {
 public:
  /// `channel` and `space` must outlive this object. Its destructor ends the other processes.
  ProcessExecutor(Channel& channel, const SearchSpace& space) : channel_(channel), space_(space) {}
  ~ProcessExecutor() override;

  /// Sends the space to all processes; `text` is its source. Errc: the error of a process that
  /// rejects it.
  [[nodiscard]] Result<void> begin(std::string_view text);

  [[nodiscard]] Result<void> evaluate_points(std::span<const PointQuestion> questions,
                                             Evaluation evaluation,
                                             const AnswerCallback& answered) override;

 private:
  struct Piece {
    std::size_t begin = 0, end = 0;
  };
  struct Worker {
    std::uint32_t threads = 1;
    std::vector<Piece> pieces;  ///< assigned pieces, in order
  };
  /// Sends the next piece to process `to`; false: none is left.
  bool send_piece(std::uint32_t to, std::span<const PointQuestion> questions,
                  Evaluation evaluation);
  /// Errc: input_mismatch.
  [[nodiscard]] Result<void> receive_answer(const Message& message,
                                            std::span<const PointQuestion> questions,
                                            Evaluation evaluation, const AnswerCallback& answered);
  [[nodiscard]] Worker& worker(std::uint32_t place) { return workers_[place - 1]; }

  Channel& channel_;
  const SearchSpace& space_;
  std::vector<Worker> workers_;
  std::uint64_t threads_ = 0;  ///< over all processes
  std::size_t next_ = 0;       ///< first question that is not distributed
};

/// Runs one of the other processes: evaluates points with `threads` threads until the first process
/// ends.
void serve_points(Channel& channel, std::uint32_t threads);

/// Ends the other processes without a search.
void dismiss_processes(Channel& channel);

}  // namespace orrery::explore
