// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "orrery/trace/inputs/foreign_files.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/inputs/tar.h"
#include "orrery/trace/nsys/nsight_database.h"
#include "orrery/trace/rocpd/rocpd_database.h"

namespace orrery::trace {
namespace {

constexpr std::size_t kShortHead = 64u << 10;
constexpr std::size_t kLongHead = 1u << 20;
constexpr std::size_t kMembers = 1u << 20;

/// Reads on until `head` has `size` bytes or the source ends. Damage ends it, too; the reader of
/// the complete file reports it.
void read_head(ByteSource& source, std::size_t size, std::string& head,
               std::optional<Error>& damage) {
  std::size_t filled = head.size();
  head.resize(size);
  while (filled < size && !damage) {
    auto got = source.read(std::as_writable_bytes(std::span(head).subspan(filled)));
    if (!got) {
      damage = std::move(got.error());
    } else if (*got == 0) {
      break;
    } else {
      filled += *got;
    }
  }
  head.resize(filled);
}

Format format_of(ByteSource& source, std::string& head, std::optional<Error>& damage) {
  read_head(source, kShortHead, head, damage);
  Format format = trace::format_of(head);
  if (format != Format::unknown || head.size() < kShortHead) return format;
  read_head(source, kLongHead, head, damage);
  return trace::format_of(head);
}

/// The rest of an archive's current member, as a source.
class CurrentMember final : public ByteSource {
 public:
  explicit CurrentMember(TarReader& tar) : tar_(tar) {}
  Result<std::size_t> read(std::span<std::byte> into) override { return tar_.read(into); }

 private:
  TarReader& tar_;
};

/// Finds the refused kind of an input whose format was detected. Texts in an archive, such as its
/// description, stay unknown.
void find_foreign(Input& input, std::string_view head) {
  if (input.format != Format::unknown) {
    input.foreign = find_foreign_file(input.format);
    return;
  }
  const ForeignFile* const found = find_foreign_file(head, input.name);
  if (found == nullptr || (input.member > 0 && found->may_be_other_input)) return;
  input.foreign = found;
  input.format = Format::foreign;
}

void detect_member(TarReader& tar, const TarMember& member, Input& input) {
  if (member.sparse) return;
  auto plain = decompress(std::make_unique<CurrentMember>(tar), input.name);
  if (!plain) return;
  std::string head;
  std::optional<Error> damage;
  input.format = format_of(**plain, head, damage);
  find_foreign(input, head);
}

Result<std::vector<Input>> members_in(ByteSource& archive, const std::string& path) {
  TarReader tar(archive, path);
  std::vector<Input> inputs;
  while (true) {
    if (auto behind = tar.skip(); !behind) {
      if (behind.error().code == Errc::input_truncated)
        return inputs;  // the reader of the file reports it
      return tl::unexpected(std::move(behind.error()));
    }
    auto member = tar.next();
    if (!member) return tl::unexpected(std::move(member.error()));
    if (!*member && inputs.empty())
      return fail(Errc::input_unsupported, path, "the archive contains no files");
    if (!*member) return inputs;
    if (inputs.size() == kMembers) {
      return fail(Errc::limit_exceeded, path,
                  fmt::format("the archive has more than {} files", kMembers));
    }
    Input& input = inputs.emplace_back();
    input.path = path;
    input.name = path + "!" + (*member)->name;
    input.member = static_cast<std::uint32_t>(inputs.size());
    detect_member(tar, **member, input);
  }
}

}  // namespace

Result<std::vector<Input>> inputs_in(const std::string& path) {
  auto file = open_file(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  auto source = decompress(std::move(*file), path);
  if (!source) return tl::unexpected(std::move(source.error()));
  std::string head;
  std::optional<Error> damage;
  read_head(**source, 512, head, damage);
  if (looks_like_tar(head)) {
    auto archive = prepend(std::move(*source), std::as_bytes(std::span(head)));
    return members_in(*archive, path);
  }
  Input input{path, path, format_of(**source, head, damage)};
  if (head.empty() && damage) return tl::unexpected(std::move(*damage));
  if (head.empty()) return fail(Errc::input_empty, path, "the file is empty");
  const bool report = path.ends_with(".nsys-rep") || path.ends_with(".qdrep");
  if (input.format == Format::unknown && report) input.format = Format::nsys_report;
  if (input.format == Format::unknown && nsys::has_nsight_tables(path))
    input.format = Format::nsys_sqlite;
  if (input.format == Format::unknown && rocpd::has_rocpd_tables(path))
    input.format = Format::rocpd;
  find_foreign(input, head);
  return std::vector<Input>{std::move(input)};
}

Result<std::unique_ptr<ByteSource>> open(const Input& input) {
  auto file = open_file(input.path);
  if (!file) return file;
  auto source = decompress(std::move(*file), input.path);
  if (!source || input.member == 0) return source;
  auto member = open_member(std::move(*source), input.name, input.member - 1);
  if (!member) return member;
  return decompress(std::move(*member), input.name);
}

}  // namespace orrery::trace
