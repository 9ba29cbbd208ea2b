// SPDX-License-Identifier: Apache-2.0
//
// The network for lookups: its slopes against differences, training on what the heuristic says,
// its file.
#include "orrery/model/kernels/learned/lookup_net.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "addons/kernel_fitting/training/lookup_net_training.h"
#include "addons/kernel_fitting/training/measured_lookups.h"
#include "orrery/core/effort_testing.h"
#include "orrery/core/sanitized_testing.h"
#include "orrery/model/embedding/cache_hits.h"
#include "orrery/model/embedding/lin_devices.h"
#include "orrery/model/kernels/learned/model_file_format.h"

namespace orrery::model {
namespace {

std::int64_t one_of(std::mt19937_64& random, std::initializer_list<std::int64_t> values) {
  return *(values.begin() + random() % values.size());
}

/// A V100's time by the heuristic, its tables one behind the other.
double heuristic_us(const MeasuredLookup& is) {
  const LookupDevice v100 = lin_device("v100-sxm2")->for_lookups();
  LookupTraffic forward;
  double backward = 0;
  for (const LookupTable& table : is.tables) {
    const Lookup lookup{1, table.batch, static_cast<std::int64_t>(table.pooling), table.rows,
                        table.features};
    const double hits =
        reuse_hits(groups_of(table.shares, lookup.lookups()), cached_rows(lookup, v100));
    const LookupTraffic moved = forward_traffic(lookup, hits);
    forward.memory += moved.memory;
    forward.cache += moved.cache;
    backward += backward_bytes(lookup);
  }
  if (is.backward) return v100.memory(std::llround(backward));
  return std::max(v100.memory(std::llround(forward.memory)),
                  forward.cache / (v100.cache_rate * 1e3));
}

/// As Lin et al. draw them: batches of 512 to 4096, several tables with data that is read again
/// more or less often.
std::vector<MeasuredLookup> drawn_lookups(std::size_t count, bool backward, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<MeasuredLookup> all;
  for (std::size_t i = 0; i < count; ++i) {
    MeasuredLookup is{"v100-sxm2", backward, 0, {}};
    const std::int64_t batch = one_of(random, {512, 1024, 2048, 4096});
    for (std::size_t tables = 2 + random() % 7; tables > 0; --tables) {
      LookupTable& table = is.tables.emplace_back();
      table.batch = batch;
      table.rows = std::int64_t{1} << (10 + random() % 13);
      table.features = one_of(random, {32, 64, 128, 256});
      table.pooling = static_cast<double>(1 + random() % 64);
      const auto lookups = batch * static_cast<std::int64_t>(table.pooling);
      table.shares = uniform_shares(std::int64_t{1} << (6 + random() % 17), lookups);
    }
    is.us = heuristic_us(is);
    all.push_back(std::move(is));
  }
  return all;
}

TEST(LookupNet, InputsAreThePublishedOnes) {
  EXPECT_EQ(kLookupInputs, 21u);
  LookupTable table{512, 1 << 20, 64, 0, {}};
  table.shares[3] = 0.25;
  const LookupInputs inputs = lookup_inputs(table);
  EXPECT_FLOAT_EQ(inputs[0], 9);
  EXPECT_FLOAT_EQ(inputs[1], 20);
  EXPECT_FLOAT_EQ(inputs[2], static_cast<float>(std::log2(1e-3)));
  EXPECT_FLOAT_EQ(inputs[3], 6);
  EXPECT_FLOAT_EQ(inputs[7], 0.25f);
}

TEST(LookupNet, SlopesAreDifferences) {
  const auto rows = drawn_lookups(24, false, 5);
  LookupNetOptions options;
  options.width = 6;
  options.layers = 4;
  options.epochs = 3;
  LookupNet net = train_lookup_net(rows, rows, options, 3);
  const LookupGradient at = lookup_gradient(net, rows);
  std::size_t place = 0, checked = 0;
  for (std::vector<NetLayer>* layers : {&net.each, &net.all}) {
    for (NetLayer& layer : *layers) {
      for (std::vector<float>* values : {&layer.weights, &layer.bias}) {
        for (float& value : *values) {
          const float is = value;
          double slope = 0;
          for (const float by : {2e-3f, 5e-4f, 1e-4f}) {
            value = is + by;
            const double above = lookup_gradient(net, rows).error;
            value = is - by;
            const double below = lookup_gradient(net, rows).error;
            slope = (above - below) / (2 * static_cast<double>(by));
            // A rectifier's corner may lie within longer steps; floats have seven digits.
            if (std::abs(at.slopes[place] - slope) < 1e-3 + 0.02 * std::abs(slope)) break;
          }
          value = is;
          EXPECT_NEAR(at.slopes[place], slope, 1e-3 + 0.02 * std::abs(slope)) << place;
          checked += std::abs(slope) > 0.01 ? 1 : 0;
          ++place;
        }
      }
    }
  }
  EXPECT_EQ(place, at.slopes.size());
  EXPECT_GT(checked, 60u);
}

TEST(LookupNet, TablesHaveNoOrder) {
  auto rows = drawn_lookups(30, false, 5);
  LookupNetOptions options;
  options.epochs = 2;
  const LookupNet net = train_lookup_net(rows, rows, options, 3);
  auto turned = rows.front().tables;
  std::reverse(turned.begin(), turned.end());
  EXPECT_NEAR(net.log2_us(rows.front().tables), net.log2_us(turned), 1e-4);
}

TEST(LookupNet, LearnsWhatTheHeuristicSays) {
  for (const bool backward : {false, true}) {
    const auto learning = drawn_lookups(2000, backward, 1), held = drawn_lookups(150, backward, 2);
    const auto choosing = drawn_lookups(100, backward, 3);
    LookupNetOptions options;
    options.width = 48;
    options.epochs = rounds(core_testing::case_count(90, 15), 2);
    const LookupNet net = train_lookup_net(learning, choosing, options, 1);
    const HoldoutError off = lookup_errors(net, held);
    if (kSanitized) continue;
    EXPECT_LT(off.median_error, core_testing::case_count(0.06, 0.15)) << backward;
    EXPECT_GT(off.lower, core_testing::case_count(0.88, 0.7));
    EXPECT_LT(off.upper, core_testing::case_count(1.15, 1.4));
    RecordProperty(backward ? "backward_median" : "forward_median",
                   std::to_string(off.median_error));
    RecordProperty(backward ? "backward_least" : "forward_least", std::to_string(off.lower));
    RecordProperty(backward ? "backward_most" : "forward_most", std::to_string(off.upper));
    // What it would be without learning anything: one time for all.
    LookupNet same = net;
    same.target_scale = 0;
    EXPECT_GT(lookup_errors(same, held).median_error, 0.3);
  }
}

TEST(LookupNet, IsTheSameForASeed) {
  const auto rows = drawn_lookups(60, true, 9);
  LookupNetOptions options;
  options.epochs = 3;
  const auto one = fit_lookup_nets(rows, options, 4), two = fit_lookup_nets(rows, options, 4);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(write_lookup_nets("", *one), write_lookup_nets("", *two));
  EXPECT_NE(write_lookup_nets("", *one), write_lookup_nets("", *fit_lookup_nets(rows, options, 5)));
  EXPECT_EQ(one->front().seen.rows, 6);
  EXPECT_EQ(fit_lookup_nets(std::span(rows).first(19), options, 4).error().code, Errc::input_empty);
}

TEST(LookupNet, IsReadBack) {
  const auto rows = drawn_lookups(40, false, 9);
  LookupNetOptions options;
  options.epochs = 2;
  const auto nets = fit_lookup_nets(rows, options, 4);
  ASSERT_TRUE(nets);
  const std::string text = write_lookup_nets("By hand.", *nets);
  const auto read = LookupNets::read(text, "n");
  ASSERT_TRUE(read) << to_string(read.error());
  const auto us = read->us("v100-sxm2", false, rows.front().tables);
  ASSERT_TRUE(us);
  EXPECT_NEAR(std::log2(*us), nets->front().net.log2_us(rows.front().tables), 1e-9);
  EXPECT_FALSE(read->us("v100-sxm2", true, rows.front().tables));
  EXPECT_FALSE(read->us("a100-40gb", false, rows.front().tables));
}

TEST(LookupNet, DamagedFilesAreRefused) {
  DeviceLookupNet is{"d", false, 1, {0.1, 0.9, 1.1, 3}, {}};
  is.net.each = {{kLookupInputs, 2, std::vector<float>(2 * kLookupInputs), {0, 0}}};
  is.net.all = {{2, 2, {1, 0, 0, 1}, {0, 0}}, {2, 1, {1, 1}, {0}}};
  const std::string text = write_lookup_nets("", std::vector{is});
  ASSERT_TRUE(LookupNets::read(text, "n"));
  for (std::size_t cut = 0; cut < text.size(); cut += 7)
    EXPECT_FALSE(LookupNets::read(text.substr(0, cut), "n")) << cut;
  const std::string body = text.substr(0, text.rfind("sum"));
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string other = body;
    const std::size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    other.replace(at, from.size(), to);
    return LookupNets::read(with_checksum(other), "n");
  };
  EXPECT_TRUE(changed("lookup d", "lookup other"));
  EXPECT_FALSE(changed("forward", "sideways"));
  EXPECT_FALSE(changed("all 2 2", "all 3 2"));
  EXPECT_FALSE(changed("all 2 2", "each 2 2"));
  EXPECT_FALSE(changed("each 21 2", "each 99999999999 99999999999"));
  EXPECT_FALSE(changed("rows=1", "rows=-1"));
  EXPECT_FALSE(changed("scale=1\n", "scale=inf\n"));
  EXPECT_FALSE(changed("orrery-lookup-nets 1", "orrery-lookup-nets 2"));
}

TEST(LookupRows, AreReadBack) {
  const auto rows = drawn_lookups(5, true, 1);
  const auto read = read_lookup_rows(write_lookup_rows(rows), "r.csv");
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_EQ(read->size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ((*read)[i].device, "v100-sxm2");
    EXPECT_TRUE((*read)[i].backward);
    EXPECT_DOUBLE_EQ((*read)[i].us, rows[i].us);
    ASSERT_EQ((*read)[i].tables.size(), rows[i].tables.size());
    EXPECT_EQ((*read)[i].tables[1].rows, rows[i].tables[1].rows);
    EXPECT_NEAR((*read)[i].tables[1].shares[1], rows[i].tables[1].shares[1], 1e-9);
  }
}

TEST(LookupRows, EvenWhereNothingIsSaid) {
  const auto read = read_lookup_rows(
      "us,lookup,device,pass,batch,rows,pooling,features\n5,a,d,forward,64,100,2,8\n"
      "5,a,d,forward,64,1,2,8\n7,b,d,forward,64,100,2,8\n",
      "r.csv");
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].tables.size(), 2u);
  EXPECT_EQ((*read)[0].tables[0].shares, uniform_shares(100, 128));
  EXPECT_EQ((*read)[0].tables[1].shares[7], 1);
}

