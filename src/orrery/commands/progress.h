// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "orrery/commands/context.h"
#include "orrery/study/study.h"

namespace orrery::commands {

/// Reports the progress of a command to the context's sink, for one or several consecutive phases.
class Progress {
 public:
  using Phase = ProgressPhase;

  explicit Progress(const Context& context) : sink_(context.start_progress()) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Announces a phase that may run long before its first update. `of`: the total; 0: unknown.
  void begin(const Phase& phase, std::uint64_t of = 0) { sink_->begin(phase, of); }
  /// `done` of `of` are done.
  void update(const Phase& phase, std::uint64_t done, std::uint64_t of) {
    sink_->update(phase, done, of);
  }

  void reading(std::uint32_t ranks, std::uint32_t all);
  void converting(std::uint32_t ranks, std::uint32_t all);
  void simulating(std::uint32_t finished, std::uint32_t all, std::uint64_t messages);
  /// Reports written traces, one file per rank.
  void writing_ranks(std::uint64_t ranks, std::uint64_t all);
  /// Reports a file that is being written. `of`: its expected bytes; 0: unknown.
  void writing(const std::string& path, std::uint64_t bytes, std::uint64_t of);
  /// Reports that the file is complete.
  void written(const std::string& path, std::uint64_t bytes);
  void clear() { sink_->clear(); }
  [[nodiscard]] bool active() const { return sink_->active(); }
  [[nodiscard]] bool is_due() const { return sink_->is_due(); }

 private:
  std::unique_ptr<ProgressSink> sink_;
};

/// Reports the progress of a question (study.h).
class ShownWatch : public study::Watch {
 public:
  /// `announce`: also note that traces did not fit in memory, and that a simulation takes long.
  explicit ShownWatch(const Context& context, bool announce = true)
      : context_(context), announce_(announce), progress_(context) {}

  void reading(std::uint32_t ranks, std::uint32_t of) override { progress_.reading(ranks, of); }
  void converting(std::uint32_t ranks, std::uint32_t of) override {
    progress_.converting(ranks, of);
  }
  void simulating(std::uint32_t ranks, std::uint32_t of, std::uint64_t messages) override {
    progress_.simulating(ranks, of, messages);
  }
  void simulations(std::uint32_t count) override;
  /// Notes a long simulation, or several that are long together: once, and before most of them. The
  /// costs of those that have not been estimated are taken to be the mean of the others.
  void estimated(std::uint32_t ranks, std::uint64_t bytes, double cpu_seconds) override;
  void phase_done() override { progress_.clear(); }
  void spilled(std::uint64_t bytes, const std::string& folder) override;

 private:
  /// Simulations of one question.
  struct Series {
    std::uint32_t expected = 0, estimated = 0;
    std::uint64_t most_bytes = 0;
    double cpu_seconds = 0;
    bool is_noted = false;
  };

  void note_cost(std::uint32_t ranks, const std::string& sentence, std::uint64_t bytes,
                 double cpu_seconds);

  const Context& context_;
  bool announce_;
  Progress progress_;
  Series series_;
};

}  // namespace orrery::commands
