// SPDX-License-Identifier: Apache-2.0
//
// The module for MPI, loaded on demand.
#pragma once

#include <memory>
#include <string>

#include "orrery/commands/context.h"
#include "orrery/core/error.h"
#include "orrery/explore/executors/channel.h"

namespace orrery::commands {

/// "Open MPI v4.1.4": the library that the module uses. Errc: usage (there is no module).
[[nodiscard]] Result<std::string> mpi_library();

/// The MPI processes of a search. The destructor ends all processes, unless leave() was called.
class MpiProcesses {
 public:
  /// Errc: usage (there is no module, or the launcher belongs to another MPI).
  [[nodiscard]] static Result<MpiProcesses> begin(const Context& context);
  [[nodiscard]] explore::Channel& channel() { return *channel_; }
  /// All processes call it when no message is in flight.
  void leave();

 private:
  using End = void (*)(explore::Channel*);
  MpiProcesses(explore::Channel* channel, End end) : channel_(channel), end_(end) {}

  std::unique_ptr<explore::Channel> channel_;
  End end_;
};

}  // namespace orrery::commands
