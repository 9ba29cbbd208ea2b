// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "addons/bench/operators/substitution_rules.h"

namespace orrery::bench {

using SubstituteParts = std::optional<std::vector<SubstitutePart>>;

/// A call of any overload that accepts these arguments.
[[nodiscard]] inline SubstitutePart substitute_part(std::string name,
                                                    std::vector<RecordedValue> arguments,
                                                    std::vector<RecordedValue> results) {
  SubstitutePart made;
  made.call.name = std::move(name);
  made.call.any = true;
  made.call.arguments = std::move(arguments);
  made.call.results = std::move(results);
  return made;
}

/// The tensor in an argument, or null.
[[nodiscard]] inline const RecordedTensor* tensor_in(const RecordedValue* value) {
  return value != nullptr && value->kind == RecordedValue::Kind::tensor && value->tensor.defined
             ? &value->tensor
             : nullptr;
}

// rules_fbgemm.cc
[[nodiscard]] SubstituteParts fbgemm_lookup(const Call& call, RuleContext& context);
[[nodiscard]] SubstituteParts fbgemm_cumsum(const Call& call, RuleContext& context);
[[nodiscard]] SubstituteParts fbgemm_permute(const Call& call, RuleContext& context);
[[nodiscard]] SubstituteParts fbgemm_check(const Call& call, RuleContext& context);
[[nodiscard]] SubstituteParts fbgemm_other(const Call& call, RuleContext& context);

}  // namespace orrery::bench
