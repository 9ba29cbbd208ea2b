// SPDX-License-Identifier: MIT
//
// The functions that the program calls. No exception leaves them.
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "orrery_ns3.h"
#include "simulation.h"

using orrery_ns3::QueueSimulator;
using orrery_ns3::Simulation;

struct OrreryNs3Simulation {
  explicit OrreryNs3Simulation(const OrreryNs3Setup& setup) : runs(setup) {}
  Simulation runs;
};

namespace {

thread_local std::string why_failed;
std::mutex only_one;  // ns-3 is one for the process
int simulations = 0;

/// Calls `work` as the only thread, with the queue of the simulation; `failed` after an exception.
template <class Value, class Work>
Value alone(OrreryNs3Simulation* simulation, Value failed, Work work) {
  const std::lock_guard<std::mutex> lock(only_one);
  try {
    if (simulation != nullptr) QueueSimulator::select(&simulation->runs.events());
    return work();
  } catch (const std::exception& problem) {
    why_failed = problem.what();
    return failed;
  }
}

void begin_ns3() {
  static bool is_first = true;
  // Times that exist already are converted.
  if (is_first && ns3::Time::GetResolution() != ns3::Time::PS)
    ns3::Time::SetResolution(ns3::Time::PS);
  is_first = false;
  if (ns3::Seconds(1).GetTimeStep() != 1'000'000'000'000)
    throw std::runtime_error("ns-3 does not count picoseconds; something else set its resolution");
  if (simulations == 0) ns3::Simulator::SetImplementation(ns3::CreateObject<QueueSimulator>());
}

void end_ns3() {
  QueueSimulator::select(nullptr);
  if (simulations == 0) ns3::Simulator::Destroy();
}

OrreryNs3Simulation* create(const OrreryNs3Setup* setup) {
  return alone(nullptr, static_cast<OrreryNs3Simulation*>(nullptr), [&] {
    begin_ns3();
    try {
      auto made = std::make_unique<OrreryNs3Simulation>(*setup);
      ++simulations;
      return made.release();
    } catch (...) {
      end_ns3();
      throw;
    }
  });
}

void destroy(OrreryNs3Simulation* simulation) {
  alone(simulation, 0, [&] {
    delete simulation;
    --simulations;
    end_ns3();
    return 0;
  });
}

std::int64_t connect(OrreryNs3Simulation* simulation, const OrreryNs3Connection* connection) {
  return alone(simulation, std::int64_t{-1},
               [&] { return std::int64_t{simulation->runs.connect(*connection)}; });
}

std::int32_t send(OrreryNs3Simulation* simulation, std::int64_t now, std::uint32_t connection,
                  std::int64_t bytes, std::uint32_t token) {
  return alone(simulation, std::int32_t{1}, [&] {
    simulation->runs.send(now, connection, bytes, token);
    return std::int32_t{0};
  });
}

std::int64_t next(const OrreryNs3Simulation* simulation) {
  return simulation->runs.events().next();
}

std::int32_t advance(OrreryNs3Simulation* simulation, std::int64_t until) {
  return alone(simulation, std::int32_t{1}, [&] {
    simulation->runs.advance(until);
    return std::int32_t{0};
  });
}

std::size_t arrivals(OrreryNs3Simulation* simulation, const std::uint32_t** tokens) {
  const std::vector<std::uint32_t>& all = simulation->runs.take_arrivals();
  *tokens = all.data();
  return all.size();
}

void record_transfers(OrreryNs3Simulation* simulation, std::int32_t on) {
  simulation->runs.record_transfers(on != 0);
}

std::size_t transfers(OrreryNs3Simulation* simulation, const OrreryNs3Transfer** begun) {
  const std::vector<OrreryNs3Transfer>& all = simulation->runs.take_transfers();
  *begun = all.data();
  return all.size();
}

void counts(const OrreryNs3Simulation* simulation, OrreryNs3Counts* counted) {
  *counted = {simulation->runs.packets_sent(), simulation->runs.events().handled()};
}

const char* error() { return why_failed.c_str(); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const OrreryNs3Functions* orrery_ns3_functions() {
  static const OrreryNs3Functions functions = {
      ORRERY_NS3_ABI, ORRERY_NS3_VERSION, create,           destroy,   connect, send, next,
      advance,        arrivals,           record_transfers, transfers, counts,  error};
  return &functions;
}
