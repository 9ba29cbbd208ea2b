// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/thread_pool.h"

#include <utility>

#include "orrery/core/system/file_read_recorder.h"

namespace orrery {

namespace {

constexpr std::uint64_t kRound = std::uint64_t{1} << 32;
constexpr std::uint32_t kPlaces = ~0u;
constexpr int kGlances = 2000;  // spins before sleeping: some microseconds

/// Returns when `word` differs from `old`.
template <typename Word>
void await_change(const std::atomic<Word>& word, Word old) {
  for (int i = 0; i < kGlances; ++i) {
    if (word.load(std::memory_order_acquire) != old) return;
  }
  word.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t threads) {
  for (std::uint32_t i = 1; i < threads; ++i) helpers_.emplace_back([this] { help(); });
}

ThreadPool::~ThreadPool() {
  over_ = true;
  round_ += kRound;
  round_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

// A thread that takes an item keeps the round open until the item is done: `work_` stays valid.
bool ThreadPool::take_one() {
  std::uint64_t round = round_.load(std::memory_order_acquire);
  do {
    if ((round & kPlaces) == 0) return false;
  } while (!round_.compare_exchange_weak(round, round - 1, std::memory_order_acq_rel,
                                         std::memory_order_acquire));
  {
    const FileReadRecorder::ThreadScope joined(files_);
    call(static_cast<std::uint32_t>(round & kPlaces) - 1);
  }
  if (done_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_.notify_all();
  return true;
}

void ThreadPool::call(std::uint32_t number) {
  if (failed_) return;
  try {
    (*work_)(number);
  } catch (...) {
    if (!failed_.exchange(true)) exception_ = std::current_exception();
  }
}

void ThreadPool::help() {
  while (!over_) {
    const std::uint64_t round = round_.load(std::memory_order_acquire);
    if ((round & kPlaces) == 0 && !over_) await_change(round_, round);
    while (take_one()) {
    }
  }
}

void ThreadPool::parallel_for(std::uint32_t count, const std::function<void(std::uint32_t)>& work) {
  if (count < 2 || helpers_.empty()) {
    for (std::uint32_t i = count; i-- > 0;) work(i);
    return;
  }
  work_ = &work;
  files_ = FileReadRecorder::current();
  done_.store(count, std::memory_order_release);
  const std::uint64_t round = round_.load(std::memory_order_relaxed);
  round_.store((round & ~std::uint64_t{kPlaces}) + kRound + count, std::memory_order_release);
  round_.notify_all();
  while (take_one()) {
  }
  for (std::uint32_t left = done_.load(std::memory_order_acquire); left != 0;
       left = done_.load(std::memory_order_acquire))
    await_change(done_, left);
  if (!failed_) return;
  failed_ = false;
  std::rethrow_exception(std::exchange(exception_, nullptr));
}

}  // namespace orrery
