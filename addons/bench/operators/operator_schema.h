// SPDX-License-Identifier: Apache-2.0
//
// Operator schemas as PyTorch writes them: "aten::add.Tensor(Tensor self, Tensor other, *, Scalar
// alpha=1) -> Tensor".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::bench {

/// The element type of a parameter, without list and optional. ScalarType, Layout and MemoryFormat
/// are integers.
enum class BaseType : std::uint8_t {
  tensor,
  integer,
  real,
  truth,
  scalar,
  text,
  device,
  nothing,
  other
};

/// The type of a parameter. `nothing`: a generator, which is always omitted. `other`: a stream,
/// storage or object, which cannot be created from a recording.
struct ParameterType {
  BaseType base = BaseType::other;
  bool optional = false;  ///< may be None
  bool list = false;
  bool optional_items = false;  ///< Tensor?[]
  bool aliases = false;         ///< has an alias annotation: shares storage with another value
  bool written = false;         ///< the operator writes it: Tensor(a!)
  friend bool operator==(const ParameterType&, const ParameterType&) = default;
};

struct Parameter {
  std::string name;
  ParameterType type;
  std::optional<std::string> fallback;  ///< text of the default value
};

struct OperatorSchema {
  std::string name;      ///< "aten::add"
  std::string overload;  ///< "Tensor"; often empty
  std::vector<Parameter> parameters;
  std::vector<ParameterType> returns;

  /// "aten::add.Tensor"
  [[nodiscard]] std::string full_name() const;
};

/// Empty if `text` is not a schema. O(length); terminates for any text.
[[nodiscard]] std::optional<OperatorSchema> parse_schema(std::string_view text);

}  // namespace orrery::bench
