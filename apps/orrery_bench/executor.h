// SPDX-License-Identifier: Apache-2.0
//
// Plays a program with PyTorch: every operator is called through the dispatcher, boxed, with a
// handle that was looked up once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "communicator.h"
#include "program.h"

namespace orrery::replay {

struct PlayOptions {
  unsigned warm_up = 2;  ///< iterations before those that count; the first one tries what works
  unsigned iterations = 10;
  int threads = 1;
  bool think = false;  ///< the host waits where the recorded one did something else
  std::int64_t memory_limit = std::int64_t{1} << 62;  ///< of the host
  std::string device = "cpu";                         ///< as device_of has it
  /// Wait for the device after each step, so that its time is the step's and not only its call's.
  bool synchronise = false;
  Communicator* communicator = nullptr;  ///< null: delays, as the program tells them
  /// Gets the operators that are called, in order and in every iteration; of other steps
  /// Program::name.
  std::vector<std::string>* called = nullptr;
};

struct Played {
  std::int64_t prepare_ns = 0;                    ///< until the first iteration
  std::vector<std::int64_t> wall_ns, cpu_ns;      ///< by iteration; CPU time of the process
  std::vector<std::int64_t> begin_ns, length_ns;  ///< by iteration and step; since its beginning
  std::vector<std::uint32_t> failures;            ///< by step: how many times it did not work
  std::vector<std::string> reasons;               ///< by step: the first time's, one line
  std::vector<std::uint8_t> reshaped;  ///< by step: its results were of other sizes than recorded
  /// By iteration and exchange: when it was under way, since the iteration's beginning.
  std::vector<std::int64_t> exchange_begin_ns, exchange_length_ns;
  std::int64_t external_bytes = 0;  ///< held before the first step, copies not counted
  std::int64_t copies_bytes = 0;    ///< … and the copies
  std::int64_t peak_bytes = 0;      ///< the most held at a time, copies not counted; -1: not known
  // Of the last iteration that does not count:
  std::vector<std::int64_t> held_bytes, most_bytes;  ///< by step: after it and during it, as above;
                                                     ///< empty: not known
  std::map<std::string, std::uint64_t> ran;  ///< operators that calls have begun, inner ones too
  // Of all those that count, together:
  std::int64_t energy_uj = -1;  ///< what the processors have consumed; -1: they do not say
  std::int64_t energy_ns = 0;   ///< in this time
};

/// Errors of single steps are counted and their results made with the recorded sizes; they are not
/// tried again. Those of communications end it, as other ranks wait for them. Throws std::exception
/// where nothing can be played at all.
[[nodiscard]] Played play(const Program& program, const PlayOptions& options);

}  // namespace orrery::replay
