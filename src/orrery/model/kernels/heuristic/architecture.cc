// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/heuristic/architecture.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace orrery::model {
namespace {

using graph::Format;

constexpr double kMicro = 1e-6;

/// The columns of kFigureRows. `workstation`: Blackwell chips for workstations, with many small
/// processors, a large cache and GDDR; `ada`: the same of Ada, from an L40S. `general`: the rounded
/// figures of any device.
enum class ArchitectureColumn : std::uint8_t {
  volta,
  ampere,
  hopper,
  blackwell,
  workstation,
  ada,
  general
};

/// A figure of all columns; times are in microseconds.
struct FigureRow {
  double Architecture::*field;
  double unit;
  std::array<double, static_cast<std::size_t>(ArchitectureColumn::general) + 1> values;
};

constexpr std::array kFigureRows = {
    FigureRow{&Architecture::launch, kMicro, {4.0, 3.2, 2.0, 1.3, 1.1, 0.4, 2}},
    FigureRow{&Architecture::ramp, kMicro, {0.8, 0.7, 0.7, 0.8, 1.2, 0.1, 0.8}},
    FigureRow{&Architecture::wave, kMicro, {0.5, 0.4, 0.75, 0.9, 1.2, 1.8, 0.7}},
    FigureRow{&Architecture::core, 1, {0.75, 0.95, 0.84, 0.77, 0.85, 0.58, 0.8}},
    FigureRow{&Architecture::core8, 1, {0.75, 0.95, 0.82, 0.9, 0.77, 0.53, 0.8}},
    FigureRow{&Architecture::core8_block, 1, {0.75, 0.95, 0.82, 0.9, 0.77, 0.3, 0.8}},
    FigureRow{&Architecture::core4, 1, {0.75, 0.95, 0.82, 0.9, 0.7, 0.7, 0.8}},
    FigureRow{&Architecture::simt, 1, {0.95, 0.85, 0.8, 0.8, 0.8, 0.8, 0.92}},
    FigureRow{&Architecture::stream, 1, {0.8, 0.75, 0.81, 0.78, 0.82, 0.82, 0.8}},
    FigureRow{&Architecture::feed, 1, {32, 22, 58, 75, 60, 19.6, 64}},
    FigureRow{&Architecture::feed_narrow, 1, {1.0, 1.0, 0.58, 0.75, 0.35, 0.6, 0.6}},
    FigureRow{&Architecture::launch8, kMicro, {3.0, 5.0, 2.2, 3.5, 3.5, 9, 3}},
    FigureRow{&Architecture::launch8_block, kMicro, {3.0, 3.0, 1.6, 3.5, 2.3, 0.6, 2.5}},
    FigureRow{&Architecture::launch4, kMicro, {3.0, 3.0, 3.0, 5.5, 2.3, 2.3, 4}},
    FigureRow{&Architecture::launch_batched, kMicro, {1.5, 1.5, 1.0, 2.0, 1.5, 1.5, 1.6}},
    FigureRow{&Architecture::prefill_launch, kMicro, {7.0, 7.5, 10.0, 8.0, 3.0, 4.5, 7.0}},
    FigureRow{&Architecture::prefill, 1, {0.6, 0.78, 0.82, 0.87, 0.67, 0.4, 0.72}},
    FigureRow{&Architecture::backward, 1, {0.47, 0.67, 0.585, 0.65, 0.52, 0.31, 0.56}},
    FigureRow{&Architecture::backward8, 1, {0.47, 0.67, 0.38, 0.43, 0.4, 0.24, 0.4}},
    FigureRow{&Architecture::overlapped, 1, {0, 0, 0, 0.9, 0, 0, 0}},
    FigureRow{&Architecture::prefill_rows, 1, {128, 128, 128, 128, 128, 64, 128}},
    FigureRow{&Architecture::prefill_block, kMicro, {0.2, 0.13, 0.25, 1.9, 0.08, 0.9, 0.2}},
    FigureRow{&Architecture::decode_launch, kMicro, {15.0, 14.0, 10.5, 8.8, 7.7, 6.8, 10.5}},
    FigureRow{&Architecture::decode, 1, {0.8, 0.8, 0.93, 0.94, 0.92, 0.85, 0.9}},
    FigureRow{&Architecture::repeated, 1, {0, 0, 0, 0, 0, 10, 0}},
    FigureRow{&Architecture::decode_split, 1, {0.15, 0.13, 0.24, 0.15, 0.16, 0.65, 0.2}},
    FigureRow{&Architecture::decode_turn, kMicro, {1.2, 1.2, 0.65, 0.44, 1.4, 1.4, 0.8}},
    FigureRow{&Architecture::decode_wave, kMicro, {3.0, 3.0, 3.0, 1.3, 3.6, 2.5, 3}},
    FigureRow{&Architecture::latent, 1, {0, 0, 0.93, 0.75, 0, 0, 0.85}},
    FigureRow{&Architecture::small, kMicro, {3.0, 2.5, 2.1, 2.3, 1.7, 1.7, 2}},
    FigureRow{&Architecture::moving, 1, {0.8, 0.86, 0.88, 0.86, 0.83, 0.83, 0.85}},
    FigureRow{&Architecture::cached, 1, {12, 18, 24, 28, 21, 21, 22}},
    FigureRow{&Architecture::attention_limited, 1, {0, 0, 0, 0, 0, 1, 0}},
    FigureRow{&Architecture::watts, 1, {0, 400 / 312.0, 700 / 989.4, 0, 0, 350 / 362.05, 0}},
};

// All doubles of Architecture; its only other member is a bool.
static_assert(sizeof(Architecture) == (kFigureRows.size() + 1) * sizeof(double));

constexpr Architecture figures_of(ArchitectureColumn column) {
  Architecture figures{};
  for (const FigureRow& figure : kFigureRows)
    figures.*figure.field = figure.values[static_cast<std::size_t>(column)] * figure.unit;
  figures.measured = column != ArchitectureColumn::general;
  return figures;
}

constexpr Architecture kVolta = figures_of(ArchitectureColumn::volta);
constexpr Architecture kAmpere = figures_of(ArchitectureColumn::ampere);
constexpr Architecture kHopper = figures_of(ArchitectureColumn::hopper);
constexpr Architecture kBlackwell = figures_of(ArchitectureColumn::blackwell);
constexpr Architecture kWorkstation = figures_of(ArchitectureColumn::workstation);
constexpr Architecture kAda = figures_of(ArchitectureColumn::ada);

/// The first high-bandwidth memory reaches a lower share of its rate than memories before and after
/// it. Source: STREAM's triad on a P100, 557 of 732 GB/s (github.com/mohamso/stream-cuda).
constexpr double kFirstStacks = 0.76, kFirstStacksFrom = 500e9;
constexpr Architecture kPascalStacks = [] {
  Architecture figures = kVolta;
  figures.moving = kFirstStacks;
  return figures;
}();
bool has_first_stacks(const Silicon& silicon) {
  return silicon.architecture.starts_with("pascal") && silicon.memory > kFirstStacksFrom;
}

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
/// Long products on an MI300X reach at most 0.51 of the peak in bf16 (the best of thousands of
/// sizes: 668 TFLOP/s, ml-engineering's table of achievable matmul), and 0.47 in bf16 and 0.38 in
/// fp8 (620 and 990 TFLOP/s: SemiAnalysis, MI300X vs H100 vs H200, part 1, 2024).
constexpr Architecture kCdna3 = [] {
  Architecture figures = kCdna;
  figures.core = 0.54;
  figures.core8 = 0.41;
  figures.watts = 750 / 1307.0;
  return figures;
}();
constexpr Architecture kOther = other(kHopper);

constexpr double kGeneralClock = 1.8e9;  // Hz; the clock of the times in kGeneral
constexpr Architecture kGeneral = figures_of(ArchitectureColumn::general);

/// 16-bit operations per clock and processor. Chips for data centers have 4096 and more.
double width_of(const Silicon& silicon) {
  if (silicon.processors <= 0 || silicon.clock <= 0) return 8192;
  return silicon.rate(Format::bf16) / static_cast<double>(silicon.processors) / silicon.clock;
}

/// Matrix units wider than this have their own memory, which only one block can use at a time. So
/// blocks of attention no longer hide each other's begins and ends.
constexpr double kFedApart = 6000;

/// Matrix units narrower than this are each fed by one warp; wider ones by four warps, or by none.
/// Kernels of latent attention that share the keys of a sequence among processors exist only for
/// the latter (FlashMLA, github.com/deepseek-ai/FlashMLA: Hopper and Blackwell for data centers).
constexpr double kGroupsOfWarps = 3000;
constexpr double kWarpPrefill = 0.67;  // A100 0.62, RTX PRO 6000 0.67

/// Each of the four schedulers of a processor starts one instruction per clock. With 16 lanes,
/// every other instruction keeps them busy with products, and the rest is free for loads. With 32
/// lanes, loads reduce the rate of products. Source: NeuSight's long fp32 products reach 0.96, 0.91
/// and 0.82 on V100 and A100s (64 lanes), 0.76 on an H100 (128).
constexpr double kNarrowLanes = 96, kWideSimt = 0.76;

/// fp32 multiply-adds per clock and processor.
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
  if (name.starts_with("ada")) return kAda;
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
    figures.overlapped = kBlackwell.overlapped;
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
