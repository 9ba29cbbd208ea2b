// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/calibrate/compute_calibration.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "orrery/model/kernels/silicon_of.h"
#include "orrery/model/kernels/table/table_file.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"
#include "orrery/study/calibrate/recorded_kernel_rows.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A rank of products, one after the other on one stream.
profile::Profile recorded(std::string_view device, const std::vector<std::int64_t>& lengths,
                          bool with_communication = false) {
  profile::Maker make;
  make.profile.devices.push_back({0, std::string(device), 0, 132});
  const std::uint32_t thread = make.thread(1), stream = make.stream(7), other = make.stream(20);
  std::uint64_t correlation = 0;
  std::int64_t at = 100;
  for (const std::int64_t length : lengths) {
    const auto op = make.op(thread, "aten::mm", at - 50, 2);
    make.op_of(op).dims = make.text("[[64, 32], [32, 16]]");
    make.op_of(op).types = make.text(R"(["float", "float"])");
    make.call(thread, "cudaLaunchKernel", at - 50, 1, ++correlation);
    make.kernel(stream, "sgemm_128x128", at, length, correlation);
    at += 100;
  }
  if (with_communication) {
    make.call(thread, "cudaLaunchKernel", at - 20, 1, ++correlation);
    make.kernel(other, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", 0, 150,
                correlation);
  }
  profile::Profile made = make.take();
  (void)profile::attach(made, make.findings);
  return made;
}

TEST(RecordedKernelRows, AreMediansOfEachKernel) {
  RecordedKernelRows rows(nullptr);
  rows.add(recorded("NVIDIA H100 80GB HBM3", {10, 30, 11}));
  rows.add(recorded("NVIDIA H100 80GB HBM3", {12}));
  rows.add(recorded("Abacus", {1}));
  const model::MeasuredRows made = rows.rows();
  ASSERT_EQ(made.rows.size(), 1u);
  EXPECT_EQ(made.devices, std::vector<std::string>{"h100-sxm"});
  EXPECT_EQ(made.rows[0].kernel.operation, graph::Operation::gemm);
  EXPECT_EQ(made.rows[0].kernel.sizes[0], 64);
  EXPECT_DOUBLE_EQ(made.rows[0].seconds, 11.5e-6);
  EXPECT_EQ(rows.kernels(), 5u);
  EXPECT_EQ(rows.known(), 4u);
  EXPECT_EQ(rows.unknown_devices(), std::set<std::string>{"Abacus"});
}

TEST(RecordedKernelRows, LeaveOutWhatCommunicationRanBeside) {
  RecordedKernelRows rows(platform::find_device("b200"));
  rows.add(recorded("", {40, 10}, true));  // the first overlaps it
  ASSERT_EQ(rows.rows().rows.size(), 1u);
  EXPECT_EQ(rows.rows().devices[0], "b200");
  EXPECT_DOUBLE_EQ(rows.rows().rows[0].seconds, 10e-6);
  EXPECT_EQ(rows.overlapped(), 1u);
}

class CalibrateCompute : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("orrery_compute_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const char* name, const std::string& text) const {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  static Result<ComputeCalibration> ask(const ComputeCalibrationQuestion& question) {
    Findings findings;
    return calibrate_compute(question, findings);
  }
  static std::string error_of(const ComputeCalibrationQuestion& question) {
    const auto answer = ask(question);
    return answer ? "none" : to_string(answer.error());
  }

  fs::path folder_;
};

constexpr const char* kProduct = "gemm forward bf16,bf16>bf16 m=4096 n=4096 k=4096";

// Each kernel once, with the median of its times; what comes out goes in again unchanged.
TEST_F(CalibrateCompute, MergesTables) {
  const std::string a =
      file("a.csv",
           fmt::format("device,kernel,us\nH100_SXM,\"{0}\",200\nh100-sxm,\"{0}\",190\n", kProduct));
  const std::string b = file(
      "b.csv", fmt::format("device,kernel,us\nh100-sxm,\"{0}\",240\nb200,\"{0}\",100\n", kProduct));
  const auto answer = ask({.files = {a, b}, .date = "2026-01-31"});
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(answer->report.rows, 2u);
  EXPECT_THAT(answer->table, HasSubstr(fmt::format("h100-sxm,\"{}\",200\n", kProduct)));
  EXPECT_THAT(answer->table, HasSubstr("# measured on 2026-01-31\n# from a.csv sha256 "));
  const auto rows = model::parse_measured(answer->table, "again.csv");
  ASSERT_TRUE(rows) << to_string(rows.error());
  EXPECT_EQ(rows->rows.size(), 2u);
  const auto again = ask({.files = {file("again.csv", answer->table)}});
  ASSERT_TRUE(again);
  const auto rows_of = [](const std::string& table) {
    return table.substr(table.find("device,k"));
  };
  EXPECT_EQ(rows_of(again->table), rows_of(answer->table));
}

TEST_F(CalibrateCompute, KeepsRowsOfSeveralKernels) {
  const std::string both =
      std::string(kProduct) + " + softmax forward bf16,bf16>bf16 rows=1024 features=64";
  const auto answer =
      ask({.files = {file("a.csv", fmt::format("device,kernel,us\nh100-sxm,\"{}\",400\n", both))}});
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_THAT(answer->table, HasSubstr(" + softmax forward"));
}

TEST_F(CalibrateCompute, RefusesWhatItCannotUse) {
  const std::string unknown =
      file("u.csv", fmt::format("device,kernel,us\nabacus,\"{}\",9\n", kProduct));
  EXPECT_THAT(error_of({.files = {unknown}}), HasSubstr("abacus"));
  const std::string ms =
      file("m.csv", fmt::format("device,kernel,us\nh100-sxm,\"{}\",0.2\n", kProduct));
  EXPECT_THAT(error_of({.files = {ms}}), HasSubstr("milliseconds"));
  EXPECT_THAT(error_of({.files = {(folder_ / "none.csv").string()}}), HasSubstr("none.csv"));
  EXPECT_THAT(error_of({.files = {ms}, .date = "2026-1-1"}), HasSubstr("is not a date"));
  const std::string host = file(
      "host.json",
      R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":5}]})");
  EXPECT_THAT(error_of({.files = {host}}), HasSubstr("record device activity"));
  EXPECT_THAT(error_of({.files = {host}, .device = "h100-smx"}), HasSubstr("h100-sxm"));
}

}  // namespace
}  // namespace orrery::study
