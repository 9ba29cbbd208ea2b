// SPDX-License-Identifier: Apache-2.0
//
// What can be asked: a workload, a cluster, and how to go about it. Plain data, under the names
// that the options of `orrery run` have; what is left alone is as if its option were left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/time_source.h"

namespace orrery::study {

/// Recorded traces: Kineto, .pftrace, PyTorch execution traces, Nsight Systems' SQLite exports,
/// rocpd.
struct RecordedTraces {
  std::vector<std::string> traces;      ///< files and patterns
  std::int64_t rank = -1;               ///< of a single trace that does not say it; -1: it does
  std::optional<std::int64_t> threads;  ///< to read with; empty or 0: all cores
  bool no_link = false;  ///< leave execution traces out where there are device traces
  bool tensors = false;  ///< add dependencies by tensor

  friend bool operator==(const RecordedTraces&, const RecordedTraces&) = default;
};

/// A training job: a model and a plan. Values are written as on the command line, as text; empty:
/// left open (docs/reference/workload.md has keys, units and defaults).
struct JobDescription {
  /// What a file would hold.
  struct Text {
    std::string name;  ///< what errors call it
    std::string text;

    friend bool operator==(const Text&, const Text&) = default;
  };
  std::vector<std::string> spec;  ///< files of any format that is known; later ones add to earlier
  std::vector<Text> texts;        ///< likewise, added to the files
  std::string model;              ///< of the catalogue
  std::string tp, pp, dp, cp, ep;
  std::string sharding, schedule, chunks, recompute;
  std::string global_batch, micro_batch, seq, optimizer, compat;
  bool sp = false;               ///< sequence parallel
  std::vector<std::string> set;  ///< any key: "PATH=VALUE"

  /// Whether a job is described at all.
  [[nodiscard]] bool given() const;
  /// What to call it: the first file, or the model.
  [[nodiscard]] const std::string& name() const;

  friend bool operator==(const JobDescription&, const JobDescription&) = default;
};

/// How it is worked out. None of it changes a figure.
struct ExecutionOptions {
  std::string fold = "auto";         ///< auto: one rank for all that are alike; off
  std::string collectives = "auto";  ///< auto: worked out where nothing is in the way; messages
  std::string skip = "auto";         ///< auto: iterations that repeat the one before; off
  std::int64_t threads = 1;          ///< 0: all cores
  bool verify_fold = false;          ///< with and without folding, and compare
  bool brief_names = false;  ///< nodes of jobs are called by what they do, without layer and
                             ///< microbatch; large jobs are twice as quick; not with `record`

  friend bool operator==(const ExecutionOptions&, const ExecutionOptions&) = default;
};

/// How much longer kernels take in a step than alone, of those whose first input has numbers of so
/// many bits, and the band of that.
struct InStepFactor {
  std::int64_t bits = 16;
  double factor = 1;
  double lower = 0, upper = 0;  ///< shares: -0.1, 0.1

  friend bool operator==(const InStepFactor&, const InStepFactor&) = default;
};

/// What somebody knows of traces that their repetitions do not tell, or tell wrongly.
struct TraceStructure {
  std::optional<std::uint32_t> layers;        ///< of the model, all stages together
  std::optional<std::uint32_t> microbatches;  ///< in a step

  friend bool operator==(const TraceStructure&, const TraceStructure&) = default;
};

struct Question {
  // The workload: one of these three.
  std::string workload;     ///< Chakra traces: the prefix of PREFIX.<rank>.et
  RecordedTraces recorded;  ///< recorded traces
  JobDescription job;       ///< a model and a plan

  /// What is made other than it was ("tp=8", `orrery whatif --changes`), on as many devices.
  std::vector<std::string> changes;
  TraceStructure structure;  ///< for changes of layers and microbatches
  /// There: kernels with recorded times are to take what they would on the cluster's device; and
  /// what they were recorded on, of the catalogue; "": as the recording says.
  std::optional<std::string> recorded_on;
  std::string device;  ///< recordings were made on, of the catalogue; empty: as they say

  std::string groups;      ///< process groups of the traces: a JSON file
  bool repair = false;     ///< drop damaged nodes and edges, and count them, instead of refusing
  bool replicate = false;  ///< every rank runs rank 0's trace
  /// Chakra traces of some ranks will do, for what tells from them what the others are (what_if).
  bool some_ranks = false;

  // The cluster: a file or a name of the catalogue ("h100-sxm:64"), or ASTRA-sim's files.
  std::string cluster;
  std::string cluster_text;  ///< not empty: the file's text itself, and `cluster` what to call it
  std::string astra_network, astra_system, astra_memory;
  std::int64_t num_queues_per_dim = 1;  ///< with ASTRA-sim's files, like the rest of this block
  double injection_scale = 1;
  double compute_scale = 1, comm_scale = 1;  ///< without effect, there as here
  bool rendezvous_protocol = false;

  std::string network;  ///< instead of the cluster's model: "analytical", "message"
  std::string
      collective_algorithm;  ///< instead of the cluster's: "ring", "ring,in_network", "auto"
  std::string chunk_order;   ///< likewise: "themis", "best" …
  std::string compute;       ///< likewise: "auto", "recorded", "roofline", "table" …
  KernelFiles kernel_files;  ///< likewise
  std::string rules;         ///< instead of the cluster's: "orrery", "astra"
  std::vector<std::string> without;  ///< effects that are switched off (`orrery run --effects`)
  /// Instead of the cluster's.
  std::optional<std::vector<InStepFactor>> in_step_factors;

  ExecutionOptions work;
  /// Keep when every node ran, so that Answer::run() can be asked; takes memory, and no rank stands
  /// for others.
  bool record = false;
  bool exposed_by_group = false;  ///< tell, too, among whom communication is that nothing hides
  std::string spans = "all";      ///< which spans a run keeps: all, critical, none

  /// Chakra traces for which there is no room in memory go to a temporary file in this folder;
  /// empty: they never do.
  std::string stream_folder;
  std::uint64_t stream_beyond = 0;  ///< bytes of memory from which on they do; 0: all of them

  /// What to call workload and cluster: as they were given.
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
