// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "session.h"

namespace orrery::app {

/// How far a command is, on stderr: one line that is overwritten on a terminal, JSON lines with
/// --progress=json, nothing otherwise. At most ten times a second. Lives as long as one phase.
class Progress {
 public:
  explicit Progress(const Session& session);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void reading(std::uint32_t ranks, std::uint32_t all);
  void simulating(std::uint32_t finished, std::uint32_t all, std::uint64_t messages);
  /// A file that is being written, where that takes longer than a second. `of`: about how many
  /// bytes it will have.
  void writing(const std::string& path, std::uint64_t bytes, std::uint64_t of);
  /// The same before its beginning, where that will take long and cannot be told how far it is.
  void writing(const std::string& path);
  /// Takes the line away again.
  void clear();
  [[nodiscard]] bool active() const { return how_ != How::off; }

 private:
  enum class How { off, line, json };
  [[nodiscard]] bool due();
  void show(const std::string& line);

  How how_ = How::off;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begun_, last_;
};

}  // namespace orrery::app
