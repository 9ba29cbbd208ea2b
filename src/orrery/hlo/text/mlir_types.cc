// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/text/mlir_types.h"

#include <algorithm>
#include <charconv>

namespace orrery::hlo {

namespace {

/// "#stablehlo.bounds<5, ?>" of a type: the largest sizes of its dimensions.
void take_bounds(std::string_view text, Shape& shape) {
  const std::size_t at = text.find("bounds<");
  if (at == text.npos) return;
  text.remove_prefix(at + 7);
  for (std::int64_t& dim : shape.dims) {
    const std::size_t end = text.find_first_of(",>");
    if (end == text.npos) return;
    if (const auto bound = integers_in(text.substr(0, end)); dim < 0 && bound.size() == 1)
      dim = bound.front();
    if (text[end] == '>') return;
    text.remove_prefix(end + 1);
  }
}

/// "4x8xf32, #encoding" of "tensor<…>".
std::optional<Shape> tensor_body(std::string_view text) {
  Shape shape;
  while (shape.dims.size() <= 32) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (text.starts_with('?') && text.substr(1).starts_with('x')) {
      shape.dims.push_back(-1);
      text.remove_prefix(2);
    } else if (digits != 0 && digits != text.npos && text[digits] == 'x') {
      std::int64_t value = 0;
      if (std::from_chars(text.data(), text.data() + digits, value).ec != std::errc()) return {};
      shape.dims.push_back(value);
      text.remove_prefix(digits + 1);
    } else {
      break;
    }
  }
  if (text.starts_with('*')) return {};
  take_bounds(text, shape);
  std::string_view word = text.substr(0, text.find(','));
  if (word.starts_with("complex")) word = text.substr(0, text.find('>') + 1);
  // A quantized element is stored as its storage type: "!quant.uniform<i8:f32, …>".
  if (word.starts_with("!quant") && word.find('<') != word.npos) {
    word.remove_prefix(word.find('<') + 1);
    word = word.substr(0, word.find(':'));
  }
  if (word.empty()) return {};
  shape.type = element_type_of(word);
  return shape;
}

}  // namespace

std::optional<Shape> mlir_type(Cursor& cursor, int depth) {
  if (depth > kMostDepth) return {};
  const char first = cursor.peek();
  if (first == '!') {
    const std::string_view name = cursor.name_after_sigil();
    if (name.empty()) return {};
    if (cursor.ahead(0) == '<' && cursor.bracket().empty()) return {};
    Shape shape;
    shape.type = name.ends_with("token") ? ElementType::token : ElementType::other;
    return shape;
  }
  const std::string_view word = cursor.word();
  if (word.empty()) return {};
  if (word == "tuple") {
    Shape shape;
    shape.type = ElementType::tuple;
    if (!cursor.take("<")) return {};
    while (!cursor.take(">")) {
      auto part = mlir_type(cursor, depth + 1);
      if (!part || shape.parts.size() >= kMostParts) return {};
      shape.parts.push_back(*std::move(part));
      cursor.take(",");
    }
    return shape;
  }
  if (cursor.ahead(0) != '<') {
    Shape shape;
    shape.type = element_type_of(word);
    return shape;
  }
  const std::string_view body = cursor.bracket();
  if (body.size() < 2) return {};
  if (word == "complex") {
    Shape shape;
    shape.type = body == "<f64>" ? ElementType::c128 : ElementType::c64;
    return shape;
  }
  return tensor_body(body.substr(1, body.size() - 2));
}

std::optional<std::vector<Shape>> mlir_types(Cursor& cursor) {
  std::vector<Shape> shapes;
  const bool brackets = cursor.take("(");
  if (brackets && cursor.take(")")) return shapes;
  do {
    auto shape = mlir_type(cursor);
    if (!shape || shapes.size() >= kMostParts) return {};
    shapes.push_back(*std::move(shape));
    if (brackets && cursor.peek() == '{' && cursor.bracket().empty()) return {};
  } while (cursor.take(","));
  if (brackets && !cursor.take(")")) return {};
  return shapes;
}

std::string_view mlir_term(Cursor& cursor) {
  const char c = cursor.peek();
  if (c == '[' || c == '{' || c == '<' || c == '(') return cursor.bracket();
  if (c == '"') return cursor.quoted();
  const char sigil = c == '#' || c == '@' || c == '-' ? c : '\0';
  if (sigil != '\0') cursor.skip(1);
  std::string_view word = cursor.word();
  if (word.empty()) return {};
  if (sigil != '\0') word = {word.data() - 1, word.size() + 1};
  if (cursor.ahead(0) != '<') return word;
  const std::string_view content = cursor.bracket();
  if (content.empty()) return {};
  word = {word.data(), word.size() + content.size()};
  // The type of a dense list.
  if (!word.starts_with("dense") || !cursor.at(": tensor<")) return word;
  cursor.take(":");
  (void)cursor.word();
  const std::string_view type = cursor.bracket();
  if (type.empty()) return {};
  return {word.data(), static_cast<std::size_t>(type.data() + type.size() - word.data())};
}

