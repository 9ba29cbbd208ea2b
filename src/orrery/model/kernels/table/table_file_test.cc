// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/table_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/model/kernels/table/measured_table_testing.h"

namespace orrery::model {
namespace {

using ::testing::HasSubstr;
using namespace testing_tables;

constexpr std::string_view kOfText =
    "# measured on a Tuesday\n"
    "device,kernel,us\n"
    "toy-1,\"gemm forward bf16,bf16>bf16 m=64 n=128 k=256\",12.5\r\n"
    "\n"
    "toy-1,gemm weight_grad bf16,bf16>fp32 m=64 n=128 k=256 accumulates flops=9 bytes=3,13\n"
    "\"toy-2\",softmax forward fp32,fp32>fp32 rows=4 features=8 launches=2,1e1\n";

TEST(TableFile, ReadsKernelsAsText) {
  const auto rows = parse_measured(kOfText, "toy.csv");
  ASSERT_TRUE(rows) << to_string(rows.error());
  ASSERT_EQ(rows->rows.size(), 3u);
  EXPECT_EQ(rows->devices, (std::vector<std::string>{"toy-1", "toy-2"}));
  EXPECT_EQ(rows->rows[0].kernel, toy_gemm(64, 128, 256));
  EXPECT_DOUBLE_EQ(rows->rows[0].seconds, 12.5e-6);
  EXPECT_EQ(rows->rows[0].line, 3u);
  EXPECT_TRUE(rows->rows[1].kernel.has(graph::kAccumulates));
  EXPECT_EQ(rows->rows[2].device, 1u);
  EXPECT_EQ(rows->rows[2].kernel.launches, 2u);
}

TEST(TableFile, ReadsKernelsInColumns) {
  const auto rows = parse_measured(
      "device,operation,pass,a,b,out,traits,m,n,k,rows,features,us\n"
      "toy-1,gemm,forward,bf16,bf16,bf16,bias+transposed_b,64,128,256,,,12.5\n"
      "toy-1,softmax,forward,fp32,fp32,fp32,,0,,,4,8,3\n",
      "toy.csv");
  ASSERT_TRUE(rows) << to_string(rows.error());
  ASSERT_EQ(rows->rows.size(), 2u);
  graph::Kernel first = toy_gemm(64, 128, 256);
  first.traits = graph::kBias | graph::kTransposedB;
  EXPECT_EQ(rows->rows[0].kernel, first);
  EXPECT_EQ(rows->rows[1].kernel.sizes[1], 8);
}

constexpr std::string_view kTogether =
    "device,kernel,us\n"
    "a,\"gemm forward bf16,bf16>bf16 m=1 n=2 k=3\",2.5\r\n"
    "b,\"gemm forward bf16,bf16>bf16 m=1 n=2 k=3 + cast forward bf16,bf16>fp8 elements=7\",1e1\n"
    "a,\"softmax forward fp32,fp32>fp32 rows=4 features=5\",3";

TEST(TableFile, ReadsWhatWasMeasuredTogether) {
  const auto rows = parse_measured(kTogether, "toy.csv");
  ASSERT_TRUE(rows) << to_string(rows.error());
  ASSERT_EQ(rows->rows.size(), 3u);
  EXPECT_EQ(rows->kernels_of(rows->rows[0]).size(), 1u);
  const auto both = rows->kernels_of(rows->rows[1]);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].operation, graph::Operation::gemm);
  EXPECT_EQ(both[1].operation, graph::Operation::cast);
  EXPECT_DOUBLE_EQ(rows->rows[1].seconds, 10e-6);

  Findings findings;
  const auto table = MeasuredTable::make(*rows, findings);
  EXPECT_EQ(table.size(), 2u) << "of two kernels together a table tells neither";
  EXPECT_EQ(findings.count(FindingCode::key_without_effect), 1u);
}

