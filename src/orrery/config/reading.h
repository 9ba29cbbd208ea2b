// SPDX-License-Identifier: Apache-2.0
//
// The names that a type of its own needs to be a parameter (parameters.h): light, so that headers
// which many include can declare its read_value(), schema_of(), about_kind() and write_value().
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
