// SPDX-License-Identifier: Apache-2.0
//
// Views compared with the tables of TraceLens (AMD-AGI/TraceLens, commit 171dd747, MIT) of the same
// recordings. docs/recorded-views.md lists where the definitions differ.
// Cost: 1 CPU s.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "recorded_views.h"

namespace orrery::views_test {
namespace {

constexpr double kTolerance = 1e-3;

void expect_near(double ours, double theirs, const std::string& what) {
  EXPECT_NEAR(ours, theirs, kTolerance * std::abs(theirs) + 1e-9) << what;
}

double number(const std::map<std::string, std::string>& row, const std::string& name) {
  return std::stod(row.at(name));
}

class TraceLens : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto folder = shared_data() / "pairs";
    if (!std::filesystem::exists(folder))
      GTEST_SKIP() << "the recordings are not beside the project (../shared/data/pairs)";
    static std::map<std::string, RecordedViews> read;  // each once for all tests
    if (read.count(GetParam()) == 0)
      read[GetParam()] = views_of(folder / (std::string(GetParam()) + ".json.gz"));
    ours_ = read[GetParam()];
    tables_ = folder / GetParam();
  }
  [[nodiscard]] auto theirs(const std::string& table) const {
    return csv_rows(tables_ / (table + ".csv"));
  }

  RecordedViews ours_;
  std::filesystem::path tables_;
};

// TraceLens counts memsets as computation. None of these overlaps other work.
TEST_P(TraceLens, Timeline) {
  std::map<std::string, double> ms;
  for (const auto& row : theirs("gpu_timeline")) ms[row.at("type")] = number(row, "time ms");
  const auto is = [&](const char* type, Time time) {
    expect_near(seconds(time) * 1e3, ms.at(type), type);
  };
  const profile::Breakdown& ours = ours_.on_device;
  is("computation_time", ours.compute_only + ours.overlapped + ours_.memsets);
  is("exposed_comm_time", ours.comm_only);
  is("total_comm_time", ours.comm_only + ours.overlapped);
  is("exposed_memcpy_time", ours.copy_only - ours_.memsets);
  is("busy_time", ours.length - ours.idle);
  is("idle_time", ours.idle);
  is("total_time", ours.length);
}

TEST_P(TraceLens, OperatorsByName) {
  const auto& rows = ours_.views["operators"]["names"];
  const auto wanted = theirs("ops_summary");
  EXPECT_EQ(rows.size(), wanted.size());
  for (const auto& row : wanted) {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const auto& one) { return one["name"] == row.at("name"); });
    ASSERT_NE(found, rows.end()) << row.at("name");
    EXPECT_EQ((*found)["count"], number(row, "Count")) << row.at("name");
    expect_near((*found)["time_ns"].get<double>() * 1e-3,
                number(row, "total_direct_kernel_time_sum"), row.at("name"));
    expect_near((*found)["with_children_ns"].get<double>() * 1e-3,
                number(row, "total_subtree_kernel_time_sum"), row.at("name"));
    expect_near((*found)["time_share"].get<double>() * 100, number(row, "Percentage (%)"),
                row.at("name"));
  }
}

/// Calls, own time and time with children in us.
struct Sums {
  double calls = 0, own = 0, with_children = 0;
};

// TraceLens also separates calls by strides and by values of arguments; sums over these are equal.
TEST_P(TraceLens, OperatorsByArguments) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, Sums> wanted, ours;
  for (const auto& row : theirs("ops_unique_args")) {
    Sums& sums =
        wanted[{row.at("name"), as_list(row.at("Input Dims")), as_list(row.at("Input type"))}];
    sums.calls += number(row, "operation_count");
    sums.own += number(row, "total_direct_kernel_time_sum");
    sums.with_children += number(row, "total_subtree_kernel_time_sum");
  }
  for (const auto& row : ours_.views["operators"]["arguments"])
    ours[{row["name"], as_list(row["shapes"]), as_list(row["types"])}] = {
        row["count"], row["time_ns"].get<double>() * 1e-3,
        row["with_children_ns"].get<double>() * 1e-3};
  EXPECT_EQ(ours.size(), wanted.size());
  for (const auto& [key, sums] : wanted) {
    const std::string what = std::get<0>(key) + " " + std::get<1>(key);
    ASSERT_EQ(ours.count(key), 1u) << what;
    EXPECT_EQ(ours[key].calls, sums.calls) << what;
    expect_near(ours[key].own, sums.own, what);
    expect_near(ours[key].with_children, sums.with_children, what);
  }
}

// TraceLens also separates kernels by stream.
TEST_P(TraceLens, KernelsOfOperators) {
  using Key = std::pair<std::string, std::string>;
  std::map<Key, Sums> wanted, ours;
  for (const auto& row : theirs("kernel_summary")) {
    Sums& sums = wanted[{row.at("Parent cpu_op"), row.at("Kernel name")}];
    sums.calls += number(row, "Kernel duration (µs)_count");
    sums.own += number(row, "Kernel duration (µs)_sum");
  }
  std::string operator_name;
  for (const auto& row : ours_.views["modules"]["tree"]) {
    if (row["node_kind"] == "operator") operator_name = row["name"];
    if (row["node_kind"] != "kernel") continue;
    Sums& sums = ours[{operator_name, row["name"]}];
    sums.calls += row["count"].get<double>();
    sums.own += row["time_ns"].get<double>() * 1e-3;
  }
  for (const auto& [key, sums] : wanted) {
    ASSERT_EQ(ours.count(key), 1u) << key.first << " " << key.second;
    EXPECT_EQ(ours[key].calls, sums.calls) << key.second;
    expect_near(ours[key].own, sums.own, key.second);
  }
  // Copies and fills are no kernels in TraceLens' table.
  for (const auto& [key, sums] : ours)
    EXPECT_TRUE(wanted.count(key) > 0 || key.second.starts_with("Mem")) << key.second;
}