TEST(TableFile, TablesAreReadBehindEachOther) {
  MeasuredRows all;
  append(all, *parse_measured(kTogether, "one.csv"));
  append(all,
         *parse_measured("device,kernel,us\nc,softmax forward fp32,fp32>fp32 rows=4 features=5 "
                         "+ softmax forward fp32,fp32>fp32 rows=4 features=6,1\nb,softmax "
                         "forward fp32,fp32>fp32 rows=4 features=5,2\n",
                         "two.csv"));
  EXPECT_EQ(all.where, "one.csv");
  EXPECT_EQ(all.devices, (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_EQ(all.rows.size(), 5u);
  EXPECT_EQ(all.rows[3].device, 2u);
  EXPECT_EQ(all.others_of(all.rows[3]).front().sizes[1], 6);
  EXPECT_EQ(all.rows[4].device, 1u);
}

std::string table_error(std::string_view row) {
  const auto rows = parse_measured("device,kernel,us\n" + std::string(row), "toy.csv");
  return rows ? "none" : to_string(rows.error());
}

TEST(TableFile, SaysWhatIsWrongWithARow) {
  EXPECT_THAT(table_error(""), HasSubstr("no measured kernels"));
  EXPECT_THAT(table_error("toy-1\n"), HasSubstr("toy.csv:2: \"toy-1\" is not a row"));
  EXPECT_THAT(table_error("t,gem forward bf16,bf16>bf16 m=1 n=1 k=1,1\n"),
              HasSubstr("did you mean \"gemm\"?"));
  EXPECT_THAT(table_error("t,gemm foward bf16,bf16>bf16 m=1 n=1 k=1,1\n"),
              HasSubstr("did you mean \"forward\"?"));
  EXPECT_THAT(table_error("t,gemm forward bf61,bf16>bf16 m=1 n=1 k=1,1\n"),
              HasSubstr("did you mean \"bf16\"?"));
  EXPECT_THAT(table_error("t,gemm forward bf16 m=1 n=1 k=1,1\n"),
              HasSubstr("such as bf16,bf16>fp32"));
  EXPECT_THAT(table_error("t,gemm forward bf16,bf16>bf16 m=1 n=1 k=1 casual,1\n"),
              HasSubstr("did you mean \"causal\"?"));
  EXPECT_THAT(table_error("t,gemm forward bf16,bf16>bf16 m=1 n=1 rows=1,1\n"),
              HasSubstr("\"rows\" is not a valid size of gemm kernels"));
  EXPECT_THAT(table_error("t,gemm forward bf16,bf16>bf16 m=0 n=1 k=1,1\n"),
              HasSubstr("omit sizes of 0"));
  EXPECT_THAT(table_error("t,gemm forward bf16,bf16>bf16 m=1 n=1 k=x,1\n"),
              HasSubstr("not a whole number"));
  EXPECT_THAT(table_error("t,gemm forward bf16,bf16>bf16 m=1 n=1 m=1,1\n"), HasSubstr("twice"));
  EXPECT_THAT(table_error(",gemm forward bf16,bf16>bf16 m=1 n=1 k=1,1\n"),
              HasSubstr("names no device"));
  EXPECT_THAT(table_error("t\x01,gemm forward bf16,bf16>bf16 m=1 n=1 k=1,1\n"),
              HasSubstr("not the name of a device"));
}

TEST(TableFile, TakesNoTimesThatCannotBe) {
  for (const char* time : {"0", "-1", "1e-310", "1e300"})
    EXPECT_THAT(table_error(std::string("t,gemm forward bf16,bf16>bf16 m=1 n=1 k=1,") + time),
                HasSubstr("E2009"))
        << time;
  for (const char* time : {"nan", "inf", "", "12 ms", "1e999"})
    EXPECT_THAT(table_error(std::string("t,gemm forward bf16,bf16>bf16 m=1 n=1 k=1,") + time),
                HasSubstr("is not a time in microseconds"))
        << time;
}

TEST(TableFile, SaysWhichOfSeveralIsWrong) {
  const std::string gemm = "gemm forward bf16,bf16>bf16 m=1 n=1 k=1";
  EXPECT_THAT(table_error("t," + gemm + " + gemn forward,1\n"),
              HasSubstr("did you mean \"gemm\"?"));
  EXPECT_THAT(table_error("t," + gemm + " + ,1\n"), HasSubstr("is not a valid trait"));
  std::string many = gemm;
  for (int i = 0; i < 16; ++i) many += " + " + gemm;
  EXPECT_THAT(table_error("t,\"" + many + "\",1\n"), HasSubstr("more than 16 kernels"));
  EXPECT_THAT(table_error("t," + gemm + ",1e12\n"), HasSubstr("below 1e+09"));
}

TEST(TableFile, TakesNoOtherHeaders) {
  const auto error = [](std::string_view text) {
    const auto rows = parse_measured(text, "toy.csv");
    return rows ? "none" : to_string(rows.error());
  };
  EXPECT_THAT(error("gpu,m,n,k,latency_us\nx,1,2,3,4\n"), HasSubstr("begin with"));
  EXPECT_THAT(error("device,operation,pass,a,b,out,traits,m,m,us\n"), HasSubstr("twice"));
  EXPECT_THAT(error("device,operation,pass,a,b,out,traits,m,us\nt,gemm,forward,bf16,bf16,bf16\n"),
              HasSubstr("6 cells, but the header has 9"));
  EXPECT_THAT(error("device,operation,pass,a,b,out,traits,q,us\n"
                    "t,gemm,forward,bf16,bf16,bf16,,1,1\n"),
              HasSubstr("\"q\" is not a valid size"));
  EXPECT_THAT(error("device,\"kernel,us\n"), HasSubstr("unclosed quote"));
}

Silicon toy_with_data_sheet() {
  Silicon silicon = toy_device("toy-1");
  silicon.peak[static_cast<std::size_t>(graph::Format::bf16)] = 120e12;
  silicon.memory = 1.2e12;
  return silicon;
}

TEST(TableCheck, KnowsMillisecondsAndNanosecondsForWhatTheyAre) {
  const Silicon toy = toy_with_data_sheet();
  Findings findings;
  MeasuredRows rows = toy_rows(toy_grid(7));
  EXPECT_TRUE(check_measured(rows, toy, findings));
  EXPECT_TRUE(findings.empty());
  for (MeasuredKernel& row : rows.rows) row.seconds /= 1000;
  const auto short_times = check_measured(rows, toy, findings);
  ASSERT_FALSE(short_times);
  EXPECT_EQ(short_times.error().code, Errc::config_unit);
  EXPECT_THAT(short_times.error().hint, HasSubstr("milliseconds"));
  for (MeasuredKernel& row : rows.rows) row.seconds *= 1e6;
  const auto long_times = check_measured(rows, toy, findings);
  ASSERT_FALSE(long_times);
  EXPECT_THAT(long_times.error().hint, HasSubstr("nanoseconds"));
  EXPECT_TRUE(check_measured(rows, toy_device("toy-1"), findings));  // nothing to compare with
  EXPECT_TRUE(check_measured(rows, toy_device("toy-9"), findings));
}

TEST(TableCheck, FindsSingleTimesThatCannotBe) {
  MeasuredRows rows = toy_rows(toy_grid(5));
  rows.rows.back().seconds /= 1000;
  Findings findings;
  EXPECT_TRUE(check_measured(rows, toy_with_data_sheet(), findings));
  EXPECT_EQ(findings.count(FindingCode::time_below_limit), 1u);
}

TEST(TableCheck, SaysHowManyTimesCannotBe) {
  MeasuredRows rows = toy_rows(toy_grid(5));
  for (std::size_t i = 0; i < rows.rows.size(); i += 4) rows.rows[i].seconds /= 1000;
  Findings findings;
  const auto checked = check_measured(rows, toy_with_data_sheet(), findings);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().what, HasSubstr("32 of 125 rows take less than a third"));
}

TEST(TableCheck, GroupsWithoutRowsReadNoWeights) {
  // 1,371 of the 54,113 public times of experts, all of them with fewer rows than groups, were said
  // to be too short: weights of all groups were counted. Here 8 rows need 8 of 256, 16.8 MB each.
  const auto grouped =
      graph::parse_kernel("grouped_gemm forward bf16,bf16>bf16 groups=256 rows=8 n=2048 k=4096");
  ASSERT_TRUE(grouped);
  MeasuredRows rows = toy_rows({*grouped});
  Findings findings;
  rows.rows[0].seconds = 8 * 2 * 2048.0 * 4096.0 / 1.2e12;
  EXPECT_TRUE(check_measured(rows, toy_with_data_sheet(), findings));
  EXPECT_TRUE(findings.empty());
  const MinimumWork all = minimum_work(canonical(*grouped)), none = [&] {
    graph::Kernel idle = *grouped;
    idle.sizes[1] = 0;
    return minimum_work(canonical(idle));
  }();
  EXPECT_EQ(all.bytes, 8 * 2 * (4096.0 + 2048.0 + 2048.0 * 4096.0));
  EXPECT_EQ(all.flops, 2 * 8 * 2048.0 * 4096.0);
  EXPECT_EQ(none.flops, 0);
}

}  // namespace
}  // namespace orrery::model
