// SPDX-License-Identifier: Apache-2.0
//
// A model that is calibrated from its own times is the same model; half of a curve tells the other.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "orrery/calibrate/maker_hardware.h"
#include "orrery/calibrate/measurements/collective_names.h"
#include "orrery/calibrate/measurements/toy_runs_testing.h"
#include "orrery/calibrate/network_calibration.h"
#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/paths_testing.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/model/collective/library/library_times.h"

namespace orrery::calibrate {
namespace {

namespace fs = std::filesystem;
using namespace testing_runs;
using graph::CollectiveType;
using model::LibraryTimes;
using model::nccl::Shape;

double us_of(const LibraryTimes& times, CollectiveType type, std::int64_t bytes, Shape shape) {
  return static_cast<double>(times(type, bytes, shape).time.count()) / 1e6;
}

struct Program {
  CollectiveType type;
  const char* name;
  const char* redop;
  BusFactor factor;
};
constexpr std::array<Program, 4> kPrograms = {
    {{CollectiveType::all_reduce, "all_reduce_perf", "sum", BusFactor::twice},
     {CollectiveType::all_gather, "all_gather_perf", "none", BusFactor::once},
     {CollectiveType::reduce_scatter, "reduce_scatter_perf", "sum", BusFactor::once},
     {CollectiveType::all_to_all, "alltoall_perf", "none", BusFactor::once}}};

/// What nccl-tests would print on that machine: every power of two from 512 B to 8 GiB.
std::string sweep(const LibraryTimes& times, const Program& program, Shape shape,
                  const std::string& device) {
  std::vector<std::pair<long, double>> rows;
  for (long bytes = 512; bytes <= 1L << 33; bytes *= 2)
    rows.emplace_back(bytes, us_of(times, program.type, bytes, shape));
  const double n = static_cast<double>(shape.ranks);
  return text_of({.program = program.name,
                  .ranks = static_cast<int>(shape.ranks),
                  .hosts = static_cast<int>(shape.nodes),
                  .factor = (program.factor == BusFactor::twice ? 2 : 1) * (n - 1) / n,
                  .redop = program.redop,
                  .device = device},
                 rows);
}

struct Machine {
  const char* driver;
  const char* device;
};

// Measured devices, and one without measurements (MI300X): its times come from the cost model.
TEST(Closure, TheModelComesBack) {
  double worst = 0;
  int sizes = 0;
  for (const Machine& machine :
       {Machine{"NVIDIA H100 80GB HBM3", "h100-sxm"}, Machine{"NVIDIA A100-SXM4-80GB", "a100-80gb"},
        Machine{"NVIDIA B200", "b200"}, Machine{"AMD Instinct MI300X", "mi300x"}}) {
    const auto hardware = maker_hardware(machine.device);
    ASSERT_TRUE(hardware) << machine.device;
    const LibraryTimes truth(*hardware, machine.device);
    for (const Shape shape : {Shape{2, 1}, Shape{8, 1}, Shape{16, 2}, Shape{64, 8}}) {
      std::string text;
      for (const Program& program : kPrograms) text += sweep(truth, program, shape, machine.driver);
      const auto [set, unused] = parse(text);
      ASSERT_TRUE(set) << to_string(set.error());
      Findings findings;
      const auto made = calibrate_network(*set, {machine.device}, findings);
      ASSERT_TRUE(made) << to_string(made.error());
      ASSERT_EQ(made->curves.size(), kPrograms.size());
      std::vector<model::CollectiveCurve> curves;
      for (const CalibratedCurve& one : made->curves) curves.push_back(one.curve);
      const auto own = model::parse_curves(model::write_curve_file(made->notes, curves), "c.yaml");
      ASSERT_TRUE(own) << to_string(own.error());
      const LibraryTimes again(*hardware, machine.device, *own);
      for (const Program& program : kPrograms) {
        for (std::int64_t bytes = 512; bytes <= std::int64_t{1} << 33; bytes *= 2) {
          const double off =
              us_of(again, program.type, bytes, shape) / us_of(truth, program.type, bytes, shape) -
              1;
          worst = std::max(worst, std::abs(off));
          ++sizes;
          EXPECT_LE(std::abs(off), 0.005)
              << machine.device << ' ' << program.name << ' ' << shape.ranks << ' ' << bytes;
        }
      }
    }
  }
  RecordProperty("worst", std::to_string(worst));
  std::printf("closure: at most %.3f %% over %d sizes\n", 100 * worst, sizes);
}

/// How public tables call devices of the catalog.
std::string cataloged(std::string_view device) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames = {
      {{"GB200", "gb200"},
       {"GB300", "gb300"},
       {"B200", "b200"},
       {"B300", "b300"},
       {"H200", "h200-sxm"},
       {"H100", "h100-sxm"},
       {"h100", "h100-sxm"},
       {"A100-SXM4-40GB", "a100-40gb"},
       {"A100", "a100-80gb"},
       {"RTX PRO 6000", "rtx-pro-6000-server"}}};
  for (const auto& [part, name] : kNames)
    if (device.find(part) != std::string_view::npos) return std::string(name);
  return std::string(device);
}

/// Predicts each size except the first and last from its neighbors, by straight lines and as
/// calibrated.
struct CurveHoldout {
  std::string name;
  double straight = 0, median = 0;
  std::vector<model::HeldOutSize> held;
  std::size_t points = 0;
};

std::optional<CurveHoldout> hold_out_sizes(const MeasuredCurve& curve, const std::string& name,
                                           std::string_view device, const Shape& shape) {
  std::vector<model::SizedTime> points;
  for (const auto& [bytes, us] : curve.points) points.push_back({bytes, us});
  auto type = CollectiveType::all_to_all;  // of which no change is known
  for (const CollectiveType one : model::nccl::kTunedCollectives)
    if (graph::name(one) == curve.collective) type = one;
  CurveHoldout holdout{name};
  holdout.held = model::held_out_sizes(points, curve_maker(curve, cataloged(device), type, shape));
  holdout.straight = model::holdout_curve_error(points, model::curve_through).median;
  holdout.median = model::error_of(holdout.held).median;
  holdout.points = points.size();
  if (holdout.held.empty()) return std::nullopt;
  return holdout;
}

std::vector<CurveHoldout> hold_out_files(const fs::path& file) {
  Findings findings;
  const auto set = read_measurements({file.string()}, findings);
  EXPECT_TRUE(set) << (set ? "" : to_string(set.error()));
  std::vector<CurveHoldout> all;
  if (!set) return all;
  for (const MeasuredCurve& curve : measured_curves(*set, findings)) {
    const std::string name = fmt::format("{} {} {} {} {}", curve.device, curve.version,
                                         curve.collective, curve.dtype, curve.ranks);
    if (auto holdout = hold_out_sizes(curve, name, curve.device, {curve.ranks, 1}))
      all.push_back(*std::move(holdout));
  }
  return all;
}

/// Measured sets of several sources, as one JSON file.
std::vector<CurveHoldout> hold_out_sets(const fs::path& file) {
  std::vector<CurveHoldout> all;
  const auto text = config::read_text(file.string(), 64u << 20);
  const auto tree = text ? config::parse_json(*text, file.string()) : tl::unexpected(text.error());
  EXPECT_TRUE(tree) << (tree ? "" : to_string(tree.error()));
  if (!tree) return all;
  for (const config::Json& one : (*tree)["sets"]) {
    MeasurementSet set{"sets", {}, {}};
    for (const config::Json& row : one["rows"]) {
      if (!(row[1].get<double>() > 0) || row[0].get<std::int64_t>() <= 0) continue;
      MeasuredCollective& made = set.rows.emplace_back();
      made.collective = one["collective"].get<std::string>();
      made.bytes = row[0].get<std::int64_t>();
      made.time_us = row[1].get<double>();
    }
    Findings findings;
    const Shape shape{one["gpus"].get<std::int64_t>(), one["nodes"].get<std::int64_t>()};
    for (const MeasuredCurve& curve : measured_curves(set, findings))
      if (auto holdout = hold_out_sizes(curve, one["id"].get<std::string>(),
                                        one["gpu"].get<std::string>(), shape))
        all.push_back(*std::move(holdout));
  }
  return all;
}

struct Misses {
  std::size_t straight = 0, now = 0;
  double typical = 0;
};

Misses print_misses(const char* name, const std::vector<CurveHoldout>& all) {
  Misses misses;
  std::vector<double> medians;
  std::vector<model::HeldOutSize> held;
  for (const CurveHoldout& one : all) {
    medians.push_back(one.median);
    held.insert(held.end(), one.held.begin(), one.held.end());
    if (one.straight > 0.05) ++misses.straight;
    if (one.median <= 0.05) continue;
    ++misses.now;
    std::printf("%s: %.1f %% of %zu sizes\n", one.name.c_str(), 100 * one.median, one.points);
  }
  misses.typical = median(std::move(medians));
  std::printf(
      "%s: %zu of %zu curves beyond 5 %% (%zu by straight lines), median of medians %.1f %%, nine "
      "sizes of ten within %.1f %%\n",
      name, misses.now, all.size(), misses.straight, 100 * misses.typical,
      100 * model::error_of(held).p90);
  return misses;
}

// Public tables, where they are there. Which curves miss 5 % is printed.
TEST(Halves, OfPublicCurvesTellTheOther) {
  const fs::path folder = fs::path(core_testing::kSourceFolder) / "../shared/data/kernels";
  if (!fs::exists(folder))
    GTEST_SKIP() << "the measured tables are not next to the project (../shared/data/kernels)";
  for (const char* name : {"nccl_intranode_aiconfigurator", "nccl_more"}) {
    const std::vector<CurveHoldout> all = hold_out_files(folder / (std::string(name) + ".csv.gz"));
    ASSERT_GT(all.size(), 90u);
    const Misses misses = print_misses(name, all);
    EXPECT_LE(misses.typical, 0.025) << name;
    EXPECT_LE(misses.now * 9, all.size()) << name;
    EXPECT_LE(misses.now, misses.straight) << name;
  }
}

TEST(Halves, OfPublicSetsTellTheOther) {
  const fs::path file =
      fs::path(core_testing::kSourceFolder) / "../shared/data/validation/nccl_measured.json";
  if (!fs::exists(file))
    GTEST_SKIP() << "the measured sets are not beside the project (../shared/data/validation)";
  const std::vector<CurveHoldout> all = hold_out_sets(file);
  ASSERT_GT(all.size(), 100u);
  const Misses misses = print_misses("nccl_measured", all);
  EXPECT_LE(misses.typical, 0.025);
  EXPECT_LE(misses.now * 8, all.size());
  EXPECT_LE(misses.now, misses.straight);
}

}  // namespace
}  // namespace orrery::calibrate
