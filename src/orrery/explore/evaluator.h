// SPDX-License-Identifier: Apache-2.0
//
// A point of a space: what it asks, and what an estimate or a simulation says of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/columns.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/explore/figures.h"
#include "orrery/explore/space_file.h"
#include "orrery/search/plans/plan_search.h"
#include "orrery/study/inputs.h"

namespace orrery::explore {

/// What is asked at a place, with everything put in for the names.
struct Asked {
  Json cluster, job;
};
/// Errc: those of expressions.
[[nodiscard]] Result<Asked> asked_at(const SearchSpace& space, const At& at);

/// Of a cluster by name, or by a file from the folder of a space that is at `where`: what `orrery
/// run --cluster` takes.
[[nodiscard]] std::string named_cluster(const std::string& text, const std::string& where);

/// Prices and power there. Errc: those of expressions; config_range.
[[nodiscard]] Result<Rates> rates_at(const SearchSpace& space, const At& at);

/// Everything that a point's figures follow from, as 64 hexadecimal digits: what is asked, by which
/// gear. What was read and by what build stands in Told::provenance.
[[nodiscard]] std::string digest(const SearchSpace& space, const Asked& asked, search::Gear gear);

/// Answers points, and remembers clusters and what ops take on them. The same in any order. Not
/// thread-safe: one for each thread.
class Evaluator {
 public:
  explicit Evaluator(const SearchSpace& space) : space_(space) {}

  /// In closed form where columns know it, by an estimate (of plans that have none: `not_told`), or
  /// simulated. Whatever cannot be read or
  /// simulated has `failed`.
  [[nodiscard]] Told tell(const Asked& asked, search::Gear gear);

  /// Of a point that fits: the job with everything filled in, and the recomputation that it fits
  /// with. Errc: those of reading it; config_conflict (it does not fit).
  [[nodiscard]] Result<workload::Spec> plan(const Asked& asked);

 private:
  struct Known {
    std::shared_ptr<const study::Cluster> cluster;
    std::unique_ptr<estimate::OpCosts> costs;
    FileHashes files;
    std::uint64_t asked = 0;
    std::map<std::string, std::unique_ptr<estimate::Columns>> columns{};  ///< by job
  };
  /// A job on so many devices, for columns.
  struct Job {
    workload::Spec spec;
    std::string family;  ///< all of it that is no column
    double model_flops = 0;
    std::int64_t tokens = 0;
  };
  struct RememberedJob {
    std::optional<Job> job;
    FileHashes files;
  };
  [[nodiscard]] Result<Known*> cluster_of(const Json& asked);
  [[nodiscard]] Result<workload::Spec> spec_of(const Json& job, const study::Cluster& cluster);
  /// Nothing: columns do not know it.
  [[nodiscard]] Result<std::optional<Told>> told_in_columns(const Asked& asked, Known& known,
                                                            const Told& begun);
  [[nodiscard]] std::optional<Job> job_of(const Asked& asked, const Known& known);
  [[nodiscard]] search::FittedPlan fitted(workload::Spec spec, const Known& known) const;
  [[nodiscard]] Result<Told> told_of(const Asked& asked, search::Gear gear);
  [[nodiscard]] Result<Told> time(const workload::Program& program, Known& known, Told told,
                                  search::Gear gear);

  const SearchSpace& space_;
  std::map<std::string, Known> clusters_;
  std::map<std::string, RememberedJob> jobs_;  ///< by text and devices
  std::uint64_t asked_ = 0;
  std::map<FileHashes, std::shared_ptr<const space::Provenance>> provenances_;
  FileHashes files_;  ///< that the point depends on and that were read for an earlier one
};

}  // namespace orrery::explore
