// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/inputs/compiled_program.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>

#include "orrery/hlo/lower/to_workload.h"
#include "orrery/trace/inputs/format.h"

namespace orrery::study {

namespace {

constexpr std::size_t kMostProgramBytes = std::size_t{1} << 30;

/// At most `most` bytes of a file, decompressed.
Result<std::string> first_bytes(const std::string& path, std::size_t most) {
  auto file = trace::open_file(path);
  if (!file) return tl::unexpected(file.error());
  auto source = trace::decompress(*std::move(file), path);
  if (!source) return tl::unexpected(source.error());
  std::string text;
  while (text.size() < most) {
    const std::size_t before = text.size();
    text.resize(std::min(most, before + (std::size_t{1} << 20)));
    const auto got = (*source)->read(
        std::as_writable_bytes(std::span(text.data() + before, text.size() - before)));
    if (!got) return tl::unexpected(got.error());
    text.resize(before + *got);
    if (*got == 0) break;
  }
  return text;
}

}  // namespace

hlo::TextForm program_form(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return hlo::TextForm::none;
  const auto head = first_bytes(path, std::size_t{64} << 10);
  return head ? hlo::text_form(*head) : hlo::TextForm::none;
}

Result<hlo::Program> read_program_file(const std::string& path, Findings& findings) {
  const auto text = first_bytes(path, kMostProgramBytes + 1);
  if (!text) return tl::unexpected(text.error());
  if (text->size() > kMostProgramBytes)
    return fail(Errc::limit_exceeded, path,
                fmt::format("has more than {} MiB of text", kMostProgramBytes >> 20));
  return hlo::read_program(*text, path, findings);
}

Result<void> check_program_size(const hlo::Program& program, const std::string& path,
                                std::int64_t devices) {
  if (program.devices() == devices) return {};
  return fail(Errc::config_conflict, path,
              fmt::format("the program's number of devices is {}, the cluster's {}",
                          program.devices(), devices),
              "give a cluster of the size of the program, or compile the program for the cluster");
}

Result<graph::Workload> load_program(const std::string& path, std::uint32_t ranks) {
  Findings findings;
  const auto program = read_program_file(path, findings);
  if (!program) return tl::unexpected(program.error());
  if (ranks > 0)
    if (auto fine = check_program_size(*program, path, ranks); !fine)
      return tl::unexpected(fine.error());
  auto workload = hlo::to_workload(*program, path, findings);
  if (workload) workload->findings.merge(findings);
  return workload;
}

}  // namespace orrery::study
