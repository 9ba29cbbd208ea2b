// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes: a workload or an error with its place, never a crash.
#include "orrery/intake/messages/messages_fuzzing_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::intake::testing::read_any(orrery::trace::Format::flexflow, data, size);
}