// The categories that both have. TraceLens' "elementwise" and "other" are several of ours each. A
// memset has the category of its operator there.
TEST_P(TraceLens, Categories) {
  const std::map<std::string, std::string> theirs_of = {{"gemm", "GEMM"},
                                                        {"batched_gemm", "GEMM"},
                                                        {"convolution", "CONV_fwd"},
                                                        {"layer_norm", "NORM_fwd"},
                                                        {"reduction", "reduce"},
                                                        {"activation", "elementwise"},
                                                        {"elementwise", "elementwise"}};
  std::map<std::string, double> ms, own;
  for (const auto& row : theirs("ops_summary_by_category"))
    ms[row.at("op category")] = number(row, "total_direct_kernel_time_ms");
  for (const auto& row : ours_.views["categories"]["categories"]) {
    const auto found =
        theirs_of.find(row["category"].is_null() ? "unknown" : row["category"].get<std::string>());
    const double time = row["time_ns"].get<double>() * 1e-6;
    own[found == theirs_of.end() ? "rest" : found->second] += time;
    own["all"] += time;
  }
  std::map<std::string, std::string> category_of;
  for (const auto& row : theirs("ops_unique_args"))
    category_of[row.at("name")] = row.at("op category");
  std::string operator_name;
  for (const auto& row : ours_.views["modules"]["tree"]) {
    if (row["node_kind"] == "operator") operator_name = row["name"];
    if (row["node_kind"] != "kernel" || !row["name"].get<std::string>().starts_with("Memset"))
      continue;
    own[category_of.at(operator_name)] += row["time_ns"].get<double>() * 1e-6;
    own["rest"] -= row["time_ns"].get<double>() * 1e-6;
  }
  double all = 0;
  for (const auto& [category, time] : ms) {
    all += time;
    if (category != "elementwise" && category != "other")
      expect_near(own[category], time, category);
  }
  expect_near(own["all"], all, "all");
  expect_near(own["elementwise"] + own["rest"], ms["elementwise"] + ms["other"], "rest");
}

struct ProductSums {
  double calls = 0, us = 0, flop = 0, bytes = 0;
  bool transposed_a = false, transposed_b = false;
};

// TraceLens also counts reading the bias and adding it.
TEST_P(TraceLens, MatrixProducts) {
  using Key = std::tuple<double, double, double, double>;
  std::map<Key, ProductSums> wanted;
  for (const auto& row : theirs("GEMM")) {
    const double m = number(row, "param: M"), n = number(row, "param: N");
    const double calls = number(row, "name_count");
    const bool bias = row.at("param: bias") == "True";
    ProductSums& sums = wanted[{number(row, "param: B"), m, n, number(row, "param: K")}];
    sums.calls += calls;
    sums.us += number(row, "Kernel Time (µs)_sum");
    sums.flop += calls * (number(row, "GFLOPS_first") * 1e9 - (bias ? m * n : 0));
    sums.bytes += calls * (number(row, "Data Moved (MB)_first") * 1024 * 1024 - (bias ? 2 * n : 0));
    const auto transposes = row.find("param: transpose");
    // In the order of BLAS, which stores columns: the second factor comes first.
    sums.transposed_b = transposes == row.end() || transposes->second.starts_with("(True");
    sums.transposed_a = transposes != row.end() && transposes->second.ends_with("True)");
  }
  const auto& rows = ours_.views["gemms"]["products"];
  EXPECT_EQ(rows.size(), wanted.size());
  for (const auto& row : rows) {
    const Key key{row["batch"], row["m"], row["n"], row["k"]};
    const std::string what = row.dump();
    ASSERT_EQ(wanted.count(key), 1u) << what;
    const ProductSums& sums = wanted[key];
    EXPECT_EQ(row["count"], sums.calls) << what;
    expect_near(row["time_ns"].get<double>() * 1e-3, sums.us, what);
    expect_near(row["flop_per_s"], sums.flop / sums.us * 1e6, what);
    expect_near(row["bytes_per_s"], sums.bytes / sums.us * 1e6, what);
    if (std::string(GetParam()).ends_with("h100")) continue;  // no transposes in these tables
    EXPECT_EQ(row["transposed_a"], sums.transposed_a) << what;
    EXPECT_EQ(row["transposed_b"], sums.transposed_b) << what;
  }
}

// Their bins are other ones: each of our limits lies within one of their bins.
TEST_P(TraceLens, ShortKernels) {
  const auto bins = theirs("short_kernel_histogram");
  double short_kernels = 0, below = 0;
  for (const auto& bin : bins) short_kernels += number(bin, "count");
  EXPECT_EQ(ours_.views["categories"]["short_kernel_count"], short_kernels);
  for (const auto& row : ours_.views["categories"]["lengths"]) {
    if (row["limit_ns"].is_null() || row["limit_ns"].get<double>() > 10e3) break;
    below += row["count"].get<double>();
    const double limit = row["limit_ns"].get<double>() * 1e-3;
    double least = 0, most = 0;
    for (const auto& bin : bins) {
      if (number(bin, "bin_end") < limit) least += number(bin, "count");
      if (number(bin, "bin_start") < limit) most += number(bin, "count");
    }
    EXPECT_GE(below, least) << limit;
    EXPECT_LE(below, most) << limit;
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, TraceLens,
                         testing::Values("bert_small.h100", "bert_small.mi300", "timesformer.h100",
                                         "timesformer.mi300", "vit_nsfw.h100", "vit_nsfw.mi300"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace orrery::views_test
