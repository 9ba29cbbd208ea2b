// SPDX-License-Identifier: Apache-2.0
//
// Evaluates a point of a space by an estimate or a simulation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/column_estimator.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/explore/plans/plan_search.h"
#include "orrery/explore/points/result_columns.h"
#include "orrery/explore/space/space_file.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::explore {

/// The question of a point, with all variables replaced.
struct PointSpec {
  Json cluster, job;
};
/// Replaces the variables of a space with the values at `at`. Errc: those of expressions.
[[nodiscard]] Result<PointSpec> spec_at(const SearchSpace& space, const Coordinates& at);

/// Returns the argument of `orrery run --cluster` for a cluster name, or for a file relative to the
/// folder of the space at `where`.
[[nodiscard]] std::string named_cluster(const std::string& text, const std::string& where);

/// Prices and power at a point. Errc: those of expressions; config_range.
[[nodiscard]] Result<Rates> rates_at(const SearchSpace& space, const Coordinates& at);

/// Hash of the inputs of a point's figures, 64 hexadecimal digits: the question and the evaluation
/// method. Input files and the build are in PointPrediction::provenance.
[[nodiscard]] std::string digest(const SearchSpace& space, const PointSpec& asked,
                                 Evaluation evaluation);

/// Evaluates points, and caches clusters and operation times. Results do not depend on the order.
/// Not thread-safe: use one per thread.
class Evaluator {
 public:
  explicit Evaluator(const SearchSpace& space) : space_(space) {}

  /// Predicts a point by `evaluation`. `columns` uses the closed form if it supports the plan, else
  /// the estimate. Plans that estimates do not support get `needs_simulation`; points that cannot
  /// be read or simulated get `failed`.
  [[nodiscard]] PointPrediction predict(const PointSpec& asked, Evaluation evaluation);

  /// Returns the complete specification of a point that fits, with the recomputation that fits.
  /// Errc: those of reading it; config_conflict (it does not fit).
  [[nodiscard]] Result<workload::Spec> plan(const PointSpec& asked);

 private:
  struct CachedCluster {
    std::shared_ptr<const study::Cluster> cluster;
    std::unique_ptr<estimate::OpCosts> costs;
    FileHashes files;
    std::uint64_t asked = 0;
    std::map<std::string, std::unique_ptr<estimate::ColumnEstimator>> columns{};  ///< by family
  };
  /// A job on a number of devices, for the column estimator.
  struct Job {
    workload::Spec spec;
    std::string family;  ///< all values that are not columns
    std::optional<workload::StepCount> counted;
    std::int64_t tokens = 0;
    /// By name of the device in the catalog, and recomputation.
    std::map<std::pair<std::string, workload::RecomputeKind>, MemoryNeed> memory;
  };
  struct CachedJob {
    std::optional<Job> job;
    FileHashes files;
  };
  [[nodiscard]] Result<CachedCluster*> cluster_of(const Json& asked);
  [[nodiscard]] Result<workload::Spec> spec_of(const Json& job, const study::Cluster& cluster);
  /// Returns empty if columns do not support the point.
  [[nodiscard]] Result<std::optional<PointPrediction>> predict_in_columns(
      const PointSpec& asked, CachedCluster& known, const PointPrediction& begun);
  /// The memory of `plan`, which is the job with some recomputation, with its bounds.
  [[nodiscard]] static const MemoryNeed& memory_of(Job& job, const workload::Spec& plan,
                                                   const platform::Device& device);
  [[nodiscard]] std::optional<Job> job_of(const PointSpec& asked, const CachedCluster& known);
  [[nodiscard]] FittedPlan fitted(workload::Spec spec, const CachedCluster& known) const;
  [[nodiscard]] Result<PointPrediction> predict_point(const PointSpec& asked,
                                                      Evaluation evaluation);
  [[nodiscard]] Result<PointPrediction> time(const workload::Program& program, CachedCluster& known,
                                             PointPrediction predicted, Evaluation evaluation);

  const SearchSpace& space_;
  std::map<std::string, CachedCluster> clusters_;
  std::map<std::string, CachedJob> jobs_;  ///< by text and number of devices
  std::uint64_t asked_ = 0;
  std::map<FileHashes, std::shared_ptr<const Provenance>> provenances_;
  FileHashes files_;  ///< files of the point that were read for earlier points
};

}  // namespace orrery::explore
