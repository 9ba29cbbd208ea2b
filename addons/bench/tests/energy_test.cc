// SPDX-License-Identifier: Apache-2.0
#include "apps/orrery_bench/energy.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

namespace orrery::bench {
namespace {

class EnergyTest : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = [] {
    std::string pattern = "/tmp/orrery-energy-XXXXXX";
    return std::filesystem::path(::mkdtemp(pattern.data()));
  }();
};

TEST_F(EnergyTest, IsTheSumOfPackages) {
  write("intel-rapl:0/energy_uj", "100\n");
  write("intel-rapl:1/energy_uj", "1000\n");
  write("intel-rapl:0:0/energy_uj", "5\n");       // a part of the first
  write("intel-rapl-mmio:0/energy_uj", "100\n");  // the first again
  Energy energy(folder_);
  energy.start();
  EXPECT_EQ(energy.since_start(), 0);
  write("intel-rapl:0/energy_uj", "130\n");
  write("intel-rapl:1/energy_uj", "1007\n");
  write("intel-rapl:0:0/energy_uj", "500\n");
  EXPECT_EQ(energy.since_start(), 37);
}

TEST_F(EnergyTest, CountersBeginAnew) {
  write("intel-rapl:0/energy_uj", "990\n");
  write("intel-rapl:0/max_energy_range_uj", "1000\n");
  Energy energy(folder_);
  energy.start();
  write("intel-rapl:0/energy_uj", "15\n");
  EXPECT_EQ(energy.since_start(), 25);
}

TEST_F(EnergyTest, IsNotKnownWhereNothingCanBeRead) {
  Energy none(folder_ / "nowhere");
  none.start();
  EXPECT_EQ(none.since_start(), -1);
  write("intel-rapl:0/energy_uj", "many\n");
  Energy odd(folder_);
  odd.start();
  EXPECT_EQ(odd.since_start(), -1);
  write("intel-rapl:1/energy_uj", "10\n");
  Energy gone(folder_);
  gone.start();
  write("intel-rapl:1/energy_uj", "\n");
  EXPECT_EQ(gone.since_start(), -1);
}

}  // namespace
}  // namespace orrery::bench
