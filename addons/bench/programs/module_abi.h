// SPDX-License-Identifier: Apache-2.0
//
// The functions of the module that replays with PyTorch. The program loads it on demand, so that no
// other part of Orrery needs PyTorch.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// The input of a replay.
struct OrreryBenchQuestion {
  const char* plan;  ///< program_format.h
  std::size_t plan_bytes;
  std::uint32_t warm_up, iterations;
  std::int32_t threads;
  std::int32_t wait_in_gaps;  ///< 1: hosts also wait during recorded gaps
  std::int64_t memory_limit;
  /// Communication between processes: the path of a new file through which they find each other.
  /// Null: delays from the plan.
  const char* store;
  std::uint32_t rank;          ///< of this process
  const std::uint32_t* ranks;  ///< ranks of all processes, ascending
  std::size_t rank_count;
  std::int64_t timeout_ms;   ///< of a single communication, and of the initial connection
  const char* device;        ///< as in orrery_bench_use
  std::int32_t synchronize;  ///< 1: the host waits for the device after each step
};

/// The result of a replay. It owns its arrays.
struct OrreryBenchAnswer {
  const char* error;  ///< null: none
  std::uint64_t steps;
  std::uint64_t iterations;
  std::int64_t prepare_ns;
  const std::int64_t *wall_ns, *cpu_ns;      ///< by iteration
  const std::int64_t *begin_ns, *length_ns;  ///< by iteration and step
  const std::uint32_t* failures;             ///< by step
  const char* const* reasons;                ///< by step
  const std::uint8_t* reshaped;              ///< by step
  std::uint64_t exchanges;
  const std::int64_t *exchange_begin_ns, *exchange_length_ns;  ///< by iteration and exchange
  std::int64_t external_bytes, copies_bytes, peak_bytes;       ///< peak_bytes -1: unknown
  const std::int64_t *held_bytes, *most_bytes;                 ///< by step; null: unknown
  const char* operator_counts;                                 ///< "12 aten::mm", one line per name
  std::int64_t energy_uj, energy_ns;
  void* owner;
};

/// Increases with each change of this file.
inline constexpr std::int32_t kOrreryBenchAbi = 4;

using OrreryBenchAbi = std::int32_t();
/// "PyTorch 1.13.0"
using OrreryBenchVersion = const char*();
/// Selects the device for overloads: "cpu" (the default), "cuda", "cuda:1" … Returns null, or an
/// error message that is valid until the next call.
using OrreryBenchUse = const char*(const char* device);
/// One line per overload of "aten::add": 'r' or '-' (runs on the device), 'c' or '-' (only calls
/// other operators), a space, the schema. Valid until the next call.
using OrreryBenchOverloads = const char*(const char* name);
/// Errors are in the answer. The caller must release the answer.
using OrreryBenchPlay = OrreryBenchAnswer*(const OrreryBenchQuestion*);
using OrreryBenchFree = void(OrreryBenchAnswer*);
}
