// SPDX-License-Identifier: Apache-2.0
//
// Measured kernels of others: a fifth of the points is left out, and the table has to tell them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>

#include "orrery/core/paths_testing.h"
#include "orrery/core/text/csv.h"
#include "orrery/model/kernels/table/table_file.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::model {
namespace {

namespace fs = std::filesystem;

const fs::path kTables =
    fs::path(core_testing::kSourceFolder) / ".." / "shared" / "data" / "kernels";

std::string unpacked(const fs::path& path) {
  auto file = trace::open_file(path.string());
  EXPECT_TRUE(file);
  auto source = trace::gunzip(std::move(*file), path.string());
  std::string text;
  std::vector<std::byte> block(1 << 16);
  while (true) {
    const auto size = source->read(block);
    EXPECT_TRUE(size);
    if (!size || *size == 0) return text;
    text.append(reinterpret_cast<const char*>(block.data()), *size);
  }
}

std::string_view format_word(std::string_view theirs) {
  if (theirs == "bfloat16") return "bf16";
  return theirs == "nvfp4" ? "fp4_block" : theirs;
}

/// A row of theirs as one of ours.
std::string kernel_text(const std::map<std::string, std::string, std::less<>>& cells) {
  const auto cell = [&](const char* name) {
    const auto found = cells.find(name);
    return found == cells.end() ? std::string() : found->second;
  };
  const std::string_view a = format_word(cells.find("dtype")->second);
  if (cells.contains("m"))
    return fmt::format("gemm forward {},{}>bf16 m={} n={} k={} transposed_b", a, a, cell("m"),
                       cell("n"), cell("k"));
  const bool decode = cells.contains("kv_len");
  const std::string length = cell(decode ? "kv_len" : "seq");
  const std::string cache = cell("kv_dtype"), window = cell("window");
  return fmt::format(
      "attention forward {},{}>bf16 batch={} heads={} kv_heads={} queries={} keys={} key_dim={} "
      "value_dim={}{} causal",
      a, cache.empty() ? a : format_word(cache), cell("batch"), cell("heads"), cell("kv_heads"),
      decode ? "1" : length, length, cell("head_dim"), cell("head_dim"),
      window.empty() || window == "0" ? "" : " window=" + window);
}

MeasuredRows theirs(const std::string& name) {
  const std::string text = unpacked(kTables / (name + ".csv.gz"));
  TrimmedLineReader lines(text, name);
  std::string_view line;
  std::vector<std::string_view> names, cells;
  std::vector<std::string> retained;
  EXPECT_TRUE(lines.next(line) && split_csv_row(line, names, retained));
  std::string ours = "device,kernel,us\n";
  while (lines.next(line)) {
    EXPECT_TRUE(split_csv_row(line, cells, retained));
    std::map<std::string, std::string, std::less<>> row;
    for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i)
      row.emplace(names[i], cells[i]);
    ours += fmt::format("theirs,\"{}\",{}\n", kernel_text(row), row["latency_us"]);
  }
  auto rows = parse_measured(ours, name);
  EXPECT_TRUE(rows) << to_string(rows.error());
  return *std::move(rows);
}

class KernelTables : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!fs::exists(kTables))
      GTEST_SKIP() << "the measured tables are not beside the project (../shared/data/kernels)";
  }
};

TEST_P(KernelTables, TellALeftOutFifth) {
  MeasuredRows rows = theirs(GetParam());
  std::mt19937_64 random(1);
  for (std::size_t i = rows.rows.size(); i-- > 1;)
    std::swap(rows.rows[i], rows.rows[random() % (i + 1)]);
  const std::size_t held = rows.rows.size() / 5;
  const std::vector<MeasuredKernel> left_out(rows.rows.end() - static_cast<std::ptrdiff_t>(held),
                                             rows.rows.end());
  rows.rows.resize(rows.rows.size() - held);
  Findings findings;
  const MeasuredTable table = MeasuredTable::make(rows, findings);
  EXPECT_TRUE(findings.empty());
  Silicon silicon;
  silicon.name = "theirs";
  for (const MeasuredKernel& row : rows.rows)
    ASSERT_NEAR(table.time(row.kernel, silicon)->seconds / row.seconds, 1, 1e-14);
  std::vector<double> errors;
  std::size_t in_band = 0;
  for (const MeasuredKernel& row : left_out) {
    const auto time = table.time(row.kernel, silicon);
    ASSERT_TRUE(time) << graph::to_text(row.kernel);
    const double off = row.seconds / time->seconds - 1;
    in_band += off >= time->band.lower && off <= time->band.upper ? 1 : 0;
    errors.push_back(std::abs(time->seconds / row.seconds - 1));
  }
  std::sort(errors.begin(), errors.end());
  const double median = errors[held / 2];
  const double share = static_cast<double>(in_band) / static_cast<double>(held);
  std::cout << fmt::format("{}: {} points, {:.2f} % median error, {:.1f} % in band\n", GetParam(),
                           held, 100 * median, 100 * share);
  EXPECT_LE(median, 0.05);
  EXPECT_GT(share, 0.77);
  EXPECT_LT(share, 0.84);
}

INSTANTIATE_TEST_SUITE_P(Measured, KernelTables,
                         ::testing::Values("gemm_h100_sxm_trtllm", "gemm_h100_sxm_sglang",
                                           "gemm_a100_sxm_vllm", "attn_fwd_h100_sxm_trtllm",
                                           "attn_ctx_a100_sxm_vllm", "attn_gen_h100_sxm_vllm"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace orrery::model
