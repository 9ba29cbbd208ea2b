// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/edit/cut.h"

#include <fmt/format.h>

#include "orrery/intake/edit/cut_internal.h"
#include "orrery/trace/io/file_sink.h"
#include "orrery/trace/io/json_document.h"

namespace orrery::intake {

using trace::Format;

tl::unexpected<Error> no_iteration(const std::string& where, std::int64_t wanted,
                                   const std::vector<std::int64_t>& existing) {
  std::string hint = "the trace has no iterations; cut a window with --from and --to";
  constexpr std::size_t kMost = 16;
  if (existing.size() > kMost)
    hint = fmt::format("the trace has {} iterations, from {} to {}", existing.size(),
                       existing.front(), existing.back());
  else if (!existing.empty())
    hint = fmt::format("the trace has the iterations {}",
                       fmt::join(existing.begin(), existing.end(), ", "));
  return fail(Errc::usage, where, fmt::format("iteration {} does not exist", wanted), hint);
}

Result<CutReport> copy_elements(const trace::Input& input, std::string_view member,
                                const KeepElement& keep, const std::string& path, bool force,
                                Findings& findings) {
  auto source = trace::open(input);
  if (!source) return tl::unexpected(source.error());
  auto sink = trace::FileSink::create(path, {.force = force});
  if (!sink) return tl::unexpected(sink.error());
  trace::json::Document document(**source, input.name, findings);
  CutReport report;
  bool bare = false, first = true;
  for (;;) {
    auto more = document.next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    bare = first && document.key().empty();
    std::string head = bare ? "[" : first ? "{\n" : ",\n";
    first = false;
    if (!bare) head += fmt::format("\"{}\": ", document.key());
    const bool large = (bare || document.key() == member) && document.is_array();
    if (large && !bare) head += "[";
    if (auto done = (*sink)->write(head); !done) return tl::unexpected(done.error());
    if (!large) {
      const auto value = document.value();
      if (!value) return tl::unexpected(value.error());
      if (auto done = (*sink)->write(*value); !done) return tl::unexpected(done.error());
      continue;
    }
    Result<void> written;
    const auto iterated =
        document.for_each_element([&](simdjson::ondemand::object& element, std::uint64_t) {
          // Reads the text first: an object that `keep` could not iterate must not be read again.
          std::string_view text;
          if (element.raw_json().get(text) != simdjson::SUCCESS ||
              element.reset().error() != simdjson::SUCCESS)
            return false;
          if (!keep(element)) return true;
          while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
            text.remove_suffix(1);
          if (written) written = (*sink)->write(report.retained == 0 ? "\n" : ",\n");
          if (written) written = (*sink)->write(text);
          ++report.retained;
          return true;
        });
    if (!iterated) return tl::unexpected(iterated.error());
    if (!written) return tl::unexpected(written.error());
    report.records += document.elements();
    if (auto done = (*sink)->write("\n]"); !done) return tl::unexpected(done.error());
    if (bare) break;
  }
  if (auto done = (*sink)->write(bare ? "\n" : "\n}\n"); !done) return tl::unexpected(done.error());
  if (auto done = (*sink)->close(); !done) return tl::unexpected(done.error());
  return report;
}

Result<CutReport> cut(const trace::Input& input, const CutOptions& options, const std::string& path,
                      Findings& findings) {
  if (options.iteration && (options.from || options.to))
    return fail(Errc::usage, "--iteration", "conflicts with --from and --to",
                "give an iteration or a window");
  if (options.from && options.to && *options.from >= *options.to)
    return fail(Errc::usage, "--from", "the window is empty", "--to must come after --from");
  switch (input.format) {
    case Format::kineto:
      return cut_kineto(input, options, path, findings);
    case Format::pytorch_et:
      return cut_pytorch(input, options, path, findings);
    case Format::chakra:
      return cut_chakra(input, options, path, findings);
    default:
      return fail(Errc::input_unsupported, input.name,
                  fmt::format("{} traces cannot be cut", name(input.format)),
                  "Kineto, PyTorch execution traces and Chakra can be cut; convert others with "
                  "'orrery trace convert' first");
  }
}

}  // namespace orrery::intake
