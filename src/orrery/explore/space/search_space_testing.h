// SPDX-License-Identifier: Apache-2.0
//
// Small spaces for tests.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

/// A small model on a machine of sixteen devices.
inline std::string small_space(const std::string& more = "") {
  return R"(version: 1
job:
  model: {name: small, layers: 8, hidden: 1024, heads: 16, vocab: 32000}
  batch: {global: 64, micro: "=micro", seq: 1024}
  parallel: {tp: "=tp", pp: "=pp", sharding: "=sharding"}
cluster:
  device: {peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s, memory_capacity: 2 GB}
  collectives: {library: ideal}
  network:
    - {block: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}
    - {block: switch, size: 4, bandwidth: "{nic} GB/s", latency: 2 us}
axes:
  - {name: tp, values: [1, 2, 4, 8]}
  - {name: pp, values: [1, 2, 3, 4]}
  - {name: micro, values: [1, 2, 4]}
  - {name: sharding, values: [none, zero1]}
  - {name: nic, from: 12.5, to: 50, points: 3, scale: log}
)" + more;
}

inline SearchSpace space_of(const std::string& text) {
  auto space = parse_space(text, "space.yaml");
  EXPECT_TRUE(space) << to_string(space.error());
  return space ? *std::move(space) : SearchSpace{};
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A temporary folder, deleted by the destructor.
struct Folder {
  std::string path;
  Folder() {
    std::string name = ::testing::TempDir() + "orrery-explore-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

}  // namespace orrery::explore
