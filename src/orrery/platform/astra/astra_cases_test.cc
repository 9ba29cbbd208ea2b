// SPDX-License-Identifier: Apache-2.0
//
// Every configuration of the reference runs is read; those that the reference refuses, we refuse.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "orrery/config/document.h"
#include "orrery/core/paths_testing.h"
#include "orrery/platform/astra/astra.h"

namespace orrery::platform {

using config::Json;
using config::parse_json;
using config::read_text;
namespace {

namespace fs = std::filesystem;

TEST(AstraCases, AllConfigurationsAreRead) {
  const std::string archive =
      std::string(core_testing::kSourceFolder) + "/tests/golden/data/cases.tar.zst";
  const fs::path folder = fs::path(testing::TempDir()) / "orrery_platform_cases";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string command = "tar --zstd -xf '" + archive + "' -C '" + folder.string() +
                              "' --wildcards '*.json' '*.yml' 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << "cannot unpack " << archive;

  std::set<std::string> refused;
  std::size_t read = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string dir = entry.path().string();
    if (!fs::exists(dir + "/case.json")) continue;
    const Json about = *parse_json(*read_text(dir + "/case.json"), "case.json");
    const std::string backend = about["backend"];
    if (backend == "ns3") continue;
    AstraInputs inputs;
    inputs.system = dir + "/system.json";
    inputs.network = dir + "/network.yml";
    inputs.memory = dir + "/memory.json";
    inputs.model = backend == "aware" ? NetworkModelKind::message : NetworkModelKind::analytical;
    Findings findings;
    const Result<Platform> platform = read_astra(inputs, findings);
    ++read;
    if (!platform) {
      refused.insert(entry.path().filename().string());
      continue;
    }
    EXPECT_EQ(platform->npu_count(), about["npus"].get<std::int64_t>()) << dir;
  }
  fs::remove_all(folder);
  EXPECT_GT(read, 900u);
  EXPECT_EQ(refused, (std::set<std::string>{"err_bad_topo", "err_impl_longer", "err_npus1"}));
}

}  // namespace
}  // namespace orrery::platform
