// Preloaded into tailwave by the fault driver (driver.cpp): lets calls on files fail, and the wall clock jump.
//   FAULTS_FILES=ERRNO,FIRST,LAST,PART  calls number FIRST to LAST of a process on files whose path contains PART fail
//   FAULTS_CLOCK=AFTER_MS,BY_S          that long after a process began its wall clock is off by so much
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

struct FileFault {
  int error = 0, first = 0, last = 0;  // no error: no fault
  std::array<char, 64> part{};
};

struct ClockFault {
  long after_ms = 0, by_s = 0;
};

FileFault read_file_fault() {
  FileFault fault;
  const char* const text = std::getenv("FAULTS_FILES");
  if (text == nullptr ||
      std::sscanf(text, "%d,%d,%d,%63s", &fault.error, &fault.first, &fault.last, fault.part.data()) != 4)
    return {};
  return fault;
}

ClockFault read_clock_fault() {
  ClockFault fault;
  const char* const text = std::getenv("FAULTS_CLOCK");
  if (text == nullptr || std::sscanf(text, "%ld,%ld", &fault.after_ms, &fault.by_s) != 2) return {};
  return fault;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool fails(const char* path) {
  static const FileFault fault = read_file_fault();
  static std::atomic<int> calls{0};
  if (fault.error == 0 || std::strstr(path, fault.part.data()) == nullptr) return false;
  const int number = ++calls;
  if (number < fault.first || number > fault.last) return false;
  errno = fault.error;
  return true;
}

bool fails(int file) {
  std::array<char, 32> link{};
  std::array<char, PATH_MAX> path{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
  const int before = errno;
  if (readlink(link.data(), path.data(), path.size() - 1) < 0) path[0] = '\0';
  errno = before;
  return fails(path.data());
}

long now_ms() {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  timespec time{};
  real(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

// Seconds; counted from when this library was loaded.
const long kBegun = now_ms();
long jump_s() {
  static const ClockFault fault = read_clock_fault();
  return fault.by_s != 0 && now_ms() - kBegun >= fault.after_ms ? fault.by_s : 0;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  return fails(file) ? -1 : real(file, bytes, size);
}
ssize_t writev(int file, const iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  return fails(file) ? -1 : real(file, parts, count);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return fails(file) ? -1 : real(file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return fails(file) ? -1 : real(file, bytes, size, offset);
}
int fsync(int file) {
  static auto* const real = next<int(int)>("fsync");
  return fails(file) ? -1 : real(file);
}
int fdatasync(int file) {
  static auto* const real = next<int(int)>("fdatasync");
  return fails(file) ? -1 : real(file);
}
int ftruncate(int file, off_t size) noexcept {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  return fails(file) ? -1 : real(file, size);
}
int ftruncate64(int file, off64_t size) noexcept {
  static auto* const real = next<int(int, off64_t)>("ftruncate64");
  return fails(file) ? -1 : real(file, size);
}
int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return fails(to) ? -1 : real(from, to);
}
int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  return fails(path) ? -1 : real(path, mode);
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += jump_s();
  return result;
}
int gettimeofday(timeval* time, void* zone) noexcept {
  static auto* const real = next<int(timeval*, void*)>("gettimeofday");
  const int result = real(time, zone);
  if (result == 0) time->tv_sec += jump_s();
  return result;
}
time_t time(time_t* place) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (place != nullptr) *place = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
