// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/tensors.h"

#include <charconv>

namespace orrery::profile {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

/// Position after the string that begins at `at` (a quote), or the end.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

}  // namespace

bool Tensors::typed_as_tensor() {
  // The type of an argument is the string with the same index: ["Tensor(float)","Int",…].
  for (; typed_ != argument_; ++typed_) {
    const std::size_t begin = types_.find('"', types_at_);
    if (begin == std::string_view::npos) return false;
    types_at_ = skip_string(types_, begin);
    const std::string_view type = types_.substr(begin, types_at_ - begin);
    is_tensor_ = type.find("Tensor(") != std::string_view::npos;
  }
  return is_tensor_;
}

bool Tensors::tensor_at(std::size_t place, Tensor& tensor, std::size_t& end) {
  std::uint64_t* const numbers[] = {&tensor.id, &tensor.storage, &tensor.offset, &tensor.elements,
                                    &tensor.width};
  std::size_t at = place;  // of the bracket, then of each comma
  for (std::uint64_t* const number : numbers) {
    at = skip_spaces(text_, at + 1);
    const auto [rest, error] =
        std::from_chars(text_.data() + at, text_.data() + text_.size(), *number);
    if (error != std::errc{}) return false;
    at = skip_spaces(text_, static_cast<std::size_t>(rest - text_.data()));
    if (at == text_.size()) return false;
    if (text_[at] != ',') {
      end = at + 1;
      tensor.device = {};
      return text_[at] == ']' && number == &tensor.width && typed_as_tensor();
    }
  }
  at = skip_spaces(text_, at + 1);
  if (at == text_.size() || text_[at] != '"') return false;
  const std::size_t after = skip_string(text_, at);
  end = skip_spaces(text_, after);
  if (end == text_.size() || text_[end] != ']') return false;
  tensor.device = text_.substr(at + 1, after - at - 2);
  ++end;
  return true;
}

bool Tensors::next(Tensor& tensor) {
  while (at_ < text_.size()) {
    switch (text_[at_]) {
      case '"':
        at_ = skip_string(text_, at_);
        continue;
      case '[':
        if (std::size_t end = 0; depth_ > 0 && tensor_at(at_, tensor, end)) {
          at_ = end;
          return true;
        }
        ++depth_;
        break;
      case ']':
        --depth_;
        break;
      case ',':
        if (depth_ == 1) ++argument_;
        break;
      default:
        break;
    }
    ++at_;
  }
  return false;
}

}  // namespace orrery::profile
