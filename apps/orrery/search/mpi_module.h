// SPDX-License-Identifier: Apache-2.0
//
// The module that speaks MPI, loaded when it is asked for.
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/explore/executors/channel.h"

namespace orrery::app {

/// "Open MPI v4.1.4", of the library that the module would use. Errc: usage (there is no module).
[[nodiscard]] Result<std::string> mpi_library();

/// The processes of this search. Whoever does not `leave` them takes all down.
class MpiProcesses {
 public:
  /// Errc: usage (there is no module; the launcher is of another MPI).
  [[nodiscard]] static Result<MpiProcesses> begin();
  [[nodiscard]] explore::Channel& channel() { return *channel_; }
  /// Every process does, when nothing is on the way any more.
  void leave();

 private:
  using End = void (*)(explore::Channel*);
  MpiProcesses(explore::Channel* channel, End end) : channel_(channel), end_(end) {}

  std::unique_ptr<explore::Channel> channel_;
  End end_;
};

}  // namespace orrery::app
