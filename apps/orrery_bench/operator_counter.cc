// SPDX-License-Identifier: Apache-2.0
#include "operator_counter.h"

#include <ATen/record_function.h>

#include <memory>

namespace orrery::bench {
namespace {

thread_local std::map<std::string, std::uint64_t>* counting = nullptr;

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  if (counting != nullptr) ++(*counting)[function.name()];
  return nullptr;
}

}  // namespace

OperatorCounter::OperatorCounter()
    : handle_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&begin).scopes({at::RecordScope::FUNCTION}))) {}

OperatorCounter::~OperatorCounter() {
  counting = nullptr;
  at::removeCallback(handle_);
}

void OperatorCounter::count(bool on) { counting = on ? &counts_ : nullptr; }

}  // namespace orrery::bench
