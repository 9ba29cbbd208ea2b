// SPDX-License-Identifier: Apache-2.0
//
// What is other than it was: words of the command line, and what they do to a workload.
#pragma once

#include <cstddef>
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

/// What a change is made in.
enum class ChangeScope : std::uint8_t {
  work,    ///< of what ranks do: times and order of nodes
  job,     ///< the model and the plan that ranks' work is made of
  cluster  ///< what it runs on
};

/// How a change comes by the times it gives.
enum class Basis : std::uint8_t {
  modelled,  ///< all that it touches is made anew, and models say what that takes
  recorded,  ///< times of the recording itself, elsewhere or without something
  scaled,    ///< recorded times by a factor that was asked for
  bound      ///< at the best or at the worst: what it leaves out, nobody does without
};
[[nodiscard]] std::string_view name(Basis basis);

/// A word that may stand before the "=" of a change, what may stand behind, and what it does.
struct ChangeKind {
  std::string_view name;   ///< "kernels", "overlap"
  std::string_view value;  ///< "FACTOR", "none"
  std::string_view about;
  Basis basis;
  ChangeScope level = ChangeScope::work;
  std::string_view path = {};  ///< of a job: what of the specification it is
};
/// In the order in which they are told. Besides them operations ("gemm"), "kernel:TEXT" (part of
/// the name), "named:NAME" (all of it), "group:NAME" (communications of a process group) and
/// "rank:N" take factors.
[[nodiscard]] std::span<const ChangeKind> change_kinds();

/// One change, read.
struct Change {
  std::string text;   ///< as it was typed: "kernels=0.5"
  std::string name;   ///< before the "="
  std::string value;  ///< behind it
  double factor = 1;
  std::uint32_t rank = 0;  ///< of "rank:N"
  Basis basis = Basis::scaled;
  ChangeScope level = ChangeScope::work;
  std::string path;  ///< of a job: "parallel.tp"
};

/// Factors are from 0 to 1000, spreads (variability) from 0 to 2. Errc: usage, with the nearest
/// word that there is.
[[nodiscard]] Result<Change> parse_change(const std::string& text);
[[nodiscard]] Result<std::vector<Change>> parse_changes(const std::vector<std::string>& texts);

/// Whether one of them leaves nothing of the other: two devices, two degrees of one kind, a batch
/// and its microbatches. Factors never do.
[[nodiscard]] bool are_exclusive(const Change& a, const Change& b);
/// Errc: usage, for the first two that are about one thing.
[[nodiscard]] Result<void> check_compatible(std::span<const Change> changes);

/// Devices that it needs.
[[nodiscard]] std::int64_t ranks_of(const workload::Parallel& parallel);

/// Makes the changes of a job in its specification, for a cluster of so many devices. Where degrees
/// of parallelism change and dp is not among them, it becomes what they leave of the cluster, and
/// the batch stays; with another dp each replica's share of the batch does (Lumos, arXiv 2504.09307
/// §3.4: local work is unchanged). A changed batch is what was said. Errc: usage and config_*, as
/// workload::set; config_conflict where they do not divide the cluster.
[[nodiscard]] Result<void> change_job(std::span<const Change> changes, std::int64_t devices,
                                      workload::Spec& spec);

/// Makes those of a cluster, and leaves word there of kernels' that its models are to follow; of
/// jobs, of ranks that are slow, too (of traces works themselves say so).
void change_cluster(std::span<const Change> changes, bool job, platform::Platform& platform);

/// Of one trace that stands for all ranks: so many of them.
[[nodiscard]] bool changes_replica_count(const Change& change);

/// The name of the cluster with the changes "gpu" and "cluster": "h200-sxm:8" of "h100-sxm:8"; and
/// "dp", if all its ranks are replicas (of one trace). Errc: config_conflict where it is a file,
/// whose device has no other name to be called by, or both dp and cluster say how many; usage for a
/// dp that is no number of ranks.
[[nodiscard]] Result<std::string> changed_cluster(std::span<const Change> changes,
                                                  const std::string& cluster, bool replicas);

/// Of layers or microbatches: of traces their repetitions change, of plans a number does.
[[nodiscard]] bool is_structural(const Change& change);

/// … and how many it says. Errc: usage for what is no whole number from 1 to 100,000.
[[nodiscard]] Result<std::uint32_t> whole_number(const Change& change);

/// Traces with other numbers of layers and microbatches (graph::reshaped), of those changes that
/// say so. What repeats is found by what the works take, so that this comes before all changes of
/// that. Errc: as graph::reshaped; usage for what is no whole number.
[[nodiscard]] Result<graph::Workload> with_structure(const graph::Workload& workload,
                                                     std::span<const Change> changes,
                                                     const graph::Shape& known, Findings& findings);

/// The workload with the changes of its work, one after another; those of its structure are made
/// before (with_structure). `by_models`: it is made of a plan, and what changes there is changed
/// there. One that finds nothing to change is counted (key_without_effect),
/// unless it is for models to follow. Errc: as GraphBuilder::finish; usage for a rank that is not
/// there. O(nodes log nodes) each.
[[nodiscard]] Result<graph::Workload> with_changes(const graph::Workload& workload,
                                                   std::span<const Change> changes, bool by_models,
                                                   Findings& findings);

}  // namespace orrery::study
