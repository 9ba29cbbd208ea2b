// SPDX-License-Identifier: Apache-2.0
//
// A few threads that do the same work on many things, over and over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace orrery {

class ReadFiles;

/// Threads that wait for work in between: briefly awake, then asleep. Handing out work takes about
/// a microsecond while they are awake.
class ThreadPool {
 public:
  /// `threads` with the caller's, at least 1.
  explicit ThreadPool(std::uint32_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls `work(0)` … `work(count - 1)`, each once, on any of the threads and in any order; all
  /// have returned when this returns. `work` must not throw, nor call this.
  void share(std::uint32_t count, const std::function<void(std::uint32_t)>& work);

 private:
  void help();
  bool take_one();

  // The number of the round, and below it how many things nobody has taken yet: one word, so that
  // who comes late for a round cannot take from the next by mistake.
  std::atomic<std::uint64_t> round_{0};
  std::atomic<std::uint32_t> done_{0};
  std::atomic<bool> over_{false};
  const std::function<void(std::uint32_t)>* work_ = nullptr;
  ReadFiles* files_ = nullptr;  ///< of the thread that shares the work
  std::vector<std::thread> helpers_;
};

}  // namespace orrery
