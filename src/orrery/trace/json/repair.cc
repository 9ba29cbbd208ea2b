// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/repair.h"

#include <fmt/format.h>

#include <cctype>
#include <iterator>

#include "orrery/core/text/text.h"

namespace orrery::trace::json {
namespace {

class Repairer {
 public:
  Repairer(std::string_view text, std::string& out) : rest_(text), out_(out) {}

  bool run() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"') {
        string();
      } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+') {
        token();
      } else if (c == ',') {
        comma();
      } else {
        const bool control =
            static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
        put(control ? ' ' : c, control);
        rest_.remove_prefix(1);
      }
    }
    return changed_;
  }

 private:
  void put(char c, bool changed = false) {
    out_ += c;
    changed_ = changed_ || changed;
  }
  void take(std::size_t count) {
    out_ += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  void string() {
    take(1);
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"') return take(1);
      if (c == '\\') {
        escape();
      } else if (static_cast<unsigned char>(c) < 0x20) {
        fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<unsigned>(c));
        rest_.remove_prefix(1);
        changed_ = true;
      } else if (const std::size_t size = utf8_length(rest_); size != 0) {
        take(size);
      } else {
        out_ += "\xEF\xBF\xBD";  // U+FFFD
        rest_.remove_prefix(1);
        changed_ = true;
      }
    }
  }

  void escape() {
    const auto is_hex = [&](std::size_t i) {
      return i < rest_.size() && std::isxdigit(static_cast<unsigned char>(rest_[i])) != 0;
    };
    const char c = rest_.size() > 1 ? rest_[1] : '\0';
    const bool known =
        c != '\0' && std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    if (known) return take(2);
    if (c == 'u' && is_hex(2) && is_hex(3) && is_hex(4) && is_hex(5)) return take(6);
    put('\\', true);
    take(1);
  }

  void token() {
    std::size_t size = 1;
    while (size < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[size])) != 0 ||
            std::string_view("+-._").find(rest_[size]) != std::string_view::npos))
      ++size;
    const std::string_view token = rest_.substr(0, size);
    std::string_view bare = token;
    if (bare.front() == '-' || bare.front() == '+') bare.remove_prefix(1);
    std::string_view instead;
    for (const std::string_view none :
         {"NaN", "nan", "Infinity", "inf", "Inf", "None", "undefined"})
      if (bare == none) instead = "null";
    if (bare == "True") instead = "true";
    if (bare == "False") instead = "false";
    if (instead.empty()) return take(size);
    out_ += instead;
    rest_.remove_prefix(size);
    changed_ = true;
  }

  void comma() {
    std::size_t next = 1;
    while (next < rest_.size() && std::isspace(static_cast<unsigned char>(rest_[next])) != 0)
      ++next;
    const bool needless =
        next < rest_.size() && (rest_[next] == ',' || rest_[next] == '}' || rest_[next] == ']');
    if (!needless) return take(1);
    rest_.remove_prefix(1);
    changed_ = true;
  }

  std::string_view rest_;
  std::string& out_;
  bool changed_ = false;
};

}  // namespace

bool repair(std::string_view value, std::string& out) {
  out.clear();
  return Repairer(value, out).run();
}

}  // namespace orrery::trace::json