std::string_view mlir_dimension_numbers(Cursor& cursor) {
  cursor.skip_space();
  std::string_view lists;
  for (int i = 0; i < 3; ++i) {
    const std::string_view list = cursor.bracket();
    if (list.empty()) return {};
    if (i == 0) lists = list;
    cursor.take(i == 0 ? "x" : "->");
    lists = {lists.data(), static_cast<std::size_t>(list.data() + list.size() - lists.data())};
  }
  return lists;
}

void skip_mlir_resources(Cursor& cursor) {
  cursor.skip(3);
  while (!cursor.done() && !cursor.take("#-}")) {
    if (cursor.peek() == '"')
      (void)cursor.quoted();
    else
      cursor.skip(1);
  }
}

bool take_count(std::string_view value, std::int64_t& count) {
  constexpr std::int64_t kMostDevices = 1 << 24;
  const auto found = integers_in(value);
  if (found.empty() || found.front() < 1 || found.front() > kMostDevices) return false;
  count = found.front();
  return true;
}

Shape result_shape(std::vector<Shape> shapes) {
  if (shapes.size() == 1) return std::move(shapes.front());
  Shape tuple;
  tuple.type = ElementType::tuple;
  tuple.parts = std::move(shapes);
  return tuple;
}

std::vector<std::int64_t> mlir_integers(std::string_view attribute) {
  if (!attribute.starts_with("dense")) {
    // The type after a number is a word and has no integers; that of a list is none of its items.
    return integers_in(attribute);
  }
  Cursor cursor(attribute.substr(5));
  const std::string_view body = cursor.bracket();
  std::vector<std::int64_t> values = integers_in(body);
  if (!cursor.take(":")) return values;
  const auto type = mlir_type(cursor);
  if (!type || values.size() != 1) return values;
  const std::int64_t count = type->elements();
  if (count > 1 && static_cast<std::uint64_t>(count) <= kMostParts)
    values.assign(static_cast<std::size_t>(count), values.front());
  return values;
}

std::vector<std::vector<std::int64_t>> mlir_rows(std::string_view attribute) {
  std::vector<std::vector<std::int64_t>> rows;
  const std::vector<std::int64_t> values = mlir_integers(attribute);
  Cursor cursor(attribute);
  (void)cursor.word();
  (void)cursor.bracket();
  std::size_t width = values.size();
  if (cursor.take(":")) {
    const auto type = mlir_type(cursor);
    if (type && type->dims.size() == 2 && type->dims[1] > 0)
      width = static_cast<std::size_t>(type->dims[1]);
  }
  for (std::size_t i = 0; i < values.size(); i += width) {
    const std::size_t end = std::min(i + width, values.size());
    std::vector<std::int64_t>& row = rows.emplace_back();
    // Rows of unequal groups are padded with -1.
    for (std::size_t k = i; k < end; ++k)
      if (values[k] >= 0) row.push_back(values[k]);
  }
  return rows;
}

std::optional<ConvolutionDims> mlir_convolution_dims(std::string_view text) {
  ConvolutionDims dims;
  struct Side {
    char batch, feature;
    std::int64_t *first, *second;
    std::vector<std::int64_t>* spatial;
  };
  const Side sides[] = {{'b', 'f', &dims.input_batch, &dims.input_feature, &dims.input_spatial},
                        {'i', 'o', &dims.kernel_input, &dims.kernel_output, &dims.kernel_spatial},
                        {'b', 'f', &dims.output_batch, &dims.output_feature, &dims.output_spatial}};
  for (const Side& side : sides) {
    const std::size_t begin = text.find('['), end = text.find(']');
    if (begin == text.npos || end == text.npos || end < begin) return {};
    std::string_view list = text.substr(begin + 1, end - begin - 1);
    text.remove_prefix(end + 1);
    std::vector<std::pair<std::int64_t, std::int64_t>> spatial;  // number, place
    for (std::int64_t place = 0; !list.empty(); ++place) {
      const std::size_t comma = std::min(list.find(','), list.size());
      std::string_view word = list.substr(0, comma);
      list.remove_prefix(std::min(comma + 1, list.size()));
      while (word.starts_with(' ')) word.remove_prefix(1);
      if (word.empty()) return {};
      if (word[0] == side.batch) {
        *side.first = place;
      } else if (word[0] == side.feature) {
        *side.second = place;
      } else if (const auto number = integers_in(word); number.size() == 1) {
        spatial.emplace_back(number[0], place);
      }
    }
    std::sort(spatial.begin(), spatial.end());
    for (const auto& one : spatial) side.spatial->push_back(one.second);
  }
  return dims;
}

}  // namespace orrery::hlo
