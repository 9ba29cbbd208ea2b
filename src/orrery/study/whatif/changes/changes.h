// SPDX-License-Identifier: Apache-2.0
//
// Changes of a what-if: their names on the command line, and their effect on a workload.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/reshape/reshape.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

inline constexpr double kMaxChangeFactor = 1000;

/// The scope of a change.
enum class ChangeScope : std::uint8_t {
  work,    ///< work of ranks: times and order of nodes
  job,     ///< model and plan, from which the work is generated
  cluster  ///< the cluster
};

/// The source of the times of a change.
enum class Basis : std::uint8_t {
  modeled,   ///< affected parts are generated again and predicted by models
  recorded,  ///< recorded times of other nodes, or without some of them
  scaled,    ///< recorded times times a given factor
  bound      ///< a best-case or worst-case limit that real systems do not reach
};
[[nodiscard]] std::string_view name(Basis basis);

/// A kind of change: the name before "=", its value, and its effect.
struct ChangeKind {
  std::string_view name;   ///< "kernels", "overlap"
  std::string_view value;  ///< "FACTOR", "none"
  std::string_view about;
  Basis basis;
  ChangeScope level = ChangeScope::work;
  std::string_view path = {};  ///< of a job: path in the specification
};
/// All kinds, in the order of output. In addition, operations ("gemm"), "operator:NAME" (of the
/// model, "mlp_up": the name of nodes up to the first '.' or blank), "kernel:TEXT" (part of the
/// name), "named:NAME" (complete name), "range:TEXT" (host work in annotated ranges whose names
/// contain TEXT), "group:NAME" (communications of a process group) and "rank:N" take factors.
/// "bandwidth:DIM", "latency:DIM" and "link:DIM" change the links of one dimension
/// (network_changes.h), and variables of NCCL its choices (nccl/variables.h).
[[nodiscard]] std::span<const ChangeKind> change_kinds();

/// A parsed change.
struct Change {
  std::string text;   ///< as given: "kernels=0.5"
  std::string name;   ///< before "="
  std::string value;  ///< after "="
  double factor = 1;
  std::uint32_t rank = 0;  ///< N of "rank:N"
  Basis basis = Basis::scaled;
  ChangeScope level = ChangeScope::work;
  std::string path;  ///< of a job: path in the specification, "parallel.tp"
};

/// Parses "NAME=VALUE". Factors are 0 to 1000, sigma of variability 0 to 2. Errc: usage; the hint
/// suggests the nearest known name.
[[nodiscard]] Result<Change> parse_change(const std::string& text);
[[nodiscard]] Result<std::vector<Change>> parse_changes(const std::vector<std::string>& texts);

/// Whether one change replaces the other: two devices, two values of one key. Factors never do.
[[nodiscard]] bool are_exclusive(const Change& a, const Change& b);
/// Errc: usage for the first two changes that exclude each other.
[[nodiscard]] Result<void> check_compatible(std::span<const Change> changes);

/// Number of devices that the degrees need.
[[nodiscard]] std::int64_t ranks_of(const workload::Parallel& parallel);

/// Applies the changes of a job to its specification, for a cluster of `devices` devices. If
/// degrees of parallelism change without dp, dp becomes the number of replicas that fit the
/// cluster, and the global batch stays. If dp changes, the batch per replica stays (Lumos, arXiv
/// 2504.09307 §3.4: local work is unchanged). A change of the batch itself takes precedence. Errc:
/// usage and config_*, as workload::set; config_conflict if the degrees do not divide the number of
/// devices.
[[nodiscard]] Result<void> change_job(std::span<const Change> changes, std::int64_t devices,
                                      workload::Spec& spec);

/// Applies the changes of a cluster. Stores factors on kernels and operations in the device
/// (Device::changes), since its kernel models apply them. `job`: also stores slow ranks as
/// deviations; in traces with_changes() scales their nodes. Errc: as change_links() and
/// nccl::set_variable(); config_conflict for variables of NCCL if it does not run the collectives.
[[nodiscard]] Result<void> change_cluster(std::span<const Change> changes, bool job,
                                          platform::Platform& platform);

/// The operator that it scales; empty: none.
[[nodiscard]] std::string_view changed_operator(const Change& change);

/// Whether it changes dp. For a trace that stands for all ranks, dp is the number of replicas.
[[nodiscard]] bool changes_replica_count(const Change& change);

/// Name of the cluster after the changes "gpu" and "cluster" ("h200-sxm:8" from "h100-sxm:8"), and
/// after "dp" if all ranks are replicas of one trace (`replicas`). Errc: config_conflict if the
/// cluster is a file, which has no name with another device, or if both dp and cluster set its
/// size; usage for an unknown device, or a dp that is not a number of ranks.
[[nodiscard]] Result<std::string> changed_cluster(std::span<const Change> changes,
                                                  const std::string& cluster, bool replicas);

/// Whether it changes layers or microbatches. In traces this changes the number of repetitions, in
/// plans a value.
[[nodiscard]] bool is_structural(const Change& change);

/// Value of a change as a whole number. Errc: usage unless it is from 1 to 100,000.
[[nodiscard]] Result<std::uint32_t> whole_number(const Change& change);

/// Traces with the numbers of layers and microbatches of structural changes (graph::reshaped). The
/// times of nodes reveal what repeats, so apply these changes before all changes of times. Errc: as
/// graph::reshaped; usage for values that are not whole numbers.
[[nodiscard]] Result<graph::Workload> with_structure(const graph::Workload& workload,
                                                     std::span<const Change> changes,
                                                     const graph::Shape& known, Findings& findings);

/// Applies the changes of work in order; structural ones are applied before (with_structure).
/// `by_models`: the workload is generated from a plan, so kernel models apply factors on kernels
/// and ranks. A change that affects nothing is counted (key_without_effect), unless models apply
/// it. Errc: as GraphBuilder::finish; usage for an unknown rank. O(nodes log nodes) per change.
[[nodiscard]] Result<graph::Workload> with_changes(const graph::Workload& workload,
                                                   std::span<const Change> changes, bool by_models,
                                                   Findings& findings);

}  // namespace orrery::study
