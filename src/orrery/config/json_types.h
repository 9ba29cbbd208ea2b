// SPDX-License-Identifier: Apache-2.0
//
// Forward declarations for the read_value(), schema_of(), about_kind() and write_value() of a
// parameter's type (parameters.h). Cheap to include: without nlohmann's definitions.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace orrery::config {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

struct Reading;

/// A member's type, as an argument.
template <class T>
struct Kind {};

}  // namespace orrery::config
