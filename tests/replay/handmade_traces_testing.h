// SPDX-License-Identifier: Apache-2.0
//
// Recordings by hand, as the profiler of PyTorch writes them. Times are microseconds.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::study {

inline std::string event(std::string_view category, std::string_view name, bool device, int lane,
                         int start, int length, int correlation, std::string_view more = "") {
  const std::string where =
      device ? fmt::format("\"device\": 0, \"stream\": {}, ", lane) : std::string();
  return fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{{}"correlation": {}{}}}}})",
      category, name, device ? 0 : 4711, lane, start, length, where, correlation, more);
}
inline std::string launch(int start, int correlation) {
  return event("cuda_runtime", "cudaLaunchKernel", false, 1, start, 5, correlation);
}
inline std::string kernel(std::string_view name, int stream, int start, int length, int correlation,
                          std::string_view more = "") {
  return event("kernel", name, true, stream, start, length, correlation, more);
}
/// Two ranks' all-reduce of 4 MB, as PyTorch describes it.
inline std::string all_reduce(int stream, int start, int length, int correlation) {
  return kernel(
      "ncclDevKernel_AllReduce_Sum_f32_RING_LL", stream, start, length, correlation,
      R"(, "Collective name": "allreduce", "In msg nelems": 1000000, "Out msg nelems": 1000000, "Group size": 2, "dtype": "Float", "Process Group Name": "0", "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]")");
}

/// A folder of its own for each test.
class ByHand : public testing::Test {
 protected:
  ByHand()
      : folder_(std::filesystem::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ByHand() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::vector<std::string>& events, int rank = -1,
                    int ranks = 2) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream file(path);
    file << "{";
    if (rank >= 0)
      file << fmt::format(R"("distributedInfo": {{"rank": {}, "world_size": {}}}, )", rank, ranks);
    file << "\"traceEvents\": [" << fmt::format("{}", fmt::join(events, ",\n")) << "]}\n";
    return path.string();
  }

  std::filesystem::path folder_;
};

}  // namespace orrery::study
