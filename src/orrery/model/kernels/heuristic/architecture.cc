// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/heuristic/architecture.h"

#include <string_view>

namespace orrery::model {
namespace {

using graph::Format;

constexpr double kMicro = 1e-6;

constexpr Architecture kVolta = {.launch = 4.0 * kMicro,
                                 .ramp = 0.8 * kMicro,
                                 .wave = 0.5 * kMicro,
                                 .core = 0.75,
                                 .core8 = 0.75,
                                 .core4 = 0.75,
                                 .simt = 0.95,
                                 .stream = 0.8,
                                 .feed = 32,
                                 .feed_narrow = 1.0,
                                 .launch8 = 3.0 * kMicro,
                                 .launch8_block = 3.0 * kMicro,
                                 .launch4 = 3.0 * kMicro,
                                 .launch_batched = 1.5 * kMicro,
                                 .prefill_launch = 7.0 * kMicro,
                                 .prefill = 0.6,
                                 .backward = 0.47,
                                 .prefill_block = 0.2 * kMicro,
                                 .decode_launch = 15.0 * kMicro,
                                 .decode = 0.8,
                                 .decode_split = 0.15,
                                 .decode_turn = 1.2 * kMicro,
                                 .decode_wave = 3.0 * kMicro,
                                 .latent = 0,
                                 .small = 3.0 * kMicro,
                                 .moving = 0.8,
                                 .cached = 12,
                                 .measured = true};

constexpr Architecture kAmpere = {.launch = 3.2 * kMicro,
                                  .ramp = 0.7 * kMicro,
                                  .wave = 0.4 * kMicro,
                                  .core = 0.95,
                                  .core8 = 0.95,
                                  .core4 = 0.95,
                                  .simt = 0.85,
                                  .stream = 0.75,
                                  .feed = 22,
                                  .feed_narrow = 1.0,
                                  .launch8 = 5.0 * kMicro,
                                  .launch8_block = 3.0 * kMicro,
                                  .launch4 = 3.0 * kMicro,
                                  .launch_batched = 1.5 * kMicro,
                                  .prefill_launch = 7.5 * kMicro,
                                  .prefill = 0.78,
                                  .backward = 0.67,
                                  .prefill_block = 0.13 * kMicro,
                                  .decode_launch = 14.0 * kMicro,
                                  .decode = 0.8,
                                  .decode_split = 0.13,
                                  .decode_turn = 1.2 * kMicro,
                                  .decode_wave = 3.0 * kMicro,
                                  .latent = 0,
                                  .small = 2.5 * kMicro,
                                  .moving = 0.86,
                                  .cached = 18,
                                  .measured = true,
                                  .watts = 400 / 312.0};

constexpr Architecture kHopper = {.launch = 2.0 * kMicro,
                                  .ramp = 0.7 * kMicro,
                                  .wave = 0.75 * kMicro,
                                  .core = 0.84,
                                  .core8 = 0.82,
                                  .core4 = 0.82,
                                  .simt = 0.8,
                                  .stream = 0.81,
                                  .feed = 58,
                                  .feed_narrow = 0.58,
                                  .launch8 = 2.2 * kMicro,
                                  .launch8_block = 1.6 * kMicro,
                                  .launch4 = 3.0 * kMicro,
                                  .launch_batched = 1.0 * kMicro,
                                  .prefill_launch = 10.0 * kMicro,
                                  .prefill = 0.82,
                                  .backward = 0.585,
                                  .prefill_block = 0.25 * kMicro,
                                  .decode_launch = 10.5 * kMicro,
                                  .decode = 0.93,
                                  .decode_split = 0.24,
                                  .decode_turn = 0.65 * kMicro,
                                  .decode_wave = 3.0 * kMicro,
                                  .latent = 0.93,
                                  .small = 2.1 * kMicro,
                                  .moving = 0.88,
                                  .cached = 24,
                                  .measured = true,
                                  .watts = 700 / 989.4};

constexpr Architecture kBlackwell = {.launch = 1.3 * kMicro,
                                     .ramp = 0.8 * kMicro,
                                     .wave = 0.9 * kMicro,
                                     .core = 0.77,
                                     .core8 = 0.9,
                                     .core4 = 0.9,
                                     .simt = 0.8,
                                     .stream = 0.78,
                                     .feed = 75,
                                     .feed_narrow = 0.75,
                                     .launch8 = 3.5 * kMicro,
                                     .launch8_block = 3.5 * kMicro,
                                     .launch4 = 5.5 * kMicro,
                                     .launch_batched = 2.0 * kMicro,
                                     .prefill_launch = 8.0 * kMicro,
                                     .prefill = 0.87,
                                     .backward = 0.65,
                                     .prefill_block = 1.9 * kMicro,
                                     .decode_launch = 8.8 * kMicro,
                                     .decode = 0.94,
                                     .decode_split = 0.15,
                                     .decode_turn = 0.44 * kMicro,
                                     .decode_wave = 1.3 * kMicro,
                                     .latent = 0.75,
                                     .small = 2.3 * kMicro,
                                     .moving = 0.86,
                                     .cached = 28,
                                     .measured = true};

/// Of the first high-bandwidth memory less arrives than of what came before and after. Source:
/// STREAM's triad on a P100, 557 of 732 GB/s (github.com/mohamso/stream-cuda).
constexpr double kFirstStacks = 0.76, kFirstStacksFrom = 500e9;
constexpr Architecture kPascalStacks = [] {
  Architecture figures = kVolta;
  figures.moving = kFirstStacks;
  return figures;
}();
bool has_first_stacks(const Silicon& silicon) {
  return silicon.architecture.starts_with("pascal") && silicon.memory > kFirstStacksFrom;
}

/// Blackwell and Ada chips for workstations: many small processors, a large cache, GDDR.
constexpr Architecture kWorkstation = {.launch = 1.1 * kMicro,
                                       .ramp = 1.2 * kMicro,
                                       .wave = 1.2 * kMicro,
                                       .core = 0.85,
                                       .core8 = 0.77,
                                       .core4 = 0.7,
                                       .simt = 0.8,
                                       .stream = 0.82,
                                       .feed = 60,
                                       .feed_narrow = 0.35,
                                       .launch8 = 3.5 * kMicro,
                                       .launch8_block = 2.3 * kMicro,
                                       .launch4 = 2.3 * kMicro,
                                       .launch_batched = 1.5 * kMicro,
                                       .prefill_launch = 3.0 * kMicro,
                                       .prefill = 0.67,
                                       .backward = 0.52,
                                       .prefill_block = 0.08 * kMicro,
                                       .decode_launch = 7.7 * kMicro,
                                       .decode = 0.92,
                                       .decode_split = 0.16,
                                       .decode_turn = 1.4 * kMicro,
                                       .decode_wave = 3.6 * kMicro,
                                       .latent = 0,
                                       .small = 1.7 * kMicro,
                                       .moving = 0.83,
                                       .cached = 21,
                                       .measured = true};

constexpr Architecture other(Architecture like) {
  like.measured = false;
  like.watts = 0;
  return like;
}
constexpr Architecture kCdna = [] {
  Architecture figures = other(kHopper);
  figures.launch = 4 * kMicro;
  figures.core = 0.7;
  figures.core8 = 0.75;
  figures.launch8 = 2 * kMicro;
  return figures;
}();
/// Long products on an MI300X reach 0.51 of the peak at most in bf16 (the best of thousands of
/// sizes: 668 TFLOP/s, ml-engineering's table of achievable matmul) and 0.47 and 0.38 in bf16 and
/// fp8 (620 and 990 TFLOP/s: SemiAnalysis, MI300X vs H100 vs H200, part 1, 2024).
constexpr Architecture kCdna3 = [] {
  Architecture figures = kCdna;
  figures.core = 0.54;
  figures.core8 = 0.41;
  figures.watts = 750 / 1307.0;
  return figures;
}();
constexpr Architecture kOther = other(kHopper);

constexpr double kGeneralClock = 1.8e9;  // at which these times are
constexpr Architecture kGeneral = {.launch = 2 * kMicro,
                                   .ramp = 0.8 * kMicro,
                                   .wave = 0.7 * kMicro,
                                   .core = 0.8,
                                   .core8 = 0.8,
                                   .core4 = 0.8,
                                   .simt = 0.92,
                                   .stream = 0.8,
                                   .feed = 64,
                                   .feed_narrow = 0.6,
                                   .launch8 = 3 * kMicro,
                                   .launch8_block = 2.5 * kMicro,
                                   .launch4 = 4 * kMicro,
                                   .launch_batched = 1.6 * kMicro,
                                   .prefill_launch = 7.0 * kMicro,
                                   .prefill = 0.72,
                                   .backward = 0.56,
                                   .prefill_block = 0.2 * kMicro,
                                   .decode_launch = 10.5 * kMicro,
                                   .decode = 0.9,
                                   .decode_split = 0.2,
                                   .decode_turn = 0.8 * kMicro,
                                   .decode_wave = 3 * kMicro,
                                   .latent = 0.85,
                                   .small = 2 * kMicro,
                                   .moving = 0.85,
                                   .cached = 22,
                                   .measured = false};

/// 16-bit operations a clock and processor: 4096 and more are chips for data centres.
double width_of(const Silicon& silicon) {
  if (silicon.processors <= 0 || silicon.clock <= 0) return 8192;
  return silicon.rate(Format::bf16) / static_cast<double>(silicon.processors) / silicon.clock;
}

/// Matrix units wider than this are fed from a memory of their own, which one block has at a time:
/// blocks of attention no longer hide each other's beginnings and ends.
constexpr double kFedApart = 6000;

/// Matrix units narrower than this are each fed by a warp, wider ones by four together or by none:
/// only for those are there kernels of latent attention that share the keys of a sequence among
/// processors (FlashMLA, github.com/deepseek-ai/FlashMLA: Hopper and Blackwell for data centres).
constexpr double kGroupsOfWarps = 3000;
constexpr double kWarpPrefill = 0.67;  // A100 0.62, RTX PRO 6000 0.67

/// Each of a processor's four schedulers starts one instruction a clock. With 16 lanes it needs
/// every other one to keep them multiplying and has the rest for loads; with 32 loads take away
/// from them. Source: NeuSight's long fp32 products reach 0.96, 0.91 and 0.82 on V100 and A100s (64
/// lanes), 0.76 on an H100 (128).
constexpr double kNarrowLanes = 96, kWideSimt = 0.76;

/// fp32 operations that a processor adds and multiplies a clock.
double lanes_of(const Silicon& silicon) {
  if (silicon.processors <= 0 || silicon.clock <= 0) return 0;
  return silicon.vector / 2 / static_cast<double>(silicon.processors) / silicon.clock;
}

}  // namespace

const Architecture& architecture_of(const Silicon& silicon) {
  const std::string_view name = silicon.architecture;
  if (name.starts_with("hopper")) return kHopper;
  if (name.starts_with("rtx-blackwell")) return kWorkstation;
  if (name.starts_with("blackwell")) return width_of(silicon) > 3000 ? kBlackwell : kWorkstation;
  if (name.starts_with("ampere")) return kAmpere;
  if (has_first_stacks(silicon)) return kPascalStacks;
  if (name.starts_with("ada")) return kWorkstation;
  if (name.starts_with("volta") || name.starts_with("turing") || name.starts_with("pascal"))
    return kVolta;
  if (name == "cdna3") return kCdna3;
  if (name.starts_with("cdna")) return kCdna;
  return kOther;
}

Architecture general_architecture(const Silicon& silicon) {
  Architecture figures = kGeneral;
  if (lanes_of(silicon) > kNarrowLanes) figures.simt = kWideSimt;
  if (has_first_stacks(silicon)) figures.moving = kFirstStacks;
  if (width_of(silicon) < kGroupsOfWarps) {
    figures.latent = 0;
    figures.prefill = kWarpPrefill;
  }
  if (silicon.processors > 0 && width_of(silicon) > kFedApart) {
    figures.prefill = kBlackwell.prefill;
    figures.prefill_block = kBlackwell.prefill_block;
  }
  const double slower = silicon.clock > 0 ? kGeneralClock / silicon.clock : 1;
  for (double* const time :
       {&figures.launch, &figures.ramp, &figures.wave, &figures.launch8, &figures.launch8_block,
        &figures.launch4, &figures.launch_batched, &figures.prefill_launch, &figures.prefill_block,
        &figures.decode_launch, &figures.decode_turn, &figures.decode_wave, &figures.small})
    *time *= slower;
  return figures;
}

}  // namespace orrery::model
