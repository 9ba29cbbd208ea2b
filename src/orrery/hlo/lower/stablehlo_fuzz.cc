// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes: a program, its counts and its workload, or an error with its place; no crash.
#include "orrery/hlo/lower/hlo_fuzzing_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::hlo::testing::read_any(orrery::hlo::read_stablehlo, data, size);
}