TEST(LookupRows, HostileOnesAreRefused) {
  const std::string head = "lookup,device,pass,us,batch,rows,pooling,features,reuse\n";
  const auto code = [](const std::string& text) {
    const auto read = read_lookup_rows(text, "r.csv");
    EXPECT_FALSE(read) << text;
    return read ? Errc::usage : read.error().code;
  };
  EXPECT_EQ(code(""), Errc::input_empty);
  EXPECT_EQ(code(head), Errc::input_empty);
  EXPECT_EQ(code("lookup,device\n"), Errc::input_missing_attr);
  EXPECT_EQ(code(head + "a,d,forward,5,64,100,2\n"), Errc::input_corrupt);
  EXPECT_EQ(code(head + "a,d,upward,5,64,100,2,8,\n"), Errc::input_corrupt);
  EXPECT_EQ(code(head + "a,,forward,5,64,100,2,8,\n"), Errc::input_corrupt);
  EXPECT_EQ(code(head + "a,d,forward,-5,64,100,2,8,\n"), Errc::input_range);
  EXPECT_EQ(code(head + "a,d,forward,nan,64,100,2,8,\n"), Errc::input_range);
  EXPECT_EQ(code(head + "a,d,forward,5,0,100,2,8,\n"), Errc::input_range);
  EXPECT_EQ(code(head + "a,d,forward,5,64,99999999999999999999,2,8,\n"), Errc::input_range);
  EXPECT_EQ(code(head + "a,d,forward,5,1099511627776,100,1e11,8,\n"), Errc::input_range);
  EXPECT_EQ(code(head + "a,d,forward,5,64,100,2,8,1\n"), Errc::input_range);
  EXPECT_EQ(code(head + "a,d,forward,5,64,100,2,8,1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"),
            Errc::input_range);
  EXPECT_EQ(code(head + "a,d,forward,5,64,100,2,8,\na,d,forward,6,64,100,2,8,\n"),
            Errc::input_corrupt);
}

}  // namespace
}  // namespace orrery::model
