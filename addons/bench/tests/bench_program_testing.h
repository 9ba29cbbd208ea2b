// SPDX-License-Identifier: Apache-2.0
//
// For tests that replay: runs the program, with files that the test removes.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"

namespace orrery {

using Json = nlohmann::json;

inline const std::string kRecordings =
    std::string(core_testing::kSourceFolder) + "/addons/bench/tests/recordings/";
inline const std::string kShared =
    std::string(core_testing::kSourceFolder) + "/../shared/data/traces/param/";

struct Said {
  int code = -1;
  std::string text;
};

inline Said ask(const std::string& arguments, const std::string& talk = "2>&1",
                [[maybe_unused]] const std::string& another_program = "") {
  Said said;
#ifdef ORRERY_PROGRAM
  const std::string program = another_program.empty() ? core_testing::kProgram : another_program;
  const std::string command = program + " " + arguments + " " + talk;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return said;
  std::array<char, 4096> block;
  for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
    said.text.append(block.data(), got);
  const int status = ::pclose(pipe);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#endif
  return said;
}

class Bench : public ::testing::Test {
 protected:
  /// Operator levels. With quick effort only `kernel`, which covers more of a plan.
  [[nodiscard]] static std::vector<std::string> levels() {
    if (core_testing::full_effort()) return {"top", "kernel"};
    return {"kernel"};
  }
  void SetUp() override {
#ifndef ORRERY_BENCH_MODULE
    GTEST_SKIP() << "built without libtorch (./setup bench)";
#endif
  }
  Json replay(const std::string& arguments) {
    const Said said = ask("bench run " + arguments + " --json --quiet", "2>/dev/null");
    EXPECT_EQ(said.code, 0) << said.text;
    const Json all = Json::parse(said.text, nullptr, false);
    return all.is_object() ? all.value("result", Json::object()) : Json::object();
  }
  /// Writes a file that is removed after the test.
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = [] {
    std::string pattern = "/tmp/orrery-bench-XXXXXX";
    return std::filesystem::path(::mkdtemp(pattern.data()));
  }();
};

}  // namespace orrery
