// SPDX-License-Identifier: Apache-2.0
#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "orrery/intake/job/job_internal.h"
#include "orrery/trace/io/json_document.h"
#include "orrery/trace/json/decimal.h"

namespace orrery::intake {
namespace {

using trace::Format;
using trace::json::Document;

/// A source that ends after a limited number of bytes.
class PrefixSource final : public trace::ByteSource {
 public:
  explicit PrefixSource(std::unique_ptr<trace::ByteSource> rest) : rest_(std::move(rest)) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    const std::uint64_t wanted = std::min<std::uint64_t>({into.size(), remaining_, kPiece});
    if (wanted == 0) return std::size_t{0};
    auto got = rest_->read(into.first(wanted));
    if (got) remaining_ -= *got;
    return got;
  }
  void limit_to(std::uint64_t bytes) { remaining_ = std::min(remaining_, bytes); }

 private:
  static constexpr std::uint64_t kPiece = 64 << 10;
  std::unique_ptr<trace::ByteSource> rest_;
  std::uint64_t remaining_ = 64ull
                             << 20;  // the process groups of many ranks come before the events
};

std::optional<std::int64_t> integer(simdjson::ondemand::value value) {
  std::int64_t number = 0;
  if (value.get_int64().get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return trace::json::parse_number<std::int64_t>(text);
}

/// The rank in distributedInfo.
std::optional<std::uint32_t> rank_of(std::string_view info) {
  const simdjson::padded_string text(info);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::value value;
  if (parser.iterate(text).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document.find_field_unordered("rank").get(value) != simdjson::SUCCESS) return std::nullopt;
  const auto rank = integer(value);
  if (!rank || *rank < 0 || *rank >= static_cast<std::int64_t>(limits::kRanks)) return std::nullopt;
  return static_cast<std::uint32_t>(*rank);
}

/// Finds the process of the first operators.
Result<void> find_process(Document& document, TraceOrigin& found) {
  return document.for_each_element([&](simdjson::ondemand::object& event, std::uint64_t) {
    if (found.process) return true;
    std::string_view category;
    simdjson::ondemand::value value;
    if (event.find_field_unordered("cat").get_string().get(category) != simdjson::SUCCESS)
      return true;
    if (category != "cpu_op" && category != "Operator" && category != "cuda_runtime") return true;
    if (event.find_field_unordered("pid").get(value) == simdjson::SUCCESS)
      found.process = integer(value);
    return true;
  });
}

Result<void> read_kineto_origin(PrefixSource& source, const std::string& name, TraceOrigin& found) {
  Findings ignored;
  Document document(source, name, ignored);
  for (;;) {
    const auto more = document.next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return {};
    if (document.key() == "distributedInfo") {
      const auto value = document.value();
      if (!value) return tl::unexpected(value.error());
      found.rank = rank_of(*value);
    } else if (document.key() == "traceEvents" || document.key().empty()) {
      constexpr std::uint64_t kSome = 256 << 10;
      source.limit_to(kSome);
      return find_process(document, found);
    }
  }
}

/// The number after every `"cuda:` in `text`, if all are equal.
std::optional<std::uint32_t> device_in(std::string_view text) {
  std::optional<std::uint32_t> device;
  for (const std::string_view word : {"\"cuda:", "\"hip:", "\"xpu:", "\"mtia:"}) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
      std::uint32_t number = 0;
      const char* first = text.data() + at + word.size();
      if (std::from_chars(first, text.data() + text.size(), number).ec != std::errc{}) continue;
      if (device && *device != number) return std::nullopt;
      device = number;
    }
  }
  return device;
}

/// Reads the process and the device of an execution trace. The process is at the beginning; tensors
/// contain the device.
Result<void> read_host_origin(PrefixSource& source, TraceOrigin& found) {
  constexpr std::size_t kSome = 256 << 10;
  std::string head(kSome, '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    const auto got = source.read(std::as_writable_bytes(std::span(head).subspan(size)));
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) break;
    size += *got;
  }
  head.resize(size);
  found.device = device_in(head);
  std::size_t at = std::min(head.find("\"pid\""), head.size());
  if (at >= head.find("\"nodes\"")) return {};
  at = head.find_first_of("0123456789", at);
  if (at == std::string::npos) return {};
  std::int64_t process = 0;
  if (std::from_chars(head.data() + at, head.data() + head.size(), process).ec == std::errc{})
    found.process = process;
  return {};
}

}  // namespace

Result<TraceOrigin> read_origin(const trace::Input& input) {
  TraceOrigin found;
  if (input.format != Format::kineto && input.format != Format::pytorch_et) return found;
  auto opened = trace::open(input);
  if (!opened) return tl::unexpected(opened.error());
  PrefixSource source(std::move(*opened));
  const auto done = input.format == Format::kineto ? read_kineto_origin(source, input.name, found)
                                                   : read_host_origin(source, found);
  // The reader reports damage later; only problems of the file itself are reported here.
  if (!done &&
      (done.error().code == Errc::input_read || done.error().code == Errc::input_not_found))
    return tl::unexpected(done.error());
  return found;
}

}  // namespace orrery::intake
