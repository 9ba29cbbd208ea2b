// SPDX-License-Identifier: Apache-2.0
//
// The functions of the module that replays with PyTorch. Programs load it when they first need it:
// nothing else of Orrery needs PyTorch.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// What is to be played.
struct OrreryBenchQuestion {
  const char* plan;  ///< plan_text.h
  std::size_t plan_bytes;
  std::uint32_t warm_up, iterations;
  std::int32_t threads;
  std::int32_t think;  ///< 1: hosts wait where they did
  std::int64_t memory_limit;
  /// Communications between processes: the file by which they find each other, new; null: delays as
  /// the plan tells them.
  const char* store;
  std::uint32_t rank;          ///< of this process
  const std::uint32_t* ranks;  ///< of all processes, ascending
  std::size_t rank_count;
  std::int64_t timeout_ms;   ///< of a single communication, and of finding each other
  const char* device;        ///< as orrery_bench_use has it
  std::int32_t synchronise;  ///< 1: the host waits for the device after each step
};

/// What came of it. Arrays belong to the answer.
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
  std::int64_t external_bytes, copies_bytes, peak_bytes;       ///< a peak of -1 is not known
  const std::int64_t *held_bytes, *most_bytes;                 ///< by step; null: not known
  const char* ran;  ///< "12 aten::mm", a line for each name
  std::int64_t energy_uj, energy_ns;
  void* owner;
};

/// Changes when anything here does.
inline constexpr std::int32_t kOrreryBenchAbi = 4;

using OrreryBenchAbi = std::int32_t();
/// "PyTorch 1.13.0"
using OrreryBenchVersion = const char*();
/// Overloads are of this device from now on: "cpu" (to begin with), "cuda", "cuda:1" … Null, or
/// what is wrong with it; valid until the next call.
using OrreryBenchUse = const char*(const char* device);
/// A line for each overload of "aten::add": 'r' or '-' (it runs on the device), 'c' or '-' (only by
/// calling others), a space, the schema. Valid until the next call.
using OrreryBenchOverloads = const char*(const char* name);
/// Never fails but by what the answer says; it is to be given back.
using OrreryBenchPlay = OrreryBenchAnswer*(const OrreryBenchQuestion*);
using OrreryBenchFree = void(OrreryBenchAnswer*);
}
