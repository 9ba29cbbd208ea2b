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
#include "orrery/estimate/columns/column_estimator.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/explore/plans/plan_search.h"
#include "orrery/explore/points/result_columns.h"
#include "orrery/explore/space/space_file.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::explore {

/// What is asked at a place, with everything put in for the names.
struct PointSpec {
  Json cluster, job;
};
/// Errc: those of expressions.
[[nodiscard]] Result<PointSpec> spec_at(const SearchSpace& space, const Coordinates& at);

/// Of a cluster by name, or by a file from the folder of a space that is at `where`: what `orrery
/// run --cluster` takes.
[[nodiscard]] std::string named_cluster(const std::string& text, const std::string& where);

/// Prices and power there. Errc: those of expressions; config_range.
[[nodiscard]] Result<Rates> rates_at(const SearchSpace& space, const Coordinates& at);

/// Everything that a point's figures follow from, as 64 hexadecimal digits: what is asked, by which
/// gear. What was read and by what build stands in EvaluatedPoint::provenance.
[[nodiscard]] std::string digest(const SearchSpace& space, const PointSpec& asked,
                                 Evaluation evaluation);

/// Answers points, and remembers clusters and what ops take on them. The same in any order. Not
/// thread-safe: one for each thread.
class Evaluator {
 public:
  explicit Evaluator(const SearchSpace& space) : space_(space) {}

  /// In closed form where columns know it, by an estimate (of plans that have none:
  /// `needs_simulation`), or simulated. Whatever cannot be read or simulated has `failed`.
  [[nodiscard]] PointPrediction predict(const PointSpec& asked, Evaluation evaluation);

  /// Of a point that fits: the job with everything filled in, and the recomputation that it fits
  /// with. Errc: those of reading it; config_conflict (it does not fit).
  [[nodiscard]] Result<workload::Spec> plan(const PointSpec& asked);

 private:
  struct CachedCluster {
    std::shared_ptr<const study::Cluster> cluster;
    std::unique_ptr<estimate::OpCosts> costs;
    FileHashes files;
    std::uint64_t asked = 0;
    std::map<std::string, std::unique_ptr<estimate::ColumnEstimator>> columns{};  ///< by job
  };
  /// A job on so many devices, for columns.
  struct Job {
    workload::Spec spec;
    std::string family;  ///< all of it that is no column
    double model_flops = 0;
    std::int64_t tokens = 0;
  };
  struct CachedJob {
    std::optional<Job> job;
    FileHashes files;
  };
  [[nodiscard]] Result<CachedCluster*> cluster_of(const Json& asked);
  [[nodiscard]] Result<workload::Spec> spec_of(const Json& job, const study::Cluster& cluster);
  /// Nothing: columns do not know it.
  [[nodiscard]] Result<std::optional<PointPrediction>> predict_in_columns(
      const PointSpec& asked, CachedCluster& known, const PointPrediction& begun);
  [[nodiscard]] std::optional<Job> job_of(const PointSpec& asked, const CachedCluster& known);
  [[nodiscard]] FittedPlan fitted(workload::Spec spec, const CachedCluster& known) const;
  [[nodiscard]] Result<PointPrediction> predict_point(const PointSpec& asked,
                                                      Evaluation evaluation);
  [[nodiscard]] Result<PointPrediction> time(const workload::Program& program, CachedCluster& known,
                                             PointPrediction predicted, Evaluation evaluation);

  const SearchSpace& space_;
  std::map<std::string, CachedCluster> clusters_;
  std::map<std::string, CachedJob> jobs_;  ///< by text and devices
  std::uint64_t asked_ = 0;
  std::map<FileHashes, std::shared_ptr<const Provenance>> provenances_;
  FileHashes files_;  ///< that the point depends on and that were read for an earlier one
};

}  // namespace orrery::explore
