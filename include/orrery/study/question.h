// SPDX-License-Identifier: Apache-2.0
//
// A question: a workload, a cluster, and execution options. Plain data with the names of the
// options of `orrery run`. A member with its default value means that the option is not given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/time_source.h"

namespace orrery::study {

/// Recorded traces: Kineto, .pftrace, PyTorch execution traces, SQLite exports of Nsight Systems,
/// rocpd, XPlane.
struct RecordedTraces {
  std::vector<std::string> traces;  ///< files and patterns
  /// Rank of a single trace that does not contain it; -1: the trace contains it.
  std::int64_t rank = -1;
  std::optional<std::int64_t> threads;  ///< threads that read; empty or 0: all cores
  bool no_link = false;                 ///< ignore execution traces if there are device traces
  bool tensors = false;                 ///< add dependencies through tensors

  friend bool operator==(const RecordedTraces&, const RecordedTraces&) = default;
};

/// A training job: a model and a plan. Values are texts as on the command line; empty: not given
/// (docs/reference/workload.md has keys, units and defaults).
struct JobDescription {
  /// The content of a file.
  struct Text {
    std::string name;  ///< name in errors
    std::string text;

    friend bool operator==(const Text&, const Text&) = default;
  };
  std::vector<std::string> spec;  ///< files of any known format; later files extend earlier ones
  std::vector<Text> texts;        ///< added after the files
  std::string model;              ///< name in the catalog
  std::string tp, pp, dp, cp, ep;
  std::string sharding, schedule, chunks, recompute;
  std::string global_batch, micro_batch, seq, optimizer, offload, compat;
  std::string precision;         ///< "mxfp8": short for keys of `precision` in the specification
  bool sp = false;               ///< sequence parallel
  std::vector<std::string> set;  ///< other keys: "PATH=VALUE"

  /// Whether a job is given.
  [[nodiscard]] bool given() const;
  /// The name for output: the first file, or the model.
  [[nodiscard]] const std::string& name() const;

  friend bool operator==(const JobDescription&, const JobDescription&) = default;
};

/// How the simulation executes. These options do not change results.
struct ExecutionOptions {
  std::string fold = "auto";  ///< auto: one rank represents all identical ranks; off
  /// `auto`: closed form for phases without interference; `messages`: always simulated.
  std::string collectives = "auto";
  std::string skip = "auto";  ///< auto: skip iterations identical to the previous one; off
  std::int64_t threads = 1;   ///< 0: all cores
  bool verify_fold = false;   ///< simulate with and without folding, and compare
  bool brief_names = false;   ///< name nodes of jobs by their operation, without layer and
                              ///< microbatch; large jobs are twice as fast; not with `record`

  friend bool operator==(const ExecutionOptions&, const ExecutionOptions&) = default;
};

/// The ratio of kernel times in a step and alone, with its 80 % interval. For kernels whose first
/// input has this number of bits per element.
struct InStepFactor {
  std::int64_t bits = 16;
  double factor = 1;
  double lower = 0, upper = 0;  ///< relative to the factor: -0.1, 0.1

  friend bool operator==(const InStepFactor&, const InStepFactor&) = default;
};

/// The structure of traces as stated by the user, if their repetitions do not show it or show it
/// incorrectly.
struct TraceStructure {
  std::optional<std::uint32_t> layers;        ///< of the model, over all stages
  std::optional<std::uint32_t> microbatches;  ///< per step

  friend bool operator==(const TraceStructure&, const TraceStructure&) = default;
};

struct Question {
  // The workload: one of the following three.
  std::string workload;     ///< Chakra traces: the prefix of PREFIX.<rank>.et
  RecordedTraces recorded;  ///< recorded traces
  JobDescription job;       ///< a model and a plan

  /// Changes to the workload ("tp=8", `orrery whatif --changes`), with the same number of devices.
  std::vector<std::string> changes;
  TraceStructure structure;  ///< needed to change layers and microbatches
  /// If set: scale recorded kernel times to the cluster's device. The value is the catalog name
  /// of the recorded device; "": as stated in the recording.
  std::optional<std::string> recorded_on;
  std::string device;  ///< catalog name of the recorded device; empty: as stated in the recording
  /// With a change of device: a table of recorded / predicted times by device; empty: the built-in
  /// one; "none": predicted ratios only, and hosts as recorded.
  std::string device_ratios;

  std::string groups;      ///< process groups of the traces: a JSON file
  bool repair = false;     ///< drop and count damaged nodes and edges instead of failing
  bool replicate = false;  ///< all ranks run rank 0's trace
  /// Accept Chakra traces of only some ranks, if the others are inferred from them (what_if).
  bool some_ranks = false;

  // The cluster: a file or a name of the catalog ("h100-sxm:64"), or ASTRA-sim's files.
  std::string cluster;
  /// The text of the cluster file, instead of a path; `cluster` is then its name in output.
  std::string cluster_text;
  std::string astra_network, astra_system, astra_memory;
  /// Only with ASTRA-sim's files, like the rest of this block.
  std::int64_t num_queues_per_dim = 1;
  double injection_scale = 1;
  double compute_scale = 1, comm_scale = 1;  ///< no effect, as in ASTRA-sim
  bool rendezvous_protocol = false;

  /// Values of the links of one dimension, which replace the cluster's: "inter=25GB/s",
  /// "1=400Gb/s", "inter=0.5" (a factor); "inter=2us"; "inter=roce-200", a link of the catalog.
  std::vector<std::string> network_bandwidth, network_latency, network_link;
  std::string network;               ///< replaces the cluster's model: "analytical", "message"
  std::string collective_algorithm;  ///< replaces the cluster's: "ring", "ring,in_network", "auto"
  std::string chunk_order;           ///< replaces the cluster's: "themis", "best" …
  std::string compute;  ///< replaces the cluster's: "auto", "recorded", "roofline", "table" …
  KernelFiles kernel_files;          ///< replace the cluster's
  std::string rules;                 ///< replaces the cluster's: "orrery", "astra"
  std::vector<std::string> without;  ///< effects to switch off (`orrery run --effects`)
  /// Replaces the cluster's.
  std::optional<std::vector<InStepFactor>> in_step_factors;

  ExecutionOptions work;
  /// Record the times of all nodes, as Answer::run() requires. Needs more memory, and disables
  /// folding of ranks.
  bool record = false;
  bool exposed_by_group = false;  ///< also report exposed communication by process group
  std::string spans = "all";      ///< spans that a run contains: all, critical, none

  /// Chakra traces that do not fit in memory go to a temporary file in this folder; empty: all stay
  /// in memory.
  std::string stream_folder;
  /// Memory limit in bytes, beyond which traces go to the file; 0: all of them.
  std::uint64_t stream_beyond = 0;

  /// The names of workload and cluster for output, as given.
  [[nodiscard]] const std::string& workload_name() const;
  [[nodiscard]] const std::string& cluster_name() const {
    return astra() ? astra_network : cluster;
  }
  [[nodiscard]] bool astra() const {
    return !astra_network.empty() || !astra_system.empty() || !astra_memory.empty();
  }

  friend bool operator==(const Question&, const Question&) = default;
};

}  // namespace orrery::study
