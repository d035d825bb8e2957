// What the sanitizers are told in programs built with them (TAILWAVE_SANITIZE). They ask by these names.
#ifdef TAILWAVE_SANITIZE

// Templates for the CPU device have thread-local variables of their own. LeakSanitizer takes some of them for those
// of a glibc before 2.19, reads their size where none is and crashes ("Tracer caught signal 11"), unless told not to
// look.
extern "C" const char* __asan_default_options() {
  return "intercept_tls_get_addr=0";
}

extern "C" const char* __lsan_default_options() {
  return "print_suppressions=0";
}

// NVRTC keeps what it allocates for the process's life. The loader allocates thread-local variables of templates, and
// points to them from memory that is not looked at.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libnvrtc\nleak:ld-linux\n";
}

#endif
