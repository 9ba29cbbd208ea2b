// SPDX-License-Identifier: Apache-2.0
//
// Programs of our own for tests, and readers that must succeed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "orrery/hlo/lower/program_count.h"
#include "orrery/hlo/lower/to_workload.h"
#include "orrery/hlo/text/read_program.h"

namespace orrery::hlo::testing {

/// Reads a program that is right.
inline Program read(std::string_view text, Findings& findings) {
  auto program = read_program(text, "p", findings);
  EXPECT_TRUE(program) << to_string(program.error());
  return program ? *std::move(program) : Program{};
}

/// Its counts.
inline ProgramCount count(std::string_view text, Findings& findings) {
  const Program program = read(text, findings);
  if (program.computations.empty()) return {};
  const auto counted = count_program(program, "p", findings);
  EXPECT_TRUE(counted) << to_string(counted.error());
  return counted.value_or(ProgramCount{});
}
inline ProgramCount count(std::string_view text) {
  Findings findings;
  ProgramCount counted = count(text, findings);
  EXPECT_TRUE(findings.empty());
  return counted;
}

/// A function of StableHLO with this body.
inline std::string function(std::string_view arguments, std::string_view result,
                            std::string_view body) {
  return "module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {\n"
         "func.func public @main(" +
         std::string(arguments) + ") -> " + std::string(result) + " {\n" + std::string(body) +
         "}\n}\n";
}

/// What is wrong with a text.
inline std::string error_of(std::string_view text) {
  Findings findings;
  const auto program = read_program(text, "p", findings);
  if (!program) return to_string(program.error());
  const auto counted = count_program(*program, "p", findings);
  return counted ? std::string() : to_string(counted.error());
}

}  // namespace orrery::hlo::testing
