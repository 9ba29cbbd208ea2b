// SPDX-License-Identifier: Apache-2.0
//
// The goodput of a job on a cluster whose devices and nodes fail: the share of time that trains,
// and the time and cost of a number of tokens. docs/goodput.md has formulas and sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/config/question_table.h"
#include "orrery/config/unit_fields.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/failures/failure_simulation.h"
#include "orrery/model/failures/published_failures.h"
#include "orrery/platform/platform.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/study.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// How a job fails and recovers.
struct FailureQuestion {
  std::string failure_rates;
  std::optional<Duration> device_mtbf, node_mtbf;
  std::int64_t devices_per_node = 0;
  std::optional<Bandwidth> checkpoint_bandwidth;
  std::optional<Duration> checkpoint_time, checkpoint_interval;
  Duration restart_time{600};
  Duration reshard_time{0};
  std::optional<std::int64_t> spare_nodes;
  std::optional<Duration> repair_time;

  static constexpr std::string_view group = "Failures and checkpoints";
  static constexpr auto fields = std::tuple{
      config::QuestionField{"failure_rates", &FailureQuestion::failure_rates, "--failure-rates",
                            "NAME", config::kAnswer, "rsc-1",
                            "Published failure rates (docs/goodput.md); llama-3-405b by default",
                            model::published_failure_names},
      config::QuestionField{"device_mtbf", &FailureQuestion::device_mtbf, "--device-mtbf", "TIME",
                            config::kAnswer, "50000h",
                            "Mean time between failures of one device, instead of published rates"},
      config::QuestionField{"node_mtbf", &FailureQuestion::node_mtbf, "--node-mtbf", "TIME",
                            config::kAnswer, "10000h",
                            "The same of one node, for all causes outside its devices"},
      config::QuestionField{"devices_per_node", &FailureQuestion::devices_per_node,
                            "--devices-per-node", "N", config::kAnswer, "4",
                            "Devices of a node; by default those of the cluster's hosts"}
          .between(1, 1 << 16)
          .advanced(),
      config::QuestionField{"checkpoint_bandwidth", &FailureQuestion::checkpoint_bandwidth,
                            "--checkpoint-bandwidth", "RATE", config::kAnswer, "10GB/s",
                            "Bandwidth of the storage for checkpoints, all nodes together; by "
                            "default 977 MB/s per node, as for Llama 3"},
      config::QuestionField{"checkpoint_time", &FailureQuestion::checkpoint_time,
                            "--checkpoint-time", "TIME", config::kAnswer, "30s",
                            "Time that training stops for a checkpoint, instead of size / "
                            "bandwidth: for asynchronous checkpoints, the copy to host memory"}
          .advanced(),
      config::QuestionField{"checkpoint_interval", &FailureQuestion::checkpoint_interval,
                            "--checkpoint-interval", "TIME", config::kAnswer, "1h",
                            "Training between two checkpoints; by default the optimum"},
      config::QuestionField{"restart_time", &FailureQuestion::restart_time, "--restart-time",
                            "TIME", config::kAnswer, "20min",
                            "Time from a failure until the job reads its checkpoint: detection, "
                            "replacement, start; 10 min by default (docs/goodput.md)"},
      config::QuestionField{"reshard_time", &FailureQuestion::reshard_time, "--reshard-time",
                            "TIME", config::kAnswer, "5min",
                            "Time to convert the checkpoint to another plan at a restart"}
          .advanced(),
      config::QuestionField{"spare_nodes", &FailureQuestion::spare_nodes, "--spare-nodes", "N",
                            config::kAnswer, "2",
                            "Nodes that replace failed ones; by default a spare is always free"}
          .between(0, 1 << 20),
      config::QuestionField{"repair_time", &FailureQuestion::repair_time, "--repair-time", "TIME",
                            config::kAnswer, "24h",
                            "Mean time until a failed node is usable again, for --spare-nodes"}};
};

