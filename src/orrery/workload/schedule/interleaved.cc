// SPDX-License-Identifier: Apache-2.0
//
// Interleaved 1F1B (Narayanan et al., SC 2021, section 2.2).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/workload/schedule/stage_writer.h"

namespace orrery::workload {
namespace {

/// Writes one stage of interleaved 1F1B.
class Interleaved {
 public:
  Interleaved(PipelineOrder& order, std::uint32_t stage)
      : p_(order.stages),
        v_(order.chunks),
        passes_(v_ * order.microbatches),
        ahead_(std::min((v_ - 1) * p_ + 2 * (p_ - 1 - stage), passes_)),
        line_(stage_writer(order, stage)) {}

  void run() {
    const std::uint64_t round = p_ * v_, rounds = (passes_ - ahead_) / round;
    std::uint64_t at = ahead_;
    steps(0, at);
    if (rounds > p_) {  // else one loop per pair of chunks is shorter
      line_.repeat(static_cast<std::uint32_t>(rounds), static_cast<std::uint32_t>(p_),
                   [&] { steps(at, at + round); });
      at += rounds * round;
    }
    steps(at, passes_ + ahead_);
  }

 private:
  /// Step i consists of forward pass i and backward pass i - ahead, if they exist. Both directions
  /// process p microbatches per chunk in turn.
  void steps(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from, next = 0; i < to; i = next) {
      const bool forward = i < passes_, backward = i >= ahead_;
      next = to;
      if (forward) next = std::min(next, i + p_ - i % p_);
      next = std::min(next, backward ? i + p_ - (i - ahead_) % p_ : ahead_);
      const StageWriter::ChunkPass ahead{Pass::forward, chunk(i)};
      const StageWriter::ChunkPass back{
          Pass::backward, static_cast<std::uint16_t>(backward ? v_ - 1 - chunk(i - ahead_) : 0)};
      if (!backward) line_.repeat(next - i, {ahead});
      if (forward && backward) line_.repeat(next - i, {ahead, back});
      if (!forward) line_.repeat(next - i, {back});
    }
  }

  [[nodiscard]] std::uint16_t chunk(std::uint64_t i) const {
    return static_cast<std::uint16_t>(i % (p_ * v_) / p_);
  }

  std::uint64_t p_, v_, passes_, ahead_;
  StageWriter line_;
};

/// Stage s is (v-1)·p + 2·(p-1-s) forward passes ahead; both directions process p microbatches per
/// chunk in turn. One chunk is plain 1F1B.
void order_interleaved(PipelineOrder& order) {
  if (order.chunks == 1) return one_f_one_b(order);
  for (std::uint32_t s = 0; s < order.stages; ++s) Interleaved(order, s).run();
}

/// The activations of p(1 + (p-1)/(pv)) stages are pv + p - 1 chunks (Korthikanti et al., section
/// 4.2.3).
std::optional<std::int64_t> in_flight_of_interleaved(const ScheduleSize& size) {
  if (size.chunks == 1) return std::min(size.microbatches, size.stages);
  return std::min(size.stages * size.chunks + size.stages - 1, size.microbatches * size.chunks);
}

constexpr std::array kInterleavedRules = {
    ScheduleRule{"interleaved-microbatches", "Interleaved 1F1B runs a multiple of pp microbatches.",
                 "schedule", [](const ScheduleSize& size) -> std::string {
                   if (size.chunks == 1 || size.microbatches % size.stages == 0) return {};
                   return fmt::format("the number of microbatches is {}, no multiple of {} (pp)",
                                      size.microbatches, size.stages);
                 }}};

}  // namespace

const ScheduleEntry kInterleaved{
    .kind = ScheduleKind::interleaved,
    .chunks = ChunkCount::several,
    .order = order_interleaved,
    .bubble = fill_drain_bubble,  // a chunk's passes cost 1/v of a stage's
    .in_flight = in_flight_of_interleaved,
    .rules = kInterleavedRules,
    .page = {
        .title = "Interleaved 1F1B",
        .bubble = "(*p* - 1)(*F* + *B*): 1/*v* of 1F1B's, because chunks are 1/*v* as long",
        .exact_when = "always",
        .in_flight = "*pv* + *p* - 1 chunks",
        .source = "SC 2021, section 2.2; Korthikanti et al., MLSys 2023, section 4.2.3",
        .text = "Each stage holds *v* pieces of the model; virtual stage *k* is chunk *k* / *p* of "
                "stage *k* mod *p*. Filling and draining the pipeline needs 1/*v* of the time and "
                "*v* times the messages. The order is Megatron-LM's. Stage *s* first runs (*v* - "
                "1)*p* + 2(*p* - 1 - *s*) chunk passes. It runs *p* microbatches on one chunk "
                "before the next chunk. With one chunk it is 1F1B."}};

}  // namespace orrery::workload
