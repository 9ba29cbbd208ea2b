// SPDX-License-Identifier: Apache-2.0
//
// For tests: a host that launches work, with works attached to their calls.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {

/// A thread that launches onto a stream; times in microseconds.
struct LaunchingHost {
  Maker make;
  std::uint32_t thread = make.thread(1), stream = make.stream(7);
  std::uint64_t correlation = 0;

  /// A call at `at` whose kernel begins at `begin`.
  void launch(std::int64_t at, std::int64_t length, std::int64_t begin,
              std::int64_t kernel_length = 1, std::string_view call = "cudaLaunchKernel") {
    make.call(thread, call, at, length, ++correlation);
    make.kernel(stream, "kernel", begin, kernel_length, correlation);
  }
  /// The profile, indexed and attached.
  Profile take() {
    Profile made = make.take();
    (void)attach(made, make.findings);
    return made;
  }
};

}  // namespace orrery::profile
