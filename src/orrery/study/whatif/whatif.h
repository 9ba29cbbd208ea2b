// SPDX-License-Identifier: Apache-2.0
//
// A recording with something changed; and which change would be worth most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/time_provenance.h"
#include "orrery/study/kernels/steps/operation_times.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/study/recordings/job_inference.h"
#include "orrery/study/study.h"
#include "orrery/study/whatif/changes/changes.h"

namespace orrery::study {

struct WhatIfQuestion {
  /// Recorded traces, or Chakra traces with times, or a job; or both, for what the traces cannot
  /// tell: then the job is simulated, without and with the changes, its kernels longer or shorter
  /// by how much those of their operation were recorded to be, and the recorded step times the
  /// ratio of the two is what is told of the recording. Without a cluster they are played again,
  /// and communications take what they took; with one these are simulated on it.
  Question base;
  std::string device;
  bool must_infer_job = false;
  std::vector<std::string> changes;
  bool list = false, combine = false;
  std::size_t most = 12;

  static constexpr auto fields = std::tuple{
      QuestionField{"changes", &WhatIfQuestion::changes, "--change", "NAME=VALUE", kAnswer,
                    "kernels=0.5",
                    "What is other than it was; several are made together, in their order "
                    "(--changes lists them)"}
          .one_each(),
      QuestionField{"list", &WhatIfQuestion::list, "--list", "", kAnswer, "true",
                    "Try single changes, each on its own, and rank them by what they win"},
      QuestionField{"combine", &WhatIfQuestion::combine, "--combine", "", kAnswer, "true",
                    "... and pairs of the best ones: do they add up?"},
      QuestionField{"most", &WhatIfQuestion::most, "--most", "N", kAnswer, "2",
                    "Show so many of --list; 0: all"}
          .shows_default(),
      QuestionStruct{
          "base", &WhatIfQuestion::base, SelectedRow{"cluster", "Simulate on this cluster"},
          SelectedRow{"groups", "Process groups of Chakra traces"},
          SelectedRow{"replicate", "Every rank of the cluster runs the one trace"},
          SelectedRow{"kernel_table",
                      "Measured kernels, as 'orrery calibrate compute' makes them of a recording"},
          SelectedRow{"recorded"}, SelectedRow{"job"}},
      QuestionField{"device", &WhatIfQuestion::device, "--device", "NAME", kAnswer, "a100-40gb",
                    "What a recording was made on, for gpu=NAME; by default what it says itself"},
      QuestionField{"tell_job", &WhatIfQuestion::must_infer_job, "", "", kAnswer, "true",
                    "Tell the job that traces on a cluster are of, whatever is changed; of what "
                    "is played again, what repeats"}};
};

/// What a simulation says, in short.
struct StepEstimate {
  Time whole{};                            ///< all ranks have ended
  result::StepWork work;                   ///< what a step is for, of jobs; else zeros
  Bytes memory{};                          ///< of the fullest rank, of jobs; 0: not known
  bool fits = true;                        ///< … into its device
  std::vector<result::ErrorClass> errors;  ///< who told how much of it, and how far off that may be
  TimeByProvenance time_by_provenance{};   ///< what its critical path stands on

  /// Between what 80 % of true ones lie; empty where no error is known.
  [[nodiscard]] std::optional<analysis::StepInterval> band() const {
    return analysis::step_interval(errors, whole);
  }
};

/// A change that was tried.
struct ChangeTrial {
  std::string change;  ///< as --change takes it
  std::string kind;    ///< "kernel", "link", "host", "wait", "rank", "overlap"
  std::string what;    ///< in words
  Basis basis = Basis::scaled;
  Time time{};     ///< of the selected nodes, summed, on the rank that has most; 0: it selects none
  Time whole{};    ///< all ranks' end with it
  Time free{};     ///< … if the selected nodes took no time at all; of other changes as `whole`
  Bytes memory{};  ///< of jobs, as Told has it
  bool fits = true;
  std::optional<analysis::DifferenceInterval> band;  ///< of `whole` less the base
  TimeByProvenance time_by_provenance{};             ///< what `whole` stands on
};

/// What two changes are together.
enum class PairEffect : std::uint8_t {
  add_up,     ///< at least 95 % of what each of them wins alone
  in_part,    ///< less
  exclude,    ///< at most 5 % more than the better one alone
  reinforce,  ///< more than 5 % over the sum
};
[[nodiscard]] std::string_view name(PairEffect together);

struct ChangePair {
  std::size_t first = 0, second = 0;  ///< in WhatIf::list
  Time whole{};
  PairEffect together = PairEffect::add_up;
};

struct WhatIf {
  std::string workload;
  std::uint32_t ranks = 0;
  bool replayed = false;  ///< no cluster was named
  /// From the first event to the end of the last; of recordings that a job is said of, one step.
  std::optional<Time> recorded;
  /// Of traces whose layers or microbatches are changed, or were to be told: how many there are, as
  /// was found, or as somebody knew (Question::structure).
  std::optional<graph::Shape> found;
  /// Of traces on a cluster, with changes of a plan, or of some ranks only: the job that they are
  /// of. Traces' kernels that have times are held against it as recordings are.
  std::optional<InferredJob> traced;
  /// Of a recorded job: by how much its kernels are taken to be slower than models say.
  std::vector<OperationTime> operations;
  StepEstimate base;  ///< simulated, with nothing changed
  std::vector<Change> changes;
  std::optional<StepEstimate> changed;  ///< … with the changes that were asked for
  /// Of changed less base; empty where everything was recorded.
  std::optional<analysis::DifferenceInterval> band;
  std::optional<Time> predicted;  ///< `recorded` times changed over base, of a recorded job
  /// … and between what it lies, by `band`; empty where that is.
  std::optional<analysis::StepInterval> predicted_band;
  std::optional<Answer> answer;  ///< of these, or of the base where there are none
  /// Most won first, what does not fit into memory last; without those that win less than 0.01 %.
  /// (WhatIfQuestion::list)
  std::vector<ChangeTrial> list;
  std::size_t left_out = 0;  ///< of these, beyond `most`
  std::vector<ChangePair> pairs;
  std::string moved;  ///< how kernels came to another device, in words; empty: they did not
  Findings findings;
};

/// Errc: as simulate; usage for changes that do not exist, and where no job can be told;
/// input_unsupported where nothing has a
/// time and no cluster is named, input_mismatch where ranks wait for each other for ever. Each
/// change that is tried is simulated on its own, on all cores (RecordedTraces::threads: so many).
[[nodiscard]] Result<WhatIf> what_if(const WhatIfQuestion& question, Watch& watch);

}  // namespace orrery::study
