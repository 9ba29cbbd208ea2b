// SPDX-License-Identifier: Apache-2.0
//
// Substitutes for operators that the framework does not have: a table of named rules.
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
    /// Reads the tensors in `call.arguments`, writes `written` and the results, and computes
    /// `flops`.
    stand_in,
    absent  ///< only creates the results
  };
  Kind kind = Kind::call;
  Call call;
  std::vector<RecordedValue> written{};
  double flops = 0;
};

/// Services for rules.
class RuleContext {
 public:
  /// A tensor that is not in the recording. Without `storage`, it has its own storage.
  [[nodiscard]] RecordedTensor new_tensor(TensorSpec spec, std::uint64_t storage = 0);

 private:
  std::uint64_t next_ = std::uint64_t{1} << 63;
};

struct SubstitutionRule {
  std::string_view name;         ///< "batch-norm"
  std::string_view pattern;      ///< for the operator's name (name_pattern.h)
  std::string_view description;  ///< the effect of the rule, as half a sentence
  bool always = false;           ///< applies even if the operator itself could be called
  /// Returns nothing if the rule does not know this form of the call. An empty list: the call needs
  /// no substitute.
  std::optional<std::vector<SubstitutePart>> (*apply)(const Call&, RuleContext&);
};

/// The rules in the order in which the planner tries them.
[[nodiscard]] std::span<const SubstitutionRule> rules();

/// A substitute for a fused Triton kernel, whose name lists the fused operators (Inductor writes
/// "triton_poi_fused_add_cos_0"): it moves the same bytes and computes one operation per element
/// for each name.
[[nodiscard]] SubstitutePart triton_stand_in(std::string_view kernel,
                                             std::vector<RecordedValue> arguments);
inline constexpr std::string_view kTritonRule = "triton";

}  // namespace orrery::bench
