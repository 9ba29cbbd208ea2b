// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <unordered_map>

#include "orrery/core/limits.h"
#include "orrery/trace/flight_recorder/pickle.h"

namespace orrery::trace::flight_recorder {
namespace {

namespace dom = simdjson::dom;

class JsonValues {
 public:
  JsonValues(Values& values, const std::string& where) : values_(values), where_(where) {}

  Result<ValueId> add(const dom::element& element, int depth) {
    if (depth > limits::kJsonDepth)
      return fail(Errc::limit_exceeded, where_,
                  fmt::format("nests deeper than {} levels", limits::kJsonDepth));
    switch (element.type()) {
      case dom::element_type::OBJECT:
        return add_object(element.get_object().value_unsafe(), depth);
      case dom::element_type::ARRAY:
        return add_array(element.get_array().value_unsafe(), depth);
      case dom::element_type::STRING:
        return add_text(element.get_string().value_unsafe());
      case dom::element_type::INT64:
        return put({.kind = ValueKind::integer, .integer = element.get_int64().value_unsafe()});
      case dom::element_type::UINT64:
        return fail(Errc::input_range, where_,
                    fmt::format("{} is too large: a dump has 64-bit integers",
                                element.get_uint64().value_unsafe()));
      case dom::element_type::DOUBLE:
        return put({.kind = ValueKind::real, .real = element.get_double().value_unsafe()});
      case dom::element_type::BOOL:
        return put(
            {.kind = ValueKind::boolean, .integer = element.get_bool().value_unsafe() ? 1 : 0});
      case dom::element_type::NULL_VALUE:
        return put({});
    }
    return put({});
  }

 private:
  Result<ValueId> put(Value value) { return values_.add(std::move(value), where_); }

  /// Short texts repeat: keys, operations, states.
  Result<ValueId> add_text(std::string_view text) {
    constexpr std::size_t kShort = 64;
    if (text.size() > kShort)
      return put({.kind = ValueKind::text, .text = values_.own(std::string(text))});
    const auto found = texts_.find(text);
    if (found != texts_.end()) return found->second;
    const std::string_view owned = values_.own(std::string(text));
    const auto id = put({.kind = ValueKind::text, .text = owned});
    if (id) texts_.emplace(owned, *id);
    return id;
  }

  Result<ValueId> add_array(const dom::array& array, int depth) {
    const auto list = put({.kind = ValueKind::list});
    if (!list) return list;
    for (const dom::element element : array) {
      const auto id = add(element, depth + 1);
      if (!id) return id;
      if (auto done = values_.append(*list, &*id, 1, where_); !done)
        return tl::unexpected(done.error());
    }
    return list;
  }

  Result<ValueId> add_object(const dom::object& object, int depth) {
    const auto dictionary = put({.kind = ValueKind::dictionary});
    if (!dictionary) return dictionary;
    for (const dom::key_value_pair member : object) {
      const auto key = add_text(member.key);
      if (!key) return key;
      const auto value = add(member.value, depth + 1);
      if (!value) return value;
      const ValueId both[] = {*key, *value};
      if (auto done = values_.append(*dictionary, both, 2, where_); !done)
        return tl::unexpected(done.error());
    }
    return dictionary;
  }

  Values& values_;
  const std::string& where_;
  std::unordered_map<std::string_view, ValueId> texts_;
};

}  // namespace

Result<std::unique_ptr<Values>> read_json(std::string text, const std::string& where) {
  auto values = std::make_unique<Values>("");
  dom::parser parser(Values::kBytes);
  dom::element root;
  if (const auto error = parser.parse(text).get(root); error != simdjson::SUCCESS) {
    const bool cut = text.find_last_not_of(" \t\r\n") == std::string::npos ||
                     text[text.find_last_not_of(" \t\r\n")] != '}';
    return fail(cut ? Errc::input_truncated : Errc::input_corrupt, where,
                cut ? "the JSON text ends before its end"
                    : fmt::format("is not JSON: {}", simdjson::error_message(error)),
                "copy the file again");
  }
  const auto id = JsonValues(*values, where).add(root, 0);
  if (!id) return tl::unexpected(id.error());
  values->set_root(*id);
  return values;
}

}  // namespace orrery::trace::flight_recorder
