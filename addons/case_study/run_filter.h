// SPDX-License-Identifier: Apache-2.0
//
// Which runs of a case study something is about.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orrery/config/parameters.h"

namespace orrery::case_study {

using config::Json;

/// Some runs of a space: those that have one of the choices named in each axis that is named.
/// Empty: all.
struct RunFilter {
  std::vector<std::pair<std::string, std::vector<std::string>>> at;  ///< axis, choices
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                RunFilter& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<RunFilter>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<RunFilter>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const RunFilter& place);

/// The run beside a run: other choices in the axes that are named, for each of its own or whatever
/// its own is.
struct ReferenceRun {
  struct Axis {
    std::string name;
    std::vector<std::pair<std::string, std::string>> choices;  ///< own (empty: any), other
  };
  std::vector<Axis> axes;
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                ReferenceRun& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<ReferenceRun>,
                                            const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<ReferenceRun>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const ReferenceRun& other);

/// Several.
struct RunFilters {
  std::vector<RunFilter> list;
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                RunFilters& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<RunFilters>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<RunFilters>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const RunFilters& places);

}  // namespace orrery::case_study
