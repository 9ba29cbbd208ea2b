// SPDX-License-Identifier: Apache-2.0
//
// The fields of a question, each declared once. The command line, `--json`, the manifest of the run
// file, the reference page, the JSON Schema, and the keys under which simulate_all() shares inputs
// are derived from these tables.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/core/text/fixed_text.h"
#include "orrery/platform/collective_algorithm_names.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/job_words.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/workload/schedule/schedules.h"

namespace orrery::study {

using config::default_of;
using config::each_field;
using config::field_text;
using config::set_field;

namespace choices {
inline std::vector<std::string_view> auto_off() { return {"auto", "off"}; }
inline std::vector<std::string_view> collectives() { return {"auto", "messages"}; }
inline std::vector<std::string_view> rules() { return {"orrery", "astra"}; }
inline std::vector<std::string_view> spans() { return {"all", "critical", "none"}; }
}  // namespace choices

struct AlgorithmHelp {
  template <class Put>
  static constexpr void write(Put put) {
    put("One name, or one per dimension: ");
    platform::AlgorithmNames::write(put);
    put(" or auto, the fastest; by default the cluster's");
  }
};

/// Table of fields of a struct of question.h; specialized for each.
template <class Owner>
struct QuestionTable;

template <>
struct QuestionTable<RecordedTraces> {
  static constexpr std::string_view group = "Recorded traces";
  static constexpr auto fields = std::tuple{
      QuestionField{
          "traces", &RecordedTraces::traces, "--traces", "FILES", kLoad | kUnlisted, "other.json",
          "Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution "
          "traces, Nsight SQLite, rocpd, XPlane, RunMetadata, tar archives"},
      QuestionField{"rank", &RecordedTraces::rank, "--rank", "N", kLoad, "1",
                    "Rank of a single trace that does not contain its rank"}
          .advanced(),
      QuestionField{"threads", &RecordedTraces::threads, "--threads", "N", kNothing, "2",
                    "Number of ranks that are read concurrently (0: all cores)"}
          .advanced(),
      QuestionField{"no_link", &RecordedTraces::no_link, "--no-link", "", kLoad, "true",
                    "Ignore execution traces if there are device traces"}
          .advanced(),
      QuestionField{"tensors", &RecordedTraces::tensors, "--tensors", "", kLoad, "true",
                    "Also add dependencies by tensor"}
          .advanced()};
};

template <>
struct QuestionTable<JobDescription> {
  static constexpr std::string_view group = "The job";
  static constexpr auto fields = std::tuple{
      QuestionField{"spec", &JobDescription::spec, "--spec", "FILES", kLoad | kUnlisted,
                    "other.yaml", "Specifications, in any known format (docs/workloads.md)"},
      QuestionField{"texts", &JobDescription::texts, "", "", kLoad | kUnlisted,
                    "job.yaml\nmodel: gpt2-xl",
                    "Contents of specification files, added after the files"},
      QuestionField{"model", &JobDescription::model, "--model", "NAME", kLoad | kUnlisted,
                    "gpt2-xl", "A model of the catalog (docs/reference/models.md)", nullptr,
                    "model"},
      QuestionField{"tp", &JobDescription::tp, "--tp", "N", kLoad | kUnlisted, "2",
                    "Tensor parallel", nullptr, "parallel.tp"},
      QuestionField{"pp", &JobDescription::pp, "--pp", "N", kLoad | kUnlisted, "2",
                    "Pipeline stages", nullptr, "parallel.pp"},
      QuestionField{"dp", &JobDescription::dp, "--dp", "N", kLoad | kUnlisted, "4",
                    "Data parallel; by default the remaining devices of the cluster", nullptr,
                    "parallel.dp"},
      QuestionField{"cp", &JobDescription::cp, "--cp", "N", kLoad | kUnlisted, "2",
                    "Context parallel", nullptr, "parallel.cp"},
      QuestionField{"ep", &JobDescription::ep, "--ep", "N", kLoad | kUnlisted, "2",
                    "Expert parallel", nullptr, "parallel.ep"},
      QuestionField{"sharding", &JobDescription::sharding, "--sharding", "WHAT", kLoad | kUnlisted,
                    "zero3", "none, zero1, zero2, zero3 (fsdp), hsdp (in hosts of 8 devices)",
                    nullptr, "parallel.sharding"},
      QuestionField{"schedule", &JobDescription::schedule, "--schedule", "KIND", kLoad | kUnlisted,
                    "gpipe", workload::kScheduleList, nullptr, "schedule.kind"},
      QuestionField{"chunks", &JobDescription::chunks, "--chunks", "N", kLoad | kUnlisted, "2",
                    "Parts of the model per rank", nullptr, "schedule.chunks"}
          .advanced(),
      QuestionField{"recompute", &JobDescription::recompute, "--recompute", "KIND",
                    kLoad | kUnlisted, "full", "none, selective or full", nullptr,
                    "recompute.kind"},
      QuestionField{"global_batch", &JobDescription::global_batch, "--global-batch", "N",
                    kLoad | kUnlisted, "32", "Sequences per step", nullptr, "batch.global"},
      QuestionField{"micro_batch", &JobDescription::micro_batch, "--micro-batch", "N",
                    kLoad | kUnlisted, "2", "Sequences per microbatch", nullptr, "batch.micro"},
      QuestionField{"seq", &JobDescription::seq, "--seq", "N", kLoad | kUnlisted, "256",
                    "Tokens per sequence", nullptr, "batch.seq"},
      QuestionField{"precision", &JobDescription::precision, "--precision", "FORMAT",
                    kLoad | kUnlisted, "mxfp8",
                    "Format of matrix products: bf16, fp16, fp8, mxfp8 or nvfp4", precision_words},
      QuestionField{"optimizer", &JobDescription::optimizer, "--optimizer", "KIND",
                    kLoad | kUnlisted, "sgd", "adam, adamw, sgd, sgd_momentum or muon", nullptr,
                    "optimizer.kind"}
          .advanced(),
      QuestionField{"offload", &JobDescription::offload, "--offload", "WHAT", kLoad | kUnlisted,
                    "activations:1",
                    "In remote or host memory: optimizer, weights, activations[:LAYERS], …"},
      QuestionField{"compat", &JobDescription::compat, "--compat", "TOOL", kLoad | kUnlisted,
                    "stage", "stage: count as the generator STAGE does, including its errors",
                    nullptr, "compat"}
          .advanced(),
      QuestionField{"sp", &JobDescription::sp, "--sp", "", kLoad | kUnlisted, "true",
                    "Sequence parallel: norms and residuals are split over --tp"},
      QuestionField{"set", &JobDescription::set, "--set", "PATH=VALUE", kLoad | kUnlisted,
                    "kernels.fused=false",
                    "Any key of the specification, e.g. kernels.fused=false"}};
};

template <>
struct QuestionTable<ExecutionOptions> {
  static constexpr std::string_view group = "Execution (the result is the same)";
  static constexpr auto fields = std::tuple{
      QuestionField{"fold", &ExecutionOptions::fold, "--fold", "HOW", kNothing, "off",
                    "auto: simulate one rank for all identical ones; or off", choices::auto_off}
          .advanced(),
      QuestionField{"collectives", &ExecutionOptions::collectives, "--collectives", "HOW", kNothing,
                    "messages",
                    "auto: compute the end of a collective if nothing contends; messages: simulate "
                    "every message",
                    choices::collectives}
          .advanced(),
      QuestionField{"skip", &ExecutionOptions::skip, "--skip", "HOW", kNothing, "off",
                    "auto: skip iterations that repeat the previous one; or off", choices::auto_off}
          .advanced(),
      QuestionField{"threads", &ExecutionOptions::threads, "", "", kNothing, "2",
                    "Threads that simulate; 0: all cores"},
      QuestionField{"verify_fold", &ExecutionOptions::verify_fold, "--verify-fold", "", kNothing,
                    "true",
                    "Simulate with and without folding and compare every rank; exit code 1 if "
                    "they differ"}
          .advanced(),
      QuestionField{"brief_names", &ExecutionOptions::brief_names, "", "", kLoad | kUnlisted,
                    "true", "Name nodes of jobs by operation only, without layer and microbatch"}};
};

template <>
struct QuestionTable<TraceStructure> {
  static constexpr std::string_view group = "";
  static constexpr auto fields =
      std::tuple{QuestionField{"layers", &TraceStructure::layers, "", "", kLoad, "4",
                               "Layers of the model in the traces, over all stages"},
                 QuestionField{"microbatches", &TraceStructure::microbatches, "", "", kLoad, "2",
                               "Microbatches per step of the traces"}};
};

template <>
struct QuestionTable<Question> {
  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{"workload", &Question::workload, "--workload,--workload-configuration",
                    "PREFIX", kLoad | kUnlisted, "other",
                    "Prefix of the Chakra traces, as the argument PREFIX"}
          .advanced(),
      QuestionStruct{"recorded", &Question::recorded},
      QuestionStruct{"job", &Question::job},
      QuestionField{"groups", &Question::groups,
                    "--groups,--astra-groups,--comm-group-configuration", "FILE", kLoad | kUnlisted,
                    "groups.json",
                    "Process groups, JSON: {\"NAME\": [ranks]}. NAME is the pg_name of nodes; "
                    "nodes without one communicate with all ranks"}
          .advanced(),
      QuestionField{"replicate", &Question::replicate, "--replicate", "", kLoad, "true",
                    "Every rank runs the trace of rank 0 (PREFIX may be a file)"}
          .advanced(),
      QuestionField{"repair", &Question::repair, "--repair", "", kLoad, "true",
                    "Drop and count damaged nodes and edges instead of failing"}
          .advanced(),
      QuestionField{"some_ranks", &Question::some_ranks, "", "", kLoad | kUnlisted, "true",
                    "Accept Chakra traces of some ranks only"},
      QuestionField{"cluster", &Question::cluster, "--cluster", "FILE", kCluster | kUnlisted,
                    "a100-40gb:8", "The cluster, as YAML or JSON ('orrery schema cluster')"},
      QuestionField{"cluster_text", &Question::cluster_text, "", "", kCluster | kUnlisted,
                    "device: a100-40gb\nnetwork: [{block: ring, size: 8, link: nvlink3}]\n",
                    "Contents of the cluster file"},
      QuestionGroup{"ASTRA-sim's files instead of --cluster"},
      QuestionField{"astra_network", &Question::astra_network,
                    "--astra-network,--network-configuration", "FILE", kCluster | kUnlisted,
                    "network.yml", "Network, YAML"}
          .advanced(),
      QuestionField{"astra_system", &Question::astra_system,
                    "--astra-system,--system-configuration", "FILE", kCluster | kUnlisted,
                    "system.json", "System, JSON"}
          .advanced(),
      QuestionField{"astra_memory", &Question::astra_memory,
                    "--astra-memory,--remote-memory-configuration", "FILE", kCluster | kUnlisted,
                    "memory.json", "Remote memory, JSON"}
          .advanced(),
      QuestionField{"num_queues_per_dim", &Question::num_queues_per_dim, "--num-queues-per-dim",
                    "N", kCluster, "2", "Queues per dimension"}
          .advanced(),
      QuestionField{"injection_scale", &Question::injection_scale, "--injection-scale", "X",
                    kCluster, "2", "Multiplies endpoint-delay"}
          .advanced(),
      QuestionField{"compute_scale", &Question::compute_scale, "--compute-scale", "X", kCluster,
                    "2", "Has no effect, as in ASTRA-sim"}
          .advanced(),
      QuestionField{"comm_scale", &Question::comm_scale, "--comm-scale", "X", kCluster, "2",
                    "Has no effect, as in ASTRA-sim"}
          .advanced(),
      QuestionField{"rendezvous_protocol", &Question::rendezvous_protocol, "--rendezvous-protocol",
                    "BOOL", kCluster, "true",
                    "Rendezvous: a sender waits until the receiver is ready"}
          .advanced(),
      QuestionGroup{"Models"},
      QuestionField{"network_bandwidth", &Question::network_bandwidth, "--network-bandwidth",
                    "DIM=RATE", kCluster, "0=100GB/s", kNetworkBandwidthHelp}
          .one_each(),
      QuestionField{"network_latency", &Question::network_latency, "--network-latency", "DIM=TIME",
                    kCluster, "0=5us", "Latency per hop of a dimension: inter=2us, or a factor"}
          .one_each()
          .advanced(),
      QuestionField{"network_link", &Question::network_link, "--network-link", "DIM=LINK", kCluster,
                    "0=ib-ndr",
                    "Links of a dimension, of the catalog: inter=roce-400 "
                    "(docs/reference/catalog.md)"}
          .one_each()
          .advanced(),
      QuestionField{"network", &Question::network, "--network,--network-model", "MODEL", kCluster,
                    "message", kNetworkChoices, network_names},
      QuestionField{"collective_algorithm", &Question::collective_algorithm,
                    "--collective-algorithm", "NAMES", kCluster | kAnswer, "direct",
                    FixedText<AlgorithmHelp>::kView},
      QuestionField{
          "chunk_order", &Question::chunk_order, "--chunk-order", "ORDER", kCluster, "themis",
          "Order of dimensions for chunks, instead of the cluster's: ascending, themis …; best: "
          "the fastest order and number of chunks that is found (docs/chunk-order.md)"}
          .advanced(),
      QuestionField{"compute", &Question::compute, "--compute", "MODEL", kCluster, "roofline",
                    "Source of compute times; by default the cluster file's",
                    platform::compute_names},
      QuestionStruct{"", &Question::kernel_files},
      QuestionField{"rules", &Question::rules, "--rules", "RULES", kCluster, "astra",
                    "orrery or astra; by default those of the cluster's files", choices::rules}
          .advanced(),
      QuestionField{"changes", &Question::changes, "--change", "CHANGE", kCluster | kLoad, "tp=2",
                    "A change, as listed by `orrery whatif --changes`"},
      QuestionStruct{"structure", &Question::structure},
      QuestionField{"recorded_on", &Question::recorded_on, "", "", kLoad, "a100-40gb",
                    "Device of the recording; recorded kernel times are scaled from it to the "
                    "cluster's device"},
      QuestionField{"device", &Question::device, "", "", kAnswer, "a100-40gb",
                    "Device of the recordings, a name of the catalog"},
      QuestionField{"device_ratios", &Question::device_ratios, "", "", kLoad, "none",
                    "Table of recorded / predicted times by device, for recordings that change "
                    "their device; none: predicted ratios only"},
      QuestionField{"without", &Question::without, "--without", "EFFECT", kCluster | kLoad,
                    "in_step_factors", "Disable an effect (docs/scoreboard.md); may be repeated"}
          .advanced(),
      QuestionField{"in_step_factors", &Question::in_step_factors, "", "", kCluster,
                    "16:1.5:-0.1:0.1", "Slowdown of kernels in a step, instead of the cluster's"},
      QuestionStruct{"work", &Question::work},
      QuestionField{"record", &Question::record, "", "", kLoad | kAnswer | kUnlisted, "true",
                    "Record the times of all nodes"},
      QuestionField{"exposed_by_group", &Question::exposed_by_group, "", "", kAnswer | kUnlisted,
                    "true", "Also sum exposed communication by group"},
      QuestionGroup{"Output"},
      QuestionField{"spans", &Question::spans, "--spans", "WHICH", kRunFile, "none",
                    "Spans that the run file stores: all, critical or none", choices::spans}
          .advanced(),
      QuestionField{"stream_folder", &Question::stream_folder, "", "", kLoad | kUnlisted, "/tmp",
                    "Folder for Chakra traces that do not fit into memory"},
      QuestionField{"stream_beyond", &Question::stream_beyond, "", "", kLoad | kUnlisted, "1000000",
                    "Bytes of traces in memory from which on this folder is used"}};
};

template <class Owner>
requires requires { QuestionTable<Owner>::fields; }
constexpr const auto& question_table(const Owner*) { return QuestionTable<Owner>::fields; }
template <class Owner>
requires requires { QuestionTable<Owner>::group; }
constexpr std::string_view question_group(const Owner*) { return QuestionTable<Owner>::group; }

[[nodiscard]] std::string field_text(const JobDescription::Text& value);
[[nodiscard]] std::string field_text(const InStepFactor& value);
/// Parses "NAME\nTEXT".
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where,
                                     JobDescription::Text& out);
/// Parses "16:1.5:-0.1:0.1".
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where,
                                     InStepFactor& out);

/// Returns a key that is equal for questions with the same cluster (kCluster) or workload (kLoad).
/// It contains all fields that affect that stage, with names and lengths, so that different
/// questions never have equal keys.
[[nodiscard]] std::string stage_key(const Question& question, Stage stage);

}  // namespace orrery::study
