// SPDX-License-Identifier: Apache-2.0
//
// What stands in for operators that the framework at hand does not have: a table of named rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "addons/bench/operators/resolver.h"

namespace orrery::bench {

/// One part of a substitute.
struct SubstitutePart {
  enum class Kind : std::uint8_t {
    call,
    /// Reads `call.arguments`' tensors, writes `written` ones and the results, calculates `flops`.
    stand_in,
    absent  ///< only makes the results
  };
  Kind kind = Kind::call;
  Call call;
  std::vector<RecordedValue> written{};
  double flops = 0;
};

/// What rules may ask.
class RuleContext {
 public:
  /// A tensor that is in no recording; without `storage`, with one of its own.
  [[nodiscard]] RecordedTensor fresh(TensorSpec spec, std::uint64_t storage = 0);

 private:
  std::uint64_t next_ = std::uint64_t{1} << 63;
};

struct SubstitutionRule {
  std::string_view name;     ///< "batch-norm"
  std::string_view pattern;  ///< of the operator's name; '*' at its end stands for anything
  std::string_view says;     ///< what it does, half a sentence
  bool always = false;       ///< also where the operator itself could be called
  /// Nothing when the call is not what the rule knows. An empty list: nothing is to be done.
  std::optional<std::vector<SubstitutePart>> (*apply)(const Call&, RuleContext&);
};

/// In the order in which they are tried.
[[nodiscard]] std::span<const SubstitutionRule> rules();
/// True when the rule is for operators of this name.
[[nodiscard]] bool applies_to(const SubstitutionRule& rule, std::string_view name);

/// A fused kernel of Triton (its name tells what was fused; Inductor writes
/// "triton_poi_fused_add_cos_0"): the same bytes, and a calculation per element for each name.
[[nodiscard]] SubstitutePart triton_stand_in(std::string_view kernel,
                                             std::vector<RecordedValue> arguments);
inline constexpr std::string_view kTritonRule = "triton";

}  // namespace orrery::bench
