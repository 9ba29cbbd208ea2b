// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstdlib>
#include <limits>

namespace orrery::bench {
namespace {

std::atomic<std::int64_t> limit_of_all{std::numeric_limits<std::int64_t>::max()};
std::atomic<std::int64_t> now_held{0}, most_held{0};

constexpr std::size_t kAlignment = 64;  // as in PyTorch

/// Stores the size of each block before the block.
class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) const override {
    const c10::Device host(c10::DeviceType::CPU);
    if (bytes == 0) return {nullptr, nullptr, &release, host};
    const auto size = static_cast<std::int64_t>(bytes);
    const std::int64_t before = now_held.fetch_add(size);
    if (size < 0 || before > limit_of_all.load() - size) {
      now_held.fetch_sub(size);
      TORCH_CHECK(false, "more memory than --memory-limit allows: ", bytes, " bytes more");
    }
    void* block = nullptr;
    if (::posix_memalign(&block, kAlignment, bytes + kAlignment) != 0) {
      now_held.fetch_sub(size);
      TORCH_CHECK(false, "no memory for ", bytes, " bytes");
    }
    *static_cast<std::int64_t*>(block) = size;
    std::int64_t most = most_held.load();
    while (most < before + size && !most_held.compare_exchange_weak(most, before + size)) {
    }
    void* const data = static_cast<char*>(block) + kAlignment;
    return {data, data, &release, host};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }

 private:
  static void release(void* data) {
    if (data == nullptr) return;
    char* const block = static_cast<char*>(data) - kAlignment;
    now_held.fetch_sub(*reinterpret_cast<std::int64_t*>(block));
    std::free(block);
  }
};

}  // namespace

void count_memory(std::int64_t limit) {
  limit_of_all = limit;
  static CountingAllocator allocator;
  c10::SetCPUAllocator(&allocator, /*priority=*/1);
}

std::int64_t memory_now() { return now_held.load(); }
std::int64_t memory_peak() { return most_held.load(); }
void reset_peak() { most_held = now_held.load(); }

}  // namespace orrery::bench
