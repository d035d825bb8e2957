#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "core/error.h"
#include "core/printable.h"

namespace tailwave {
namespace {

// Buffers' contents come and go with each configuration, and compilers' memory with each build. glibc would give the
// pages back every time, and then take a fault for each of them again.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMiB = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 16 * kMiB);
  mallopt(M_TRIM_THRESHOLD, 128 * kMiB);
#endif
}

// A write beyond a limit of a file's size is then an error like that of a full disk, which has a message.
void outlive_limits_of_files() {
  std::signal(SIGXFSZ, SIG_IGN);
}

// Files that are opened later would have their numbers. Reading a standard input or writing a standard output that is
// not there stays an error; of standard error it is nobody's loss.
void open_missing_streams() {
  for (const auto& [stream, how] : {std::pair(STDIN_FILENO, O_WRONLY), std::pair(STDOUT_FILENO, O_RDONLY),
                                    std::pair(STDERR_FILENO, O_WRONLY)})
    if (fcntl(stream, F_GETFD) < 0) static_cast<void>(!open("/dev/null", how));
}

int run_command(int argc, char** argv) {
  Command app("tailwave", "tailwave finds, measures and explains the fastest configuration of a CUDA kernel");
  app.set_version_flag("--version", std::function<std::string()>(describe_version),
                       "the version, and what was loaded and what was not");
  app.footer(
      "Exit status: 0 done; 1 it could not be done; 2 bad usage: a wrong option, name or spec, "
      "or a file that is not there; 3 a --fail-on of compare or run is fulfilled. "
      "A configuration that fails is a result like others: the status is still 0.\n"
      "Example: tailwave run experiments/nbody/variants.json && tailwave report");
  for (auto* add :
       {add_new,      add_check,    add_plan,    add_run,      add_tune,       add_judge,  add_query,
        add_compare,  add_explain,  add_show,    add_report,   add_import,     add_export, add_merge,
        add_submit,   add_status,   add_list,    add_selftest, add_trace,      add_curve,  add_counters,
        add_timeline, add_simulate, add_capture, add_help,     add_completion, add_man}) {
    add(app);
  }
  if (argc > 1) refuse_unknown_command(app, argv[1]);
  if (argc == 1) {
    std::fputs(app.help().c_str(), stderr);
    return Error::kBadUsage;
  }
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CommandLineError& error) {
    refuse_command_line(app, error);
  }
}

}  // namespace
}  // namespace tailwave

int main(int argc, char** argv) {
  constexpr const char* kCannotPrint = "cannot write to file";
  tailwave::keep_freed_memory();
  tailwave::outlive_limits_of_files();
  tailwave::open_missing_streams();
  try {
    const int status = tailwave::run_command(argc, argv);
    if (std::fflush(stdout) == 0) return status;
    throw std::system_error(errno, std::generic_category(), kCannotPrint);
  } catch (const tailwave::Error& error) {
    std::fprintf(stderr, "%s\n", tailwave::printable(error.what()).c_str());
    return error.exit_status();
  } catch (const std::system_error& error) {
    // As {fmt} says it.
    const bool cannot_print = std::string_view(error.what()).starts_with(kCannotPrint);
    std::fprintf(stderr, "%s: %s\n",
                 cannot_print ? "standard output cannot be written" : "tailwave: unexpected error",
                 tailwave::printable(cannot_print ? error.code().message() : error.what()).c_str());
    return tailwave::Error::kRunFailed;
  } catch (const std::bad_alloc&) {
    std::fputs("tailwave: there is not enough memory\n", stderr);
    return tailwave::Error::kRunFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tailwave: unexpected error: %s\n", tailwave::printable(error.what()).c_str());
    return tailwave::Error::kRunFailed;
  }
}
