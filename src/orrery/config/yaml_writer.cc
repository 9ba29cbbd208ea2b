// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/yaml_writer.h"

namespace orrery::config {
namespace {

/// One value on one line, in YAML's flow style. JSON text is that; names stay bare where they
/// safely can.
std::string inline_yaml(const OrderedJson& value) {
  if (!value.is_structured()) {
    return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  }
  std::string text;
  for (const auto& [key, item] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += key + ": ";
    text += inline_yaml(item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

bool has_structure(const OrderedJson& value) {
  for (const auto& item : value) {
    if (item.is_structured()) return true;
  }
  return false;
}

// Recursion ends with `levels`.
void write_block(const OrderedJson& object, const std::string& indent, int levels,
                 std::string& text) {
  for (const auto& [key, value] : object.items()) {
    text += indent + key + ":";
    if (levels > 0 && value.is_array() && has_structure(value)) {
      text += "\n";
      for (const auto& item : value) text += indent + "  - " + inline_yaml(item) + "\n";
    } else if (levels > 0 && value.is_object() && !value.empty()) {
      text += "\n";
      write_block(value, indent + "  ", levels - 1, text);
    } else {
      text += " " + inline_yaml(value) + "\n";
    }
  }
}

}  // namespace

std::string to_yaml(const OrderedJson& root, int levels) {
  std::string text;
  write_block(root, "", levels, text);
  return text;
}

}  // namespace orrery::config
