// SPDX-License-Identifier: Apache-2.0
//
// Selects runs of a case study.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orrery/config/parameters.h"

namespace orrery::case_study {

using config::Json;

/// Selects runs of a space: for each axis listed, a run must have one of the listed choices. Empty:
/// all runs.
struct RunFilter {
  std::vector<std::pair<std::string, std::vector<std::string>>> at;  ///< axis, choices
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                RunFilter& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<RunFilter>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<RunFilter>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const RunFilter& place);

/// The reference that a run is compared with: it has other choices on the listed axes, which may
/// depend on the run's own choice.
struct ReferenceRun {
  struct Axis {
    std::string name;
    /// Choice of the run (empty: any), choice of the reference.
    std::vector<std::pair<std::string, std::string>> choices;
  };
  std::vector<Axis> axes;
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                ReferenceRun& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<ReferenceRun>,
                                            const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<ReferenceRun>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const ReferenceRun& other);

/// A list of filters.
struct RunFilters {
  std::vector<RunFilter> list;
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                RunFilters& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<RunFilters>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<RunFilters>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const RunFilters& places);

}  // namespace orrery::case_study
