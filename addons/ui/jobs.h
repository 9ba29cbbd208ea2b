// SPDX-License-Identifier: Apache-2.0
//
// Questions that wait, are being answered, or are answered.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "addons/ui/child.h"

namespace orrery::ui {

enum class JobState : std::uint8_t { queued, running, done };
[[nodiscard]] std::string_view name(JobState state);

/// What is known of a job.
struct JobView {
  std::string id, command;
  JobState state = JobState::queued;
  Progress progress;
  std::uint64_t version = 0;               ///< changes with everything else
  std::shared_ptr<const Outcome> outcome;  ///< null until it is done
};

/// Answers questions on a few threads, in the order in which they came. All functions are
/// thread-safe.
class Jobs {
 public:
  /// `answer` may be called by several threads at once.
  using Run = std::function<Outcome(const Question&, const std::function<void(const Progress&)>&,
                                    const std::atomic<bool>& cancelled)>;
  struct Sizes {
    std::size_t at_once = 2;
    std::size_t waiting = 2000;  ///< more are refused
    std::size_t done = 200;      ///< jobs that are answered and still known
  };

  Jobs(Run run, Sizes sizes);
  /// Cancels all jobs.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// The id of the new job; empty: too many wait.
  [[nodiscard]] std::string submit(Question question);
  /// Empty: unknown, or forgotten since.
  [[nodiscard]] std::optional<JobView> view(const std::string& id) const;
  /// Waits until the job is done, or has another version than `version`, or for a time.
  [[nodiscard]] std::optional<JobView> wait(const std::string& id, std::uint64_t version,
                                            double seconds) const;
  /// Waits until it is done, and forgets it.
  [[nodiscard]] std::shared_ptr<const Outcome> take(const std::string& id);
  /// False: unknown. A job that is done stays as it is.
  bool cancel(const std::string& id);

  struct Counts {
    std::size_t queued = 0, running = 0;
  };
  [[nodiscard]] Counts counts() const;

 private:
  struct Job {
    Question question;
    JobView view;
    std::atomic<bool> cancelled = false;
  };

  void work();
  void finish(Job& job, Outcome outcome);

  const Run run_;
  const Sizes sizes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::condition_variable arrived_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::deque<std::string> done_;
  std::size_t running_ = 0;
  std::uint64_t next_ = 1;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace orrery::ui