struct GoodputQuestion {
  JobDescription job;
  std::string cluster;
  std::optional<Duration> step;
  std::int64_t step_tokens = 0;
  std::optional<Bytes> checkpoint_size;
  FailureQuestion failures;
  double tokens = 0;
  std::optional<Duration> deadline;
  std::string price;
  std::uint64_t seed = 1;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      config::QuestionField{"cluster", &GoodputQuestion::cluster, "--cluster", "FILE",
                            config::kAnswer, "a100-40gb:8",
                            "The cluster: a file, or NAME:DEVICES of the catalog"},
      config::QuestionField{"step", &GoodputQuestion::step, "--step", "TIME", config::kAnswer, "2s",
                            "Measured step time; by default the job is simulated"},
      config::QuestionField{"step_tokens", &GoodputQuestion::step_tokens, "--step-tokens", "N",
                            config::kAnswer, "1000000",
                            "Tokens of a step, for --step without a job"}
          .between(1, std::int64_t{1} << 50)
          .advanced(),
      config::QuestionField{"checkpoint_size", &GoodputQuestion::checkpoint_size,
                            "--checkpoint-size", "SIZE", config::kAnswer, "5TB",
                            "Size of a checkpoint; by default weights and optimizer states"},
      config::QuestionStruct{"failures", &GoodputQuestion::failures},
      config::QuestionGroup{"Budget"},
      config::QuestionField{"tokens", &GoodputQuestion::tokens, "--tokens", "N", config::kAnswer,
                            "15e12", "Tokens to train on: prints days and cost"},
      config::QuestionField{"deadline", &GoodputQuestion::deadline, "--deadline", "TIME",
                            config::kAnswer, "1min",
                            "Time available for --tokens: exit code 1 if the job needs longer"},
      config::QuestionField{"price", &GoodputQuestion::price, "--price", "PRICE", config::kAnswer,
                            "2.5", "Price of a device per hour, in any currency"},
      config::QuestionField{"seed", &GoodputQuestion::seed, "--seed", "N", config::kAnswer, "2",
                            "Seed of the simulation"}
          .advanced(),
      config::QuestionStruct{"job", &GoodputQuestion::job}};
};

/// A value, and whether the user configured it; else it is predicted, or published as in `source`.
struct SourcedValue {
  double value = 0;
  std::string source;  ///< "configured", "predicted", "published: …"
};

/// Failures and recovery of a job of a known size, in seconds and bytes per second.
struct FailureModel {
  std::int64_t devices = 0, nodes = 0, devices_per_node = 0;
  SourcedValue device_mtbf, node_mtbf;   ///< of one; infinite: never
  std::string rates;                     ///< "llama-3-405b: 16,384 H100, 54 days"; "configured"
  SourcedValue bandwidth;                ///< of the storage
  SourcedValue checkpoint;               ///< bytes
  double read = 0;                       ///< to read a checkpoint
  double restart = 0, reshard = 0;       ///< parts of job.restart, like `read`
  double young = 0, daly = 0, best = 0;  ///< optimal intervals
  std::string interval_source;
  model::CheckpointedJob job;
  model::SpareNodes nodes_to_spare;
  model::TimeShares shares;  ///< closed form
};

/// The number of devices of a node: hosts of the cluster, else 8 or fewer.
[[nodiscard]] std::int64_t devices_per_node(const platform::Platform& platform,
                                            std::int64_t devices);

/// Completes the model for a job on `platform`. `checkpoint`: its size. The interval is at least a
/// step. Errc: usage (contradictions, missing repair time).
[[nodiscard]] Result<FailureModel> failure_model(const FailureQuestion& question,
                                                 const platform::Platform& platform,
                                                 std::int64_t devices, SourcedValue checkpoint,
                                                 double step);

/// A token budget.
struct BudgetPrediction {
  double tokens = 0, elapsed = 0, without_failures = 0;  ///< times in seconds
  /// Of `runs` simulated runs, 80 % last between these; empty: too few were simulated.
  std::optional<std::pair<double, double>> range;
  std::uint64_t runs = 0;
  std::optional<double> deadline;
  std::optional<double> cost;  ///< with the spare nodes

  [[nodiscard]] bool late() const { return deadline && elapsed > *deadline; }
};

struct Goodput {
  std::string name, cluster;  ///< of the job ("": not given) and of the cluster
  SourcedValue step;          ///< seconds
  std::int64_t step_items = 0;
  bool tokens = true;  ///< else samples
  FailureModel failures;
  model::SimulatedJob simulation;
  double simulated_interval = 0;  ///< the best one in simulations
  std::optional<double> price;    ///< of a device hour
  std::optional<BudgetPrediction> budget;
  Findings findings;

  /// Tokens or samples per second, without failures.
  [[nodiscard]] double rate() const { return static_cast<double>(step_items) / step.value; }
};

/// Simulates the step, unless it is given, and the failures. `findings`: what is found before an
/// error. Errc: usage; those of simulations.
[[nodiscard]] Result<Goodput> predict_goodput(const GoodputQuestion& question, Watch& watch,
                                              Findings& findings);

}  // namespace orrery::study
