// SPDX-License-Identifier: Apache-2.0
//
// Builds views of recordings, rank by rank.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"
#include "orrery/study/recordings/views/view.h"

namespace orrery::study {

/// One view in the making. A builder keeps what its view needs, not the profiles.
class ViewBuilder {
 public:
  ViewBuilder() = default;
  ViewBuilder(const ViewBuilder&) = delete;
  ViewBuilder& operator=(const ViewBuilder&) = delete;
  virtual ~ViewBuilder() = default;

  /// Called for each rank, ascending. `rank` is linked and attached.
  virtual void add(const intake::RankTrace& rank) = 0;
  /// The view of all ranks; called once, after all of them. `job` matches their communications.
  [[nodiscard]] virtual View view(const intake::Job& job, Findings& findings) = 0;
};

/// Builders of the views that `--view` names, each once, in their own order; "all" is all of them.
/// `names` are valid.
[[nodiscard]] std::vector<std::unique_ptr<ViewBuilder>> view_builders(
    std::span<const std::string> names);

}  // namespace orrery::study
