// SPDX-License-Identifier: Apache-2.0
//
// Functions of the calling program that replace predicted times, for trying ideas.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/time_estimate.h"

namespace orrery::model {

/// The times that two functions of the calling program return. Each is asked once about every
/// distinct kernel, collective or message of a run, in an order that does not matter: it must
/// return equal times for equal questions. Thread-safe: the functions are called one at a time, by
/// any thread. What they throw passes through the simulator.
class CallerModels {
 public:
  /// `about`: a JSON object that describes the work (docs/python.md). `predicted`: Orrery's time in
  /// seconds; empty: no model predicts it. Returns seconds, above 0 and below kMaxSeconds;
  /// `predicted` itself if nothing changes, NaN for an empty one.
  using Function = std::function<double(const std::string& about, std::optional<double> predicted)>;
  static constexpr double kMaxSeconds = 4e6;

  /// Either may be empty: it then changes nothing.
  CallerModels(Function kernel_time, Function network_time)
      : kernel_time_(std::move(kernel_time)), network_time_(std::move(network_time)) {}

  [[nodiscard]] bool changes_kernels() const { return kernel_time_ != nullptr; }
  [[nodiscard]] bool changes_network() const { return network_time_ != nullptr; }

  /// The time of a kernel in a step, of all its launches, on the device with this name. `predicted`
  /// is empty if no model predicts it. A changed time has the source `callable` and no error band.
  /// Returns `predicted` if nothing changes.
  [[nodiscard]] std::optional<TimeEstimate> kernel_time(
      const graph::Kernel& kernel, std::string_view device,
      const std::optional<TimeEstimate>& predicted) const;
  /// Picoseconds of a message between two end points without contention.
  [[nodiscard]] std::int64_t message_time(std::uint32_t from, std::uint32_t to, std::int64_t bytes,
                                          std::int64_t predicted) const;
  /// The time of a collective that a library runs, of `bytes` (the complete buffer) among `ranks`
  /// on `nodes` hosts.
  [[nodiscard]] Time collective_time(std::string_view collective, std::int64_t bytes,
                                     std::uint32_t ranks, std::uint32_t nodes,
                                     Time predicted) const;

  /// How many distinct pieces of work a function was asked about, and how many times it changed.
  struct Use {
    std::uint64_t asked = 0, changed = 0;
  };
  [[nodiscard]] Use use_of_kernels() const;
  [[nodiscard]] Use use_of_network() const;

 private:
  struct Answers {
    std::map<std::string, std::optional<Time>, std::less<>> times;  ///< by question
    std::uint64_t changed = 0;
  };
  /// The time that `function` returns; empty: `predicted` is empty and stays so.
  [[nodiscard]] std::optional<Time> ask(const Function& function, Answers& answers,
                                        const std::string& about,
                                        std::optional<Time> predicted) const;

  Function kernel_time_, network_time_;
  mutable std::mutex mutex_;
  mutable Answers kernels_, network_;
};

}  // namespace orrery::model
