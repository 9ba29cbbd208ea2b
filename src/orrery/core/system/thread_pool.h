// SPDX-License-Identifier: Apache-2.0
//
// A thread pool for repeated parallel loops over many items.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace orrery {

class FileReadRecorder;

/// Threads that wait for work: they spin briefly, then sleep. While they spin, starting work takes
/// about a microsecond.
class ThreadPool {
 public:
  /// `threads` includes the caller's; at least 1.
  explicit ThreadPool(std::uint32_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls `work(0)` … `work(count - 1)`, each once, on any of the threads and in any order, and
  /// returns when all have returned. `work` must not call parallel_for(). If `work` throws, calls
  /// that have not begun are skipped, and parallel_for() rethrows the first exception.
  void parallel_for(std::uint32_t count, const std::function<void(std::uint32_t)>& work);

 private:
  void help();
  bool take_one();
  void call(std::uint32_t number);

  // The upper bits hold the number of the round, the lower bits the items not yet taken. They share
  // one word, so that a thread that is late for a round cannot take items of the next.
  std::atomic<std::uint64_t> round_{0};
  std::atomic<std::uint32_t> done_{0};
  std::atomic<bool> over_{false};
  const std::function<void(std::uint32_t)>* work_ = nullptr;
  FileReadRecorder* files_ = nullptr;  ///< scope of the thread that calls parallel_for()
  std::atomic<bool> failed_{false};
  std::exception_ptr exception_;  ///< set by the thread that set `failed_`
  std::vector<std::thread> helpers_;
};

}  // namespace orrery
