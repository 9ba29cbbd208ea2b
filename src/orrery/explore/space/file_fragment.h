// SPDX-License-Identifier: Apache-2.0
//
// Fragments of other files in space files and case studies.
#pragma once

#include <string>

#include "orrery/config/parameters.h"

namespace orrery::explore {

using config::Json;

/// A fragment of another kind of file (cluster, job), not interpreted here. Null: none.
struct FileFragment {
  Json value;
};

/// Whether text is the path of such a file: it contains a slash, or ends with .yaml, .yml or .json.
[[nodiscard]] bool is_file_path(const std::string& text);

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                FileFragment& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<FileFragment>,
                                            const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<FileFragment>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const FileFragment& tree);

}  // namespace orrery::explore
