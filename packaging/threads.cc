// SPDX-License-Identifier: Apache-2.0
//
// glibc 2.32 has a variable that is not 0 while a process has a single thread. Objects in Debian's
// archives are compiled for programs and read it with a relocation that a shared library cannot
// have. The shared library has its own, which is always 0: reference counts are atomic, as they are
// in a process with threads.
extern "C" __attribute__((visibility("hidden"))) char __libc_single_threaded;
char __libc_single_threaded = 0;
