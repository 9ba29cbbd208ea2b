// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/json/json_writer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "orrery/core/text/text.h"

namespace orrery::report {

namespace {

template <class T>
void append_number(std::string& out, T number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

}  // namespace

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(has_items_.size(), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  if (static_cast<int>(has_items_.size()) <= broken_levels_) {
    new_line();
  } else if (out_.back() == ',') {
    out_ += ' ';
  }
}

JsonWriter& JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  has_items_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const bool broken = static_cast<int>(has_items_.size()) <= broken_levels_ && has_items_.back();
  has_items_.pop_back();
  if (broken) new_line();
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  append_json_text(out_, name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  append_json_text(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  before_value();
  out_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  before_value();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
  before_value();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::natural(std::uint64_t number) {
  before_value();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::digits(std::string_view number) {
  before_value();
  out_ += number;
  return *this;
}

JsonWriter& JsonWriter::nanoseconds(Time time) {
  const std::int64_t ps = time.count();
  const std::uint64_t size = ps < 0 ? 0 - static_cast<std::uint64_t>(ps) : ps;
  std::string text = fmt::format("{}{}", ps < 0 ? "-" : "", size / 1000);
  if (size % 1000 != 0) {
    text += fmt::format(".{:03}", size % 1000);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return digits(text);
}

JsonWriter& JsonWriter::nanoseconds(std::string_view name, Time time) {
  return key(fmt::format("{}_ns", name)).nanoseconds(time);
}

JsonWriter& JsonWriter::nanoseconds(std::string_view name, double count) {
  return key(fmt::format("{}_ns", name)).value(std::round(count * 1e3) / 1e3);
}

}  // namespace orrery::report
