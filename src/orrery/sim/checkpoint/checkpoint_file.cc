// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/checkpoint/checkpoint_file.h"

#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <utility>

#include "orrery/core/fnv.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/graph/content_hash.h"

namespace orrery::sim {

extern const char* const kModelsHash;  // cmake/OrreryModelsHash.cmake

namespace {

constexpr std::string_view kName = "orrerycp";

/// FNV-1a over words of eight bytes. A change of one word always changes it.
class Checksum {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      word_ |= std::uint64_t{static_cast<unsigned char>(byte)} << (8 * filled_);
      if (++filled_ == 8) take_word();
    }
  }
  [[nodiscard]] std::uint64_t value() {
    take_word();
    return hash_;
  }

 private:
  void take_word() {
    hash_ = std::rotl(fnv1a(hash_, word_), 29);
    word_ = 0;
    filled_ = 0;
  }
  std::uint64_t hash_ = kFnvOffsetBasis;
  std::uint64_t word_ = 0;
  unsigned filled_ = 0;
};

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(path, error);
  if (!regular)
    return fail(Errc::input_not_found, path, "the checkpoint is not a readable file",
                "start the run without --resume");
  std::string bytes(static_cast<std::size_t>(std::filesystem::file_size(path, error)), '\0');
  std::ifstream in(path, std::ios::binary);
  if (!error && in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return bytes;
  return fail(Errc::input_read, path, "the checkpoint cannot be read",
              "start the run without --resume");
}

}  // namespace

CheckpointIdentity checkpoint_identity(const graph::Workload& workload, const Options& options) {
  graph::ContentHash hash;
  for (const std::uint32_t graph : workload.graph_of_rank)
    hash.add(workload.graphs[graph]->content_hash());
  for (const auto& [name, group] : workload.groups) {
    hash.add(name);
    for (const std::uint32_t rank : group.ranks) hash.add(rank);
  }
  return {kModelsHash,
          fmt::format("{:016x} {:d}{:d}{:d}{:d}{:d}{:d} {}", hash.value(), options.fold,
                      options.closed_forms, options.skip_repeats, options.replay,
                      options.keep_times, options.exposed_by_group, options.checkpoints.job)};
}

Error damaged_checkpoint(const std::string& path) {
  return {Errc::input_corrupt, path, "the checkpoint is incomplete or damaged",
          "start the run without --resume"};
}

Result<void> write_checkpoint(const std::string& path, const CheckpointHeader& header,
                              const std::function<void(StateWriter&)>& save) {
  auto file = AtomicFile::create(path, {.force = true});
  if (!file) return tl::unexpected(file.error());
  Checksum sum;
  StateWriter writer([&](std::string_view bytes) {
    sum.add(bytes);
    (void)file->write(bytes);  // finish() returns the error
  });
  for (const char letter : kName) writer(letter);
  writer(kCheckpointFormat, header);
  save(writer);
  writer.flush();
  (void)file->write(state_bytes(sum.value()));
  return file->finish();
}

Result<CheckpointContent> read_checkpoint(const std::string& path,
                                          const CheckpointIdentity& identity) {
  auto bytes = read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  CheckpointContent content{.attempt = {}, .bytes = *std::move(bytes)};
  const std::string_view all = content.bytes;
  if (!all.starts_with(kName))
    return fail(Errc::input_corrupt, path, "the file is not a checkpoint of orrery",
                "use a file that --checkpoint has written");
  const std::size_t sum_size = sizeof(std::uint64_t);
  if (all.size() < kName.size() + sizeof(kCheckpointFormat) + sum_size)
    return tl::unexpected(damaged_checkpoint(path));
  StateReader reader(all.substr(kName.size(), all.size() - kName.size() - sum_size));
  if (const auto format = reader.take<std::uint32_t>(); format != kCheckpointFormat)
    return fail(Errc::input_unsupported, path,
                fmt::format("the checkpoint has format {}, and this program reads format {}",
                            format, kCheckpointFormat),
                "resume with the version of orrery that wrote it");
  Checksum sum;
  sum.add(all.substr(0, all.size() - sum_size));
  if (StateReader(all.substr(all.size() - sum_size)).take<std::uint64_t>() != sum.value())
    return tl::unexpected(damaged_checkpoint(path));
  const auto found = reader.take<CheckpointIdentity>();
  reader(content.attempt);
  if (reader.failed()) return tl::unexpected(damaged_checkpoint(path));
  if (found.program != identity.program)
    return fail(Errc::input_unsupported, path, "another version of orrery wrote the checkpoint",
                "resume with the version that wrote it");
  if (found.job != identity.job)
    return fail(Errc::config_conflict, path, "the checkpoint is from another job",
                "resume with the same inputs and options as the run that wrote it");
  content.state = all.size() - sum_size - reader.remaining();
  return content;
}

}  // namespace orrery::sim
