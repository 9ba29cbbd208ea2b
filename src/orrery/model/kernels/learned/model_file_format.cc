// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/model_file_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/core/fnv.h"
#include "orrery/core/text/text.h"

namespace orrery::model {

using std::string_view;

std::string with_checksum(std::string lines) {
  lines += fmt::format("sum {:016x}\n", fnv1a(lines));
  return lines;
}

Result<void> check_checksum(string_view all, string_view where) {
  const std::size_t last = all.rfind("\nsum ");
  if (last == string_view::npos || !all.ends_with('\n'))
    return fail(Errc::input_truncated, std::string(where), "the checksum at the end is missing",
                "the file is truncated: copy it again");
  const string_view said = all.substr(last + 5, all.size() - last - 6);
  if (said != fmt::format("{:016x}", fnv1a(all.substr(0, last + 1))))
    return fail(Errc::input_corrupt, std::string(where), "the checksum does not match",
                "the file was changed or damaged: fit the model again, or copy the file again");
  return {};
}

void put_notes(std::string& out, string_view notes) {
  while (!notes.empty()) {
    const std::size_t end = std::min(notes.find('\n'), notes.size());
    out += end == 0 ? std::string("#\n") : fmt::format("# {}\n", notes.substr(0, end));
    notes.remove_prefix(std::min(end + 1, notes.size()));
  }
}

void put_floats(std::string& out, string_view name, std::span<const float> values) {
  out += fmt::format("{} ", name);
  append_cuts(out, values);
  out += '\n';
}

void put_holdout(std::string& out, string_view name, const HoldoutError& held) {
  out += fmt::format("{} rows={} median={} least={} most={}\n", name, held.rows, held.median_error,
                     held.lower, held.upper);
}

void put_signature(std::string& out, const DeviceSignature& device) {
  out += fmt::format("device {} peak={} memory={} clock={} processors={}\n", device.name,
                     device.peak, device.memory, device.clock, device.processors);
}

void put_sizes(std::string& out, const std::array<std::int64_t, graph::kKernelSizes>& lower,
               const std::array<std::int64_t, graph::kKernelSizes>& upper) {
  for (std::size_t i = 0; i < graph::kKernelSizes; ++i)
    out += fmt::format("size {} {} {}\n", i, lower[i], upper[i]);
}

string_view next_token(string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

/// Maximum of measured / predicted: the ratio of the extreme times of a table (1e-6 to 1e9 us).
constexpr double kMaxRatio = 1e16;

bool read_holdout(string_view line, HoldoutError& held) {
  return keyed_number(line, "rows", held.rows) && keyed_number(line, "median", held.median_error) &&
         keyed_number(line, "least", held.lower) && keyed_number(line, "most", held.upper) &&
         line.empty() && held.rows >= 0 && held.median_error >= 0 && held.lower > 0 &&
         held.lower <= held.upper && held.upper < kMaxRatio;
}

bool read_floats(string_view line, std::span<float> out) {
  if (line.size() != 5 * out.size()) return false;
  const auto read = cuts_of(line);
  if (!read) return false;
  std::copy(read->begin(), read->end(), out.begin());
  return true;
}

bool read_signature(string_view line, DeviceSignature& device) {
  device.name = next_token(line);
  return !device.name.empty() && keyed_number(line, "peak", device.peak) &&
         keyed_number(line, "memory", device.memory) && keyed_number(line, "clock", device.clock) &&
         keyed_number(line, "processors", device.processors) && line.empty();
}

bool read_sizes(string_view line, std::array<std::int64_t, graph::kKernelSizes>& lower,
                std::array<std::int64_t, graph::kKernelSizes>& upper) {
  std::size_t at = 0;
  return read_number(next_token(line), at) && at < graph::kKernelSizes &&
         read_number(next_token(line), lower[at]) && read_number(line, upper[at]);
}

string_view ModelFileReader::take() {
  ++line_;
  const std::size_t end = std::min(text_.find('\n'), text_.size());
  const string_view line = text_.substr(0, end);
  text_.remove_prefix(std::min(end + 1, text_.size()));
  return line;
}

std::string ModelFileReader::place() const { return fmt::format("{}:line {}", where_, line_); }

tl::unexpected<Error> ModelFileReader::wrong(std::string what) const {
  return fail(Errc::input_corrupt, place(), std::move(what),
              "fit the model again, or copy the file again");
}

Result<void> ModelFileReader::take_header(string_view magic, int version, string_view what) {
  string_view head = take();
  int written = 0;
  if (next_token(head) != magic || !read_number(head, written))
    return wrong(fmt::format("not {}", what));
  if (written != version)
    return fail(Errc::input_unsupported, place(),
                fmt::format("is version {}, but must be version {}", written, version),
                "fit the model again with this program");
  return {};
}

Result<void> ModelFileReader::read_class(string_view line, KernelClass& kernels,
                                         std::int64_t& rows) const {
  const string_view called = next_token(line);
  for (std::size_t i = 1; i < kKernelClasses; ++i)
    if (name(static_cast<KernelClass>(i)) == called) kernels = static_cast<KernelClass>(i);
  if (kernels == KernelClass::none)
    return fail(Errc::input_unsupported, place(), "an unknown class " + in_quotes(called),
                "fit the model again with this program");
  if (!keyed_number(line, "rows", rows) || !line.empty() || rows < 0)
    return wrong("not a valid number of rows of a class");
  return {};
}

}  // namespace orrery::model
