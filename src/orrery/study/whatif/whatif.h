// SPDX-License-Identifier: Apache-2.0
//
// What-if: a recording or job with changes, and a ranking of changes by time saved.
#pragma once

#include <cstddef>
#include <cstdint>
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
  /// Recorded traces, Chakra traces with times, or a job. Without a cluster, traces are replayed
  /// with recorded communication times; with a cluster, communication is simulated. Traces and a
  /// job together support changes that traces alone do not. The job is simulated without and with
  /// the changes; kernel times are scaled by recorded / predicted of their operation. The
  /// prediction is the recorded step time multiplied by changed / unchanged.
  Question base;
  std::string device;
  std::string device_ratios;
  bool must_infer_job = false;
  std::vector<std::string> changes;
  bool list = false, combine = false;
  std::size_t most = 6;
  bool record_unchanged = false;  ///< with changes: also record the step without them

  static constexpr auto fields = std::tuple{
      QuestionField{"changes", &WhatIfQuestion::changes, "--change", "NAME=VALUE", kAnswer,
                    "kernels=0.5",
                    "A change; several apply together, in their order (--changes lists them)"}
          .one_each(),
      QuestionField{"list", &WhatIfQuestion::list, "--list", "", kAnswer, "true",
                    "Try changes one at a time, and rank them by the time they save"},
      QuestionField{"combine", &WhatIfQuestion::combine, "--combine", "", kAnswer, "true",
                    "Also try pairs of the best changes, and print whether their savings add up"},
      QuestionField{"most", &WhatIfQuestion::most, "--top", "N", kAnswer, "2",
                    "Number of changes of each kind that --list shows; 0: all"}
          .shows_default(),
      QuestionStruct{
          "base", &WhatIfQuestion::base, SelectedRow{"cluster", "Simulate on this cluster"},
          SelectedRow{"network_bandwidth", "Bandwidth of the links of a dimension, before changes"},
          SelectedRow{"network_latency", "Latency per hop of a dimension, before changes"},
          SelectedRow{"network_link", "Links of a dimension, of the catalog, before changes"},
          SelectedRow{"groups", "Process groups of Chakra traces"},
          SelectedRow{"replicate", "Run the single trace on every rank of the cluster"},
          SelectedRow{"kernel_table", "Measured kernels, as written by 'orrery calibrate compute'"},
          SelectedRow{"recorded"}, SelectedRow{"job"}},
      QuestionField{"device", &WhatIfQuestion::device, "--recorded-device", "NAME", kAnswer,
                    "a100-40gb",
                    "Device of the recording, for gpu=NAME; by default the one in the recording"},
      QuestionField{"device_ratios", &WhatIfQuestion::device_ratios, "--device-ratios", "FILE",
                    kAnswer, "none",
                    "Recorded / predicted times by class and device, for gpu=NAME, instead of the "
                    "built-in table; none: predicted ratios only, and hosts as recorded"}
          .advanced(),
      QuestionField{
          "tell_job", &WhatIfQuestion::must_infer_job, "", "", kAnswer, "true",
          "Infer the job of traces on a cluster; of replayed traces, the repeated structure"},
      UndeclaredField{&WhatIfQuestion::record_unchanged}};
};

/// Summary of a simulation.
struct StepEstimate {
  Time whole{};                            ///< step time: end of the last rank
  result::StepWork work;                   ///< tokens and samples of a step, of jobs; else zeros
  Bytes memory{};                          ///< peak of the fullest rank, of jobs; 0: unknown
  bool fits = true;                        ///< `memory` fits into the device
  std::vector<result::ErrorClass> errors;  ///< time by model class, with error bounds
  TimeByProvenance time_by_provenance{};   ///< provenance of its critical path

  /// 80 % prediction interval; empty when too little or no error is known.
  [[nodiscard]] std::optional<analysis::StepInterval> interval() const {
    return analysis::step_interval(errors, whole);
  }
  /// Why there is none, as `orrery run` prints it; empty: there is one, or all times are recorded.
  [[nodiscard]] std::string no_interval_reason() const {
    return analysis::no_interval_reason(errors, whole);
  }
};

/// A change that was tried.
struct ChangeTrial {
  std::string change;  ///< in the form of --change
  std::string kind;    ///< one of kChangeGroups (opportunities.h)
  std::string what;    ///< description
  Basis basis = Basis::scaled;
  /// Time of the selected nodes on the rank with the most; 0: it selects none.
  Time time{};
  Time whole{};    ///< step time with the change
  Time free{};     ///< … if the selected nodes had no duration; without a factor as `whole`
  Bytes memory{};  ///< as in StepEstimate, of jobs
  bool fits = true;
  std::optional<analysis::DifferenceInterval> interval;  ///< interval of `whole` - base
  TimeByProvenance time_by_provenance{};                 ///< provenance of `whole`
};

/// The interaction of two changes.
enum class PairEffect : std::uint8_t {
  add_up,     ///< saves at least 95 % of the sum of both savings
  in_part,    ///< saves less than that
  exclude,    ///< saves at most 5 % more than the better one alone
  reinforce,  ///< saves more than 5 % above the sum
};
[[nodiscard]] std::string_view name(PairEffect together);

struct ChangePair {
  std::size_t first = 0, second = 0;  ///< indices into WhatIf::list
  Time whole{};
  PairEffect together = PairEffect::add_up;
};

struct WhatIf {
  std::string workload;
  std::uint32_t ranks = 0;
  bool replayed = false;  ///< no cluster was given
  /// From the first event to the end of the last. For recordings with a given job: one step. For an
  /// inferred job: the step time of its traces on the cluster.
  std::optional<Time> recorded;
  /// Layers and microbatches of traces, if they change or are requested: as found, or as given by
  /// the user (Question::structure).
  std::optional<graph::Shape> found;
  /// The inferred job. Only for traces on a cluster, if the plan changes or traces of some ranks
  /// are missing. Its predicted kernel times are compared with recorded ones.
  std::optional<InferredJob> traced;
  /// Factors recorded / predicted by operation, of a recorded job.
  std::vector<OperationTime> operations;
  StepEstimate base;  ///< without changes
  std::vector<Change> changes;
  std::optional<StepEstimate> changed;  ///< with the requested changes
  analysis::StepDifference difference;  ///< changed - base
  std::optional<Time> predicted;        ///< `recorded` × changed / base, of a recorded job
  /// Interval of `predicted`, derived from that of `difference`; empty when that is.
  std::optional<analysis::StepInterval> predicted_interval;
  std::optional<Answer> answer;  ///< with the changes; without changes: of the base
  /// Without the changes. Only with WhatIfQuestion::record_unchanged and changes.
  std::optional<Answer> unchanged;
  /// Tried changes by group (kChangeGroups), then by time saved; plans that do not fit into memory
  /// are last. Excludes savings below 0.01 %. Empty unless WhatIfQuestion::list or combine.
  std::vector<ChangeTrial> list;
  std::size_t left_out = 0;  ///< number of tried changes beyond `most` of their group
  std::vector<ChangePair> pairs;
  std::string device_conversion;  ///< how kernel times were converted to another device; empty:
                                  ///< they were not
  Findings findings;
};

/// Predicts the step time with changes. Errc: as simulate; usage for unknown changes, and when no
/// job can be inferred; input_unsupported when there are no times and no cluster, input_mismatch
/// when ranks deadlock. Tried changes are simulated separately and concurrently
/// (RecordedTraces::threads; 0: all cores).
[[nodiscard]] Result<WhatIf> what_if(const WhatIfQuestion& question, Watch& watch);

}  // namespace orrery::study
