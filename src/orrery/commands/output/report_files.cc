// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/output/report_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "orrery/analysis/value_text.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/core/limits.h"
#include "orrery/report/html/run_page.h"

namespace orrery::commands {

namespace {

/// Beyond this, browsers become slow; they stop near 2 GB.
constexpr std::uint64_t kLargeTimeline = 500'000'000;
/// Beyond this, one rank stands for all with its timeline, unless the user names ranks.
constexpr std::uint64_t kSampledTimeline = 100'000'000;
/// Bytes of JSON per byte of protobuf: measured 2.0 to 2.6.
constexpr double kChromeFactor = 2.6;

Result<std::string> read_page(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(Errc::config_not_found, path, "cannot be read");
  std::string text(limits::kConfigBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > limits::kConfigBytes)
    return fail(Errc::limit_exceeded, path,
                fmt::format("is larger than {}", analysis::bytes_text(limits::kConfigBytes)));
  return text;
}

/// report.html in a new folder that only this user may enter. Errc: output_failed.
Result<std::string> temporary_page(const Context& context) {
  std::string folder = (std::filesystem::path(context.temporary_folder) / "orrery-XXXXXX").string();
  if (context.temporary_folder.empty() || ::mkdtemp(folder.data()) == nullptr)
    return fail(Errc::output_failed, context.temporary_folder,
                fmt::format("cannot create a folder for the page: {}",
                            context.temporary_folder.empty() ? "there is no temporary folder"
                                                             : std::strerror(errno)),
                "give a file name for the page");
  return folder + "/report.html";
}

/// "out.pftrace", 3 → "out.3.pftrace".
std::string numbered(const std::string& path, std::size_t number) {
  const std::size_t name = path.find_last_of('/') + 1;  // npos + 1 is 0
  const std::size_t dot = path.find_last_of('.');
  const std::size_t at = dot == std::string::npos || dot <= name ? path.size() : dot;
  return fmt::format("{}.{}{}", path.substr(0, at), number, path.substr(at));
}

/// `expected`: about how many bytes it will have.
Result<Written> write_piece(const std::string& path, TimelineFormat format, const result::Run& run,
                            const report::TimelineChoice& choice, std::uint64_t expected,
                            const Context& context) {
  auto file = open_output(path, context.force);
  if (!file) return tl::unexpected(file.error());
  Progress progress(context);
  // Writers hand over small pieces; the disk gets large ones.
  constexpr std::size_t kBuffer = 1 << 20;
  std::string buffer;
  buffer.reserve(kBuffer);
  const auto sink = [&](std::string_view bytes) {
    if (buffer.size() + bytes.size() > kBuffer) {
      if (!file->write(buffer)) return false;
      buffer.clear();
      progress.writing(path, file->size(), expected);
    }
    if (bytes.size() > kBuffer) return file->write(bytes).has_value();
    buffer += bytes;
    return true;
  };
  const bool whole = format == TimelineFormat::perfetto ? report::write_perfetto(run, choice, sink)
                                                        : report::write_chrome(run, choice, sink);
  if (whole) (void)file->write(buffer);
  const std::uint64_t size = file->size();
  if (whole) progress.written(path, size);
  progress.clear();
  if (auto done = file->finish(); !done) return tl::unexpected(done.error());
  if (!whole) return fail(Errc::output_failed, path, "was not written completely");
  return Written{path, size};
}

}  // namespace

Result<void> PageFile::check(bool force) {
  if (!wanted()) return {};
  force_ = force;
  if (options_.open && (options_.path == "-" || is_device(options_.path)))
    return fail(Errc::usage, "--open", "only a page that is in a file can be opened",
                "give a file name");
  if (auto fine = check_absent(options_.path, force); !fine) return fine;
  if (!options_.page.empty()) {
    auto text = read_page(options_.page);
    if (!text) return tl::unexpected(text.error());
    text_ = *std::move(text);
    return {};
  }
  text_ = std::string(report::built_in_page());
  if (!text_.empty()) return {};
  return fail(Errc::usage, options_.path.empty() ? "--open" : options_.path,
              "this program was built without the web page",
              "'./setup --page' builds it; or give a built one with --page FILE");
}

Result<Written> PageFile::fill(const std::vector<const result::Run*>& runs, const Context& context,
                               std::string_view ending) {
  return fill([&](std::string_view page) { return report::write_html(runs, page); }, ending,
              context);
}

Result<Written> PageFile::fill(const Filled& filled, std::string_view ending,
                               const Context& context) {
  Progress progress(context);
  progress.begin({"write", "writing", "bytes", options_.path});
  auto html = filled(text_);
  if (!html) return tl::unexpected(html.error());
  *html += ending;
  if (options_.path.empty()) {
    auto place = temporary_page(context);
    if (!place) return tl::unexpected(place.error());
    options_.path = *std::move(place);
  }
  if (auto done = write_output(options_.path, *html, force_); !done)
    return tl::unexpected(done.error());
  progress.written(options_.path, html->size());
  progress.clear();
  return Written{options_.path, html->size()};
}

Result<std::vector<Written>> PageFile::write(const std::vector<const result::Run*>& runs,
                                             const Context& context) {
  return write([&](std::string_view page) { return report::write_html(runs, page); }, context);
}

Result<std::vector<Written>> PageFile::write(const Filled& filled, const Context& context) {
  if (!wanted()) return std::vector<Written>{};
  auto file = fill(filled, {}, context);
  if (!file) return tl::unexpected(file.error());
  if (file->path != "-")
    context.note(fmt::format("wrote {} ({}){}", file->path, analysis::bytes_text(file->bytes),
                             options_.open ? "" : ": open it in a browser"));
  return std::vector<Written>{*std::move(file)};
}

void PageFile::show(const Context& context) const {
  if (options_.open) context.show_page(options_.path);
}

namespace {

std::uint64_t estimate_bytes(const TimelineFile& file, const result::Run& run,
                             const report::TimelineChoice& choice) {
  const double factor = file.format == TimelineFormat::chrome ? kChromeFactor : 1;
  return static_cast<std::uint64_t>(
      static_cast<double>(report::estimate_perfetto_bytes(run, choice)) * factor);
}

/// The ranks of a file without --split: of a large one, a sample, if that is smaller. Notes what
/// is left out. `expected`: about how many bytes the file will have.
report::TimelineChoice choose_ranks(const TimelineFile& file, const result::Run& run,
                                    report::TimelineChoice choice, std::uint64_t& expected,
                                    const Context& context) {
  expected = estimate_bytes(file, run, choice);
  const std::string name = file.path == "-" ? "stdout" : file.path;
  if (file.sample_if_large && expected > kSampledTimeline) {
    auto sample = std::make_shared<const report::RankSample>(report::sample_ranks(run));
    if (sample->ranks.size() < run.ranks.size()) {
      const std::uint64_t all = expected;
      choice.sample = std::move(sample);
      expected = estimate_bytes(file, run, choice);
      context.note(fmt::format(
          "{} gets {} of {} ranks: one of each set of identical ranks, and those on the critical "
          "path. All ranks would need about {}; --ranks all writes them",
          name, analysis::count(choice.sample->ranks.size()), analysis::count(run.ranks.size()),
          analysis::bytes_text(all)));
    }
  }
  if (expected > kLargeTimeline) {
    context.warn(fmt::format(
        "{} will have about {}; browsers stop near 2 GB. --split 500MB writes several files, "
        "--ranks, --from and --to a part; 'trace_processor server http' opens larger files",
        name, analysis::bytes_text(expected)));
  }
  return choice;
}

}  // namespace

Result<std::vector<Written>> write_timeline(const TimelineFile& file, const result::Run& run,
                                            const report::TimelineChoice& choice,
                                            std::optional<Bytes> split, const Context& context) {
  std::vector<Written> written;
  if (file.path.empty()) return written;
  const bool chrome = file.format == TimelineFormat::chrome;
  std::vector<report::TimelineChoice> pieces;
  std::uint64_t expected = 0;  // of one piece
  if (split) {
    expected = static_cast<std::uint64_t>(split->count());
    const auto limit = static_cast<std::uint64_t>(static_cast<double>(split->count()) /
                                                  (chrome ? kChromeFactor : 1));
    pieces = report::split_timeline(run, choice, std::max<std::uint64_t>(limit, 1));
  } else {
    pieces.push_back(choose_ranks(file, run, choice, expected, context));
  }
  for (std::size_t i = 0; split && i < pieces.size(); ++i) {
    if (auto fine = check_absent(numbered(file.path, i), context.force); !fine)
      return tl::unexpected(fine.error());
  }
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string path = split ? numbered(file.path, i) : file.path;
    auto piece = write_piece(path, file.format, run, pieces[i], expected, context);
    if (!piece) return tl::unexpected(piece.error());
    bytes += piece->bytes;
    written.push_back(*std::move(piece));
  }
  if (file.path == "-") return written;
  const std::string what = pieces.size() == 1
                               ? written.front().path
                               : fmt::format("{} to {}", written.front().path, written.back().path);
  context.note(fmt::format("wrote {} ({}): open at ui.perfetto.dev{}", what,
                           analysis::bytes_text(bytes), chrome ? " or chrome://tracing" : ""));
  return written;
}

}  // namespace orrery::commands
