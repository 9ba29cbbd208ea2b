// SPDX-License-Identifier: Apache-2.0
//
// A search by many processes: the first hands out points, a few at a time to whoever is free, and
// keeps what comes back; the others answer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/explore/executors/channel.h"
#include "orrery/explore/executors/executor.h"

namespace orrery::explore {

/// The first process's part. Points are handed out in order, in pieces that become smaller towards
/// the end; everyone has two, so that nobody waits for the next.
class ProcessExecutor final : public Executor {
 public:
  /// `channel` and `space` must outlive it. The others end with it.
  ProcessExecutor(Channel& channel, const SearchSpace& space) : channel_(channel), space_(space) {}
  ~ProcessExecutor() override;

  /// Hands the space to all; `text` is what it was read from. Errc: what somebody has against it.
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
    std::vector<Piece> pieces;  ///< that it has, in order
  };
  /// The next piece; false: nothing is left.
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
  std::uint64_t threads_ = 0;  ///< of all
  std::size_t next_ = 0;       ///< of the questions, the first that nobody has
};

/// The part of all others: answers on so many threads until the first process is done.
void serve_points(Channel& channel, std::uint32_t threads);

/// Where there is no search after all: the others end.
void dismiss_processes(Channel& channel);

}  // namespace orrery::explore
