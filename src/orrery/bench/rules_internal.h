// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orrery/bench/rules.h"

namespace orrery::bench {

using Pieces = std::optional<std::vector<Piece>>;

/// A call of whichever overload takes these.
[[nodiscard]] inline Piece piece(std::string name, std::vector<Recorded> arguments,
                                 std::vector<Recorded> results) {
  Piece made;
  made.call.name = std::move(name);
  made.call.any = true;
  made.call.arguments = std::move(arguments);
  made.call.results = std::move(results);
  return made;
}

/// The tensor of an argument, or null.
[[nodiscard]] inline const RecordedTensor* tensor_in(const Recorded* value) {
  return value != nullptr && value->kind == Recorded::Kind::tensor && value->tensor.defined
             ? &value->tensor
             : nullptr;
}

// rules_fbgemm.cc
[[nodiscard]] Pieces fbgemm_lookup(const Call& call, RuleContext& context);
[[nodiscard]] Pieces fbgemm_cumsum(const Call& call, RuleContext& context);
[[nodiscard]] Pieces fbgemm_permute(const Call& call, RuleContext& context);
[[nodiscard]] Pieces fbgemm_check(const Call& call, RuleContext& context);
[[nodiscard]] Pieces fbgemm_other(const Call& call, RuleContext& context);

}  // namespace orrery::bench
