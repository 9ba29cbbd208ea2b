// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/study/recordings/operators/operator_text.h"
#include "orrery/study/recordings/views/views_testing.h"

namespace orrery::study {
namespace {

TEST(OperatorsView, SeparatesOwnTimeFromThatOfChildren) {
  RecordedProducts recorded;
  recorded.op("aten::convolution", 0, 30, "", "");
  recorded.launch("conv", 1, 40, 5);
  recorded.op("aten::add_", 10, 10, "", "");
  recorded.launch("add", 11, 50, 3);
  const View view = view_of("operators", rank_of(recorded.make.take()));
  const ViewTable& names = table_of(view, "names");
  ASSERT_EQ(names.rows.size(), 2u);
  EXPECT_EQ(cell(names, 0, "name"), "aten::convolution");
  EXPECT_EQ(cell(names, 0, "time_ns"), "5 us");
  EXPECT_EQ(cell(names, 0, "with_children_ns"), "8 us");
  EXPECT_EQ(cell(names, 0, "time_share"), "62.5 %");
  EXPECT_EQ(cell(names, 1, "with_children_ns"), "3 us");
  EXPECT_EQ(fact(view, "known_work_share"), "0 %");
}

// A product of 4096³ in bf16: 137.4 GFLOP in 200 us are 687.2 TFLOP/s, 69.5 % of 989 TFLOP/s.
TEST(OperatorsView, ComparesWorkWithTheRoof) {
  RecordedProducts recorded;
  recorded.op("aten::mm", 0, 10, "[[4096, 4096], [4096, 4096]]", kBf16Pair);
  recorded.launch("gemm", 1, 20, 200);
  recorded.op("aten::mm", 20, 10, "[[4096, 4096], [4096, 4096]]", kBf16Pair);
  recorded.launch("gemm", 21, 220, 200);
  recorded.op("aten::add", 40, 10, "[[1024, 1024], [1024, 1024]]", kBf16Pair);
  recorded.launch("elementwise_kernel", 41, 420, 10);
  recorded.op("custom::unknown", 60, 10, "[[1024, 1024]]", "");
  recorded.launch("secret", 61, 430, 10);
  const View view = view_of("operators", rank_of(recorded.make.take()));
  const ViewTable& rows = table_of(view, "arguments");
  ASSERT_EQ(rows.rows.size(), 3u);
  EXPECT_EQ(cell(rows, 0, "count"), "2");
  EXPECT_EQ(cell(rows, 0, "shapes"), "[4096,4096] [4096,4096]");
  EXPECT_EQ(cell(rows, 0, "types"), "bf16");
  EXPECT_EQ(cell(rows, 0, "call_flop"), "137.4 GFLOP");
  EXPECT_EQ(cell(rows, 0, "flop_per_s"), "687.2 TFLOP/s");
  EXPECT_EQ(cell(rows, 0, "roof_share"), "69.5 %");
  EXPECT_EQ(cell(rows, 0, "bound"), "compute");
  // 3 × 2 MiB in 10 us.
  EXPECT_EQ(cell(rows, 1, "name"), "aten::add");
  EXPECT_EQ(cell(rows, 1, "bytes_per_s"), "629.1 GB/s");
  EXPECT_EQ(cell(rows, 1, "bound"), "memory");
  EXPECT_EQ(cell(rows, 2, "call_flop"), "-");
  EXPECT_EQ(cell(rows, 2, "roof_share"), "-");
  EXPECT_EQ(cell(rows, 2, "bound"), "-");
  EXPECT_EQ(fact(view, "known_work_share"), "97.6 %");
  EXPECT_EQ(fact(view, "device_text"), "NVIDIA H100 80GB HBM3 (h100-sxm)");
}

// The link to the host limits it, not the memory of the device.
TEST(OperatorsView, CopiesToTheDeviceHaveNoRoof) {
  RecordedProducts recorded;
  recorded.op("aten::copy_", 0, 10, "[[1000], [1000], []]", R"(["float","float","Scalar"])");
  const auto copy =
      recorded.launch("Memcpy HtoD (Pageable -> Device)", 1, 5, 2, profile::Kind::memcpy);
  recorded.make.work_of(copy).bytes = 4000;
  const View view = view_of("operators", rank_of(recorded.make.take()));
  const ViewTable& rows = table_of(view, "arguments");
  EXPECT_EQ(cell(rows, 0, "bytes_per_s"), "2 GB/s");
  EXPECT_EQ(cell(rows, 0, "roof_share"), "-");
  EXPECT_EQ(cell(rows, 0, "bound"), "-");
}

TEST(OperatorsView, NamesWorkWithoutAnOperatorAndUnknownDevices) {
  profile::Maker make;
  make.profile.devices.push_back({0, "Device of tomorrow", 0, 0});
  make.kernel(make.stream(7), "kernel", 0, 10);
  make.kernel(make.stream(7), "kernel", 20, 10);
  const View view = view_of("operators", rank_of(make.take()));
  const ViewTable& names = table_of(view, "names");
  ASSERT_EQ(names.rows.size(), 1u);
  EXPECT_EQ(cell(names, 0, "name"), "(no operator)");
  EXPECT_EQ(cell(names, 0, "works"), "2");
  EXPECT_EQ(fact(view, "no_operator_share"), "100 %");
  EXPECT_EQ(fact(view, "device_text"), "Device of tomorrow (not in the catalog)");
}

TEST(OperatorsView, IsEmptyWithoutDeviceWork) {
  profile::Maker make;
  make.op(make.thread(1), "aten::add", 0, 10);
  const View view = view_of("operators", rank_of(make.take()));
  EXPECT_TRUE(table_of(view, "names").rows.empty());
}

TEST(OperatorText, DropsWhatIsNoTensor) {
  EXPECT_EQ(shapes_text("[[512], [141, 512], [], []]"), "[512] [141,512]");
  EXPECT_EQ(shapes_text("[[], [4]]"), "[] [4]");
  EXPECT_EQ(shapes_text("[[[4, 1], [4, 2]], []]"), "[[4,1],[4,2]]");
  EXPECT_EQ(shapes_text("[[], []]"), "");
  EXPECT_EQ(shapes_text("garbage]"), "garbage]");
  EXPECT_EQ(formats_text("[[2], [2], []]", R"(["float","c10::Half","Scalar"])"), "fp32 fp16");
}

}  // namespace
}  // namespace orrery::study
