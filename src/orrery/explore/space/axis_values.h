// SPDX-License-Identifier: Apache-2.0
//
// Value types of search space files.
#pragma once

#include <string>
#include <vector>

#include "orrery/config/parameters.h"

namespace orrery::explore {

using config::Json;

/// Values of an axis of any type, usually numbers or words.
struct AxisValues {
  std::vector<Json> list;
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits,
                AxisValues& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<AxisValues>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<AxisValues>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const AxisValues& values);

/// A number, or an expression that returns one ("=gpu.price"). Null: not given.
struct Term {
  Json value;
};

void read_value(const Json& value, const std::string& path, const config::Limits& limits, Term& out,
                config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<Term>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<Term>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const Term& term);

}  // namespace orrery::explore
