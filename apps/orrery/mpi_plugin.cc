// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/search/mpi_plugin.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <string>
#include <thread>
#include <utility>

namespace {

using orrery::explore::Message;

constexpr int kDefect = 70;

/// Sleeps while waiting, with increasing intervals: the blocking calls of MPI libraries would keep
/// a core busy.
class BackoffSleep {
 public:
  void sleep() {
    std::this_thread::sleep_for(time_);
    time_ = std::min(time_ * 3 / 2, std::chrono::nanoseconds(500'000));
  }

 private:
  std::chrono::nanoseconds time_{10'000};
};

class MpiChannel final : public orrery::explore::Channel {
 public:
  MpiChannel() {
    MPI_Comm_rank(MPI_COMM_WORLD, &place_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  ~MpiChannel() override {
    if (!left_) MPI_Abort(MPI_COMM_WORLD, kDefect);
  }

  std::uint32_t place() const override { return static_cast<std::uint32_t>(place_); }
  std::uint32_t count() const override { return static_cast<std::uint32_t>(count_); }

  void send(std::uint32_t to, std::string text) override {
    PendingSend& sending = sending_.emplace_back();
    sending.text = std::move(text);
    MPI_Isend(sending.text.data(), static_cast<int>(sending.text.size()), MPI_CHAR,
              static_cast<int>(to), 0, MPI_COMM_WORLD, &sending.request);
  }

  Message receive() override {
    MPI_Status status;
    for (BackoffSleep pause;; pause.sleep()) {
      int there = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
      release_sent();
      if (there != 0) break;
    }
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    Message message{static_cast<std::uint32_t>(status.MPI_SOURCE), {}};
    message.text.resize(static_cast<std::size_t>(size));
    MPI_Recv(message.text.data(), size, MPI_CHAR, status.MPI_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return message;
  }

  /// Waits until all messages are sent, and for all other processes.
  void leave() {
    for (BackoffSleep pause; !sending_.empty(); pause.sleep()) release_sent();
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    int there = 0;
    for (BackoffSleep pause; MPI_Test(&all, &there, MPI_STATUS_IGNORE), there == 0; pause.sleep()) {
    }
    left_ = true;
    MPI_Finalize();
  }

 private:
  struct PendingSend {
    std::string text;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void release_sent() {
    sending_.remove_if([](PendingSend& one) {
      int gone = 0;
      MPI_Test(&one.request, &gone, MPI_STATUS_IGNORE);
      return gone != 0;
    });
  }

  int place_ = 0, count_ = 1;
  bool left_ = false;
  std::list<PendingSend> sending_;  ///< a text must not move until it is sent
};

}  // namespace

extern "C" {

const char* orrery_mpi_version() { return ORRERY_VERSION; }

const char* orrery_mpi_library() {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int size = 0;
  MPI_Get_library_version(text, &size);
  return text;
}

orrery::explore::Channel* orrery_mpi_begin() {
  int given = 0, begun = 0;
  MPI_Initialized(&begun);
  if (begun != 0 || MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
    return nullptr;
  return new MpiChannel;
}

void orrery_mpi_end(orrery::explore::Channel* channel) {
  static_cast<MpiChannel*>(channel)->leave();
  delete channel;
}
}
