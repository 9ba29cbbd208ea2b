// SPDX-License-Identifier: Apache-2.0
//
// Values that only files of spaces have: pieces of other files, and places in a space.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orrery/config/parameters.h"

namespace orrery::space {

using config::Json;

/// A piece of another kind of file (a cluster's, a job's), not looked into here. Null: none.
struct Tree {
  Json value;
};

/// Whether text is the path of such a file: it has a slash, or ends with .yaml, .yml or .json.
[[nodiscard]] bool names_file(const std::string& text);

void read_value(const Json& value, const std::string& path, const config::Limits& limits, Tree& out,
                config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<Tree>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<Tree>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const Tree& tree);

/// Some runs of a space: those that have one of the choices named in each axis that is named.
/// Empty: all.
struct Place {
  std::vector<std::pair<std::string, std::vector<std::string>>> at;  ///< axis, choices
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                Place& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<Place>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<Place>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const Place& place);

/// The run beside a run: other choices in the axes that are named, for each of its own or whatever
/// its own is.
struct Other {
  struct Axis {
    std::string name;
    std::vector<std::pair<std::string, std::string>> choices;  ///< own (empty: any), other
  };
  std::vector<Axis> axes;
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                Other& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<Other>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<Other>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const Other& other);

/// Several.
struct Places {
  std::vector<Place> list;
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                Places& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<Places>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<Places>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const Places& places);

}  // namespace orrery::space
