// SPDX-License-Identifier: Apache-2.0
#include "ran.h"

#include <ATen/record_function.h>

#include <memory>

namespace orrery::replay {
namespace {

thread_local std::map<std::string, std::uint64_t>* counting = nullptr;

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  if (counting != nullptr) ++(*counting)[function.name()];
  return nullptr;
}

}  // namespace

Ran::Ran()
    : handle_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&begin).scopes({at::RecordScope::FUNCTION}))) {}

Ran::~Ran() {
  counting = nullptr;
  at::removeCallback(handle_);
}

void Ran::count(bool on) { counting = on ? &counts_ : nullptr; }

}  // namespace orrery::replay
