// What device/cuda/nvshmem.h loads in place of NVIDIA's library: all calls succeed, but for starting among 13, and for
// memory of more than 1000 bytes. It adds up floats alone. $FAKE_NVSHMEM_CALLS gets what was called.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int pes_asked_for = 0;

void note(const std::string& call) {
  const char* const before = std::getenv("FAKE_NVSHMEM_CALLS");
  const std::string calls = before == nullptr || *before == '\0' ? call : std::string(before) + " " + call;
  setenv("FAKE_NVSHMEM_CALLS", calls.c_str(), 1);
}

}  // namespace

extern "C" {

void nvshmemx_vendor_get_version_info(int* major, int* minor, int* patch) {
  *major = 9, *minor = 8, *patch = 7;
}
int nvshmemx_get_uniqueid(void* id) {
  int version = 0;
  std::memcpy(&version, id, sizeof version);
  static_cast<char*>(id)[4] = 'x';
  return version == (1 << 16) + 128 ? 0 : 1;
}
int nvshmemx_set_attr_uniqueid_args(int pe, int pes, const void* id, void* /*attributes*/) {
  pes_asked_for = pes;
  note("join " + std::to_string(pe) + " of " + std::to_string(pes) + " by " +
       static_cast<const char*>(id)[4]);
  return 0;
}
int nvshmemx_hostlib_init_attr(unsigned flags, void* /*attributes*/) {
  note("init " + std::to_string(flags));
  return pes_asked_for == 13 ? 7 : 0;
}
void nvshmemx_hostlib_finalize() {
  note("finalize");
}
int nvshmemx_cumodule_init(void* /*module*/) {
  return 0;
}
int nvshmemx_cumodule_finalize(void* /*module*/) {
  return 0;
}
void* nvshmem_malloc(std::size_t size_bytes) {
  return size_bytes > 1000 ? nullptr : std::malloc(size_bytes);
}
void nvshmem_free(void* memory) {
  std::free(memory);
}
void nvshmemx_barrier_all_on_stream(void* /*stream*/) {
  note("barrier");
}
int nvshmemx_float_sum_reduce_on_stream(int team, float* /*to*/, const float* /*from*/, std::size_t count,
                                        void* /*stream*/) {
  note("sum " + std::to_string(count) + " of team " + std::to_string(team));
  return 0;
}

}  // extern "C"
