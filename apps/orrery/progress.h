// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/study/study.h"
#include "session.h"

namespace orrery::app {

/// How far a command is, on stderr: one line that is overwritten on a terminal, JSON lines with
/// --progress=json, nothing otherwise. At most ten times a second. Lives as long as one phase or
/// several after each other.
///
/// JSON has one line when a phase begins, some in between and one when it is through, in every
/// command of one shape:
/// {"progress": {"phase": "read", "done": 2, "of": 8, "unit": "ranks", "about": "w"}}
/// "of" is null where nobody knows how much there will be.
class Progress {
 public:
  explicit Progress(const Session& session);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  struct Phase {
    std::string_view name;   ///< "read", "simulate", "convert", "write" …
    std::string_view words;  ///< for people: "reading traces"
    std::string_view unit;   ///< of what is counted: "ranks"
    std::string about{};     ///< a file, or how much else there is
  };
  /// Says that a phase begins, for one that may be long before it can tell how far it is. `of`: how
  /// much there is; 0: not known.
  void begin(const Phase& phase, std::uint64_t of = 0);
  /// `done` of `of` are done.
  void tell(const Phase& phase, std::uint64_t done, std::uint64_t of);

  void reading(std::uint32_t ranks, std::uint32_t all);
  void converting(std::uint32_t ranks, std::uint32_t all);
  void simulating(std::uint32_t finished, std::uint32_t all, std::uint64_t messages);
  /// Traces that are written, a file per rank.
  void writing_ranks(std::uint64_t ranks, std::uint64_t all);
  /// A file that is being written. `of`: about how many bytes it will have; 0: not known.
  void writing(const std::string& path, std::uint64_t bytes, std::uint64_t of);
  /// The same when it is complete.
  void written(const std::string& path, std::uint64_t bytes);
  /// Takes the line away again.
  void clear();
  [[nodiscard]] bool active() const { return how_ != How::off; }

 private:
  enum class How { off, line, json };
  void show(const Phase& phase, std::uint64_t done, std::uint64_t of);

  How how_ = How::off;
  bool shown_ = false;
  std::string phase_;  // which one it is in, with what it is about where that is a file
  bool through_ = false;
  std::chrono::steady_clock::time_point begun_, last_;
};

/// What a question tells of itself, shown.
class ShownWatch : public study::Watch {
 public:
  /// `announce`: say what did not fit into memory, too.
  explicit ShownWatch(const Session& session, bool announce = true)
      : session_(session), announce_(announce), progress_(session) {}

  void reading(std::uint32_t ranks, std::uint32_t of) override { progress_.reading(ranks, of); }
  void converting(std::uint32_t ranks, std::uint32_t of) override {
    progress_.converting(ranks, of);
  }
  void simulating(std::uint32_t ranks, std::uint32_t of, std::uint64_t messages) override {
    progress_.simulating(ranks, of, messages);
  }
  void phase_done() override { progress_.clear(); }
  void spilled(std::uint64_t bytes, const std::string& folder) override;

 private:
  const Session& session_;
  bool announce_;
  Progress progress_;
};

}  // namespace orrery::app
