// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "session.h"

namespace orrery::app {

/// Progress on stderr: one line that is overwritten on a terminal, JSON lines with --progress=json,
/// nothing otherwise. At most ten updates per second.
///
/// JSON has one line at the begin of a phase, some during it, and one at its end. All commands use
/// the same form:
/// {"progress": {"phase": "read", "done": 2, "of": 8, "unit": "ranks", "about": "w"}}
/// "of" is null if the total is unknown.
class TerminalProgress final : public ProgressSink {
 public:
  explicit TerminalProgress(const Session& session);

  void begin(const ProgressPhase& phase, std::uint64_t of) override;
  void update(const ProgressPhase& phase, std::uint64_t done, std::uint64_t of) override;
  void clear() override;
  [[nodiscard]] bool active() const override { return output_ != Output::off; }
  [[nodiscard]] bool is_due() const override;

 private:
  enum class Output { off, line, json };
  void show(const ProgressPhase& phase, std::uint64_t done, std::uint64_t of);
  [[nodiscard]] std::string about(const ProgressPhase& phase, std::uint64_t done,
                                  std::uint64_t of) const;

  Output output_ = Output::off;
  bool shown_ = false;
  std::string phase_;  // the current phase
  bool complete_ = false;
  std::chrono::steady_clock::time_point begun_, last_;
};

}  // namespace orrery::app
