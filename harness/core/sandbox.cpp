#include "core/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "core/descriptor.h"
#include "core/error.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse_to_confine(const char* doing) {
  throw Error(
      Diagnostic{.cause = fmt::format("a process cannot be confined: {}: {}", doing, std::strerror(errno)),
                 .hint = "TAILWAVE_SANDBOX=off goes without a sandbox"},
      Error::kRunFailed);
}

// Landlock as the kernel's documentation has it; headers of a system may know less of it than its kernel.
namespace landlock {

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;  // the same on all architectures
constexpr std::uint32_t kGetVersion = 1;
constexpr int kPathBeneath = 1;

struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // since version 4
  std::uint64_t scoped = 0;   // since version 6
};
struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};

constexpr std::uint64_t kExecute = 1U << 0U, kWriteFile = 1U << 1U, kReadFile = 1U << 2U,
                        kReadFolder = 1U << 3U, kMakeDevices = 1U << 6U | 1U << 11U,
                        kMoveElsewhere = 1U << 13U, kTruncate = 1U << 14U, kControlDevice = 1U << 15U;
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kControlDevice;
constexpr std::uint64_t kToRead = kExecute | kReadFile | kReadFolder;
constexpr std::uint64_t kTcp = 3;     // bind, connect
constexpr std::uint64_t kScoped = 3;  // abstract sockets, signals
constexpr int kWithTruncate = 3, kWithTcp = 4, kWithControl = 5, kWithScopes = 6;

// 0 where there is none, for the reason in errno.
int version() {
  return static_cast<int>(std::max(0L, syscall(kCreateRuleset, nullptr, 0, kGetVersion)));
}

std::uint64_t all_rights(int version) {
  std::uint64_t all = kMoveElsewhere - 1;
  if (version > 1) all |= kMoveElsewhere;
  if (version >= kWithTruncate) all |= kTruncate;
  if (version >= kWithControl) all |= kControlDevice;
  return all;
}

class Rules {
 public:
  explicit Rules(int version) : all_(all_rights(version)) {
    const Ruleset handled{.files = all_,
                          .network = version >= kWithTcp ? kTcp : 0,
                          .scoped = version >= kWithScopes ? kScoped : 0};
    // Older kernels know a shorter structure, and take a longer one whose rest is 0.
    rules_ = Descriptor(static_cast<int>(syscall(kCreateRuleset, &handled, sizeof handled, 0)));
    if (rules_.number() < 0) refuse_to_confine("making Landlock rules");
  }

  void allow(const fs::path& path, std::uint64_t rights) const {
    const Descriptor place(open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (place.number() < 0 || fstat(place.number(), &status) != 0) return;
    if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
    const PathBeneath rule{.allowed = rights & all_, .folder = place.number()};
    if (syscall(kAddRule, rules_.number(), kPathBeneath, &rule, 0) != 0)
      refuse_to_confine(("a Landlock rule for " + path.string()).c_str());
  }
  void allow_reading(const fs::path& path) const { allow(path, kToRead); }
  void allow_writing(const fs::path& path) const { allow(path, all_ & ~kMakeDevices); }

  void enforce() const {
    if (syscall(kRestrictSelf, rules_.number(), 0) != 0) refuse_to_confine("enforcing Landlock rules");
  }

 private:
  std::uint64_t all_;
  Descriptor rules_;
};

}  // namespace landlock

// System calls that are refused with EPERM, as a program of the kernel's own machine.
class CallFilter {
 public:
#if defined(__x86_64__)
  static constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  static constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
  static constexpr std::uint32_t kArchitecture = 0;
#endif

  static bool is_available() {
    std::uint32_t action = SECCOMP_RET_ERRNO;
    return kArchitecture != 0 && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  }

  CallFilter() {
    // Calls by another architecture's numbers, and by those of x32.
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    add(BPF_RET | BPF_K, kRefused);
    load_call();
    constexpr std::uint32_t kX32 = 0x40000000;
    add(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
    add(BPF_RET | BPF_K, kRefused);
  }

  // Requests to devices and file systems: these, and all of these types (_IOC_TYPE). All others are allowed, which is
  // decided here: drivers call it again and again, and each step takes time.
  void refuse_requests(std::initializer_list<std::uint32_t> requests,
                       std::initializer_list<std::uint32_t> types) {
    const std::size_t steps = 2 * requests.size() + 2 * types.size() + 3;
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, static_cast<std::uint8_t>(steps));
    load_argument(1);
    for (const std::uint32_t request : requests) refuse_value(request);
    add(BPF_ALU | BPF_AND | BPF_K, _IOC_TYPEMASK << _IOC_TYPESHIFT);
    for (const std::uint32_t type : types) refuse_value(type << _IOC_TYPESHIFT);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }

  void refuse(long call, std::uint32_t error = EPERM) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
  }
  // Where the argument has any of the bits.
  void refuse_bits(long call, int argument, std::uint32_t bits) {
    constexpr std::uint8_t kRest = 4;
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, kRest);
    load_argument(argument);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    add(BPF_RET | BPF_K, kRefused);
    load_call();
  }
  // Where the argument, of 32 bits and without what `mask` leaves out, is the value.
  void refuse_where(long call, int argument, std::uint32_t mask, std::uint32_t value) {
    refuse_by(call, argument, mask, value, true);
  }
  void refuse_unless(long call, int argument, std::uint32_t value) {
    refuse_by(call, argument, ~0U, value, false);
  }

  // For all threads, and without what older kernels slow down where a filter is.
  void enforce() {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<unsigned short>(steps_.size()), steps_.data()};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) != 0)
      refuse_to_confine("filtering system calls");
  }

 private:
  static constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;

  void add(int code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    steps_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }
  void load_call() {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  }
  void refuse_value(std::uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    add(BPF_RET | BPF_K, kRefused);
  }
  // Of its 64 bits the lower half.
  void load_argument(int argument) {
    add(BPF_LD | BPF_W | BPF_ABS,
        static_cast<std::uint32_t>(offsetof(seccomp_data, args) + sizeof(std::uint64_t) * argument));
  }
  void refuse_by(long call, int argument, std::uint32_t mask, std::uint32_t value, bool equal) {
    constexpr std::uint8_t kRest = 5;
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, kRest);
    load_argument(argument);
    add(BPF_ALU | BPF_AND | BPF_K, mask);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, equal ? 0 : 1, equal ? 1 : 0);
    add(BPF_RET | BPF_K, kRefused);
    load_call();
  }

  std::vector<sock_filter> steps_;
};

// Modes, owners, times and attributes of files, which Landlock leaves to everybody.
void refuse_marking_files(CallFilter& filter) {
  constexpr int kFchmodat2 = 452, kSetxattrat = 463, kRemovexattrat = 466;
  for (const long call :
       {SYS_fchmod,    SYS_fchmodat,  SYS_fchown,      SYS_fchownat,     SYS_utimensat,    SYS_setxattr,
        SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
#ifdef __x86_64__
        SYS_chmod,     SYS_chown,     SYS_lchown,      SYS_utime,        SYS_utimes,       SYS_futimesat,
#endif
        kFchmodat2,    kSetxattrat,   kRemovexattrat})
    filter.refuse(call);
}

// Of its own a process might do what is refused here. The flags of clone3 no filter sees; libraries use clone() then.
void refuse_namespaces(CallFilter& filter) {
  constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                        CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  filter.refuse(SYS_unshare);
  filter.refuse(SYS_setns);
  filter.refuse_bits(SYS_clone, 0, kNamespaces);
  filter.refuse(SYS_clone3, ENOSYS);
}

void filter_calls(bool marks_files) {
  CallFilter filter;
  // What would type into the user's terminal.
  constexpr std::uint32_t kTypeOnConsole = 0x541C;  // TIOCLINUX
  // Attributes of files, also of those that are open to read; freezing, trimming and keys of file systems.
  filter.refuse_requests({TIOCSTI, kTypeOnConsole}, {'f', 'X', 'v'});
  if (!marks_files) refuse_marking_files(filter);
  refuse_namespaces(filter);
  for (const long call : {SYS_ptrace,
                          SYS_process_vm_readv,
                          SYS_process_vm_writev,
                          SYS_kcmp,
                          SYS_mount,
                          SYS_umount2,
                          SYS_pivot_root,
                          SYS_chroot,
                          SYS_move_mount,
                          SYS_open_tree,
                          SYS_fsopen,
                          SYS_fsconfig,
                          SYS_fsmount,
                          SYS_fspick,
                          SYS_bpf,
                          SYS_perf_event_open,
                          SYS_userfaultfd,
                          SYS_keyctl,
                          SYS_add_key,
                          SYS_request_key,
                          SYS_kexec_load,
                          SYS_kexec_file_load,
                          SYS_init_module,
                          SYS_finit_module,
                          SYS_delete_module,
                          SYS_reboot,
                          SYS_swapon,
                          SYS_swapoff,
                          SYS_acct,
                          SYS_quotactl,
                          SYS_syslog,
                          SYS_sethostname,
                          SYS_setdomainname,
                          SYS_settimeofday,
                          SYS_clock_settime,
                          SYS_adjtimex,
                          SYS_clock_adjtime,
                          SYS_open_by_handle_at,
                          SYS_io_uring_setup,
                          SYS_connect,
                          SYS_inotify_add_watch,  // of what happens to files that it cannot read
                          SYS_fanotify_init,
                          SYS_fanotify_mark,
                          SYS_shmget,
                          SYS_shmat,
                          SYS_shmctl,
                          SYS_msgget,
                          SYS_msgsnd,
                          SYS_msgrcv,
                          SYS_msgctl,
                          SYS_semget,
                          SYS_semop,
                          SYS_semctl,
                          SYS_mq_open,
                          SYS_mq_unlink,
#ifdef __x86_64__
                          SYS_iopl,
                          SYS_ioperm,
#endif
                          438 /* pidfd_getfd */,
                          442 /* mount_setattr */})
    filter.refuse(call);
  // Datagrams need no connection to reach a socket that has a name among files.
  constexpr std::uint32_t kKindOfSocket = 0xf;
  for (const int call : {SYS_socket, SYS_socketpair}) {
    filter.refuse_unless(call, 0, AF_UNIX);
    for (const std::uint32_t kind : {SOCK_DGRAM, SOCK_RAW}) filter.refuse_where(call, 1, kKindOfSocket, kind);
  }
  // Of other processes; of other threads of its own, too.
  for (const long call : {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam,
                          SYS_sched_setattr, SYS_migrate_pages, SYS_move_pages})
    filter.refuse_unless(call, 0, 0);
  for (const long call : {SYS_setpriority, SYS_ioprio_set}) filter.refuse_unless(call, 1, 0);
  filter.enforce();
}

// Root keeps what lets it read and write the files of others, and nothing that reaches beyond files.
void give_up_capabilities() {
  constexpr std::uint32_t kOfFiles = 1U << CAP_CHOWN | 1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH |
                                     1U << CAP_FOWNER | 1U << CAP_FSETID;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) refuse_to_confine("asking for its capabilities");
  for (__user_cap_data_struct& set : sets) {
    const std::uint32_t kept = &set == sets.data() ? kOfFiles : 0;
    set = {set.effective & kept, set.permitted & kept, set.inheritable & kept};
  }
  // What it no longer has no program that it starts gets: PR_SET_NO_NEW_PRIVS.
  if (syscall(SYS_capset, &header, sets.data()) != 0) refuse_to_confine("giving up capabilities");
}

struct Settings {
  Sandbox sandbox;
  fs::path shared_temporary;  // of whoever set it: no scratch folder of a process
};

std::optional<Settings>& settings_of(Confined what) {
  constexpr std::size_t kKinds = 3;
  static std::array<std::optional<Settings>, kKinds> all;
  return all.at(static_cast<std::size_t>(what));
}

std::optional<Confined>& kind_of_programs() {
  static std::optional<Confined> kind;
  return kind;
}

fs::path temporary_folder() {
  std::error_code error;
  return fs::temp_directory_path(error);
}

bool is_switched_off() {
  const char* const wanted = std::getenv("TAILWAVE_SANDBOX");
  return wanted != nullptr && std::string_view(wanted) == "off";
}

constexpr std::array kSystemToRead{"/usr",
                                   "/bin",
                                   "/sbin",
                                   "/lib",
                                   "/lib32",
                                   "/lib64",
                                   "/libx32",
                                   "/opt",
                                   "/nix/store",
                                   "/gnu/store",
                                   "/proc",
                                   "/sys",
                                   "/dev/random",
                                   "/dev/urandom",
                                   "/run/opengl-driver",
                                   "/etc/alternatives",
                                   "/etc/group",
                                   "/etc/ld.so.cache",
                                   "/etc/ld.so.conf",
                                   "/etc/ld.so.conf.d",
                                   "/etc/localtime",
                                   "/etc/nsswitch.conf",
                                   "/etc/passwd"};
constexpr std::array kSystemToWrite{"/dev/null", "/dev/zero", "/dev/full"};

void restrict_files(int version, const Settings& settings) {
  const landlock::Rules rules(version);
  for (const char* path : kSystemToRead) rules.allow_reading(path);
  for (const char* path : kSystemToWrite) rules.allow_writing(path);
  for (const fs::path& path : settings.sandbox.read) rules.allow_reading(path);
  for (const fs::path& path : settings.sandbox.write) rules.allow_writing(path);
  if (const fs::path scratch = temporary_folder(); scratch != settings.shared_temporary)
    rules.allow_writing(scratch);
  rules.enforce();
}

std::string why_no_landlock() {
  if (is_switched_off()) return "$TAILWAVE_SANDBOX is off";
  if (landlock::version() > 0) return "";
  return errno == EOPNOTSUPP ? "the kernel has Landlock, but it is not enabled"
                             : "the kernel has no Landlock";
}

}  // namespace

void set_sandbox(Confined what, Sandbox sandbox) {
  settings_of(what) = Settings{std::move(sandbox), temporary_folder()};
}

void extend_sandbox(Confined what, const Sandbox& more) {
  auto& settings = settings_of(what);
  if (!settings) return;
  const auto append = [](std::vector<fs::path>& to, const std::vector<fs::path>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(settings->sandbox.read, more.read);
  append(settings->sandbox.write, more.write);
  settings->sandbox.marks_files |= more.marks_files;
}

void enter_sandbox(Confined what) {
  static bool entered = false;
  const std::optional<Settings>& settings = settings_of(what);
  if (!settings || is_switched_off() || entered) return;
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  be_ended_first();
  limit_resources(settings->sandbox.limits);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse_to_confine("giving up new privileges");
  give_up_capabilities();
  if (const int version = landlock::version(); version > 0) restrict_files(version, *settings);
  if (CallFilter::is_available()) filter_calls(settings->sandbox.marks_files);
  entered = true;  // not where something was refused: then nothing may be started after all
}

void confine_programs(Confined what) {
  kind_of_programs() = what;
}

void enter_sandbox_of_programs() {
  const auto what = kind_of_programs();
  if (!what) return;
  // CUDA gives up where it cannot name its threads. Of the process that enters: another one's are not to be had.
  if (*what == Confined::device_code) extend_sandbox(*what, {.read = {}, .write = {"/proc/self/task"}});
  enter_sandbox(*what);
}

std::string sandbox_of_this_system() {
  const bool filters = CallFilter::is_available() && !is_switched_off();
  if (const std::string why = why_no_landlock(); !why.empty())
    return (filters ? "seccomp alone: " : "none: ") + why;
  return fmt::format("Landlock {}{}", landlock::version(), filters ? ", seccomp" : "");
}

std::string sandbox_gap() {
  if (const std::string why_none = why_no_landlock(); !why_none.empty())
    return "what compilers and the code that is measured read and write is not confined: " + why_none;
  const int version = landlock::version();
  if (!CallFilter::is_available()) return "the network is not out of their reach: the kernel has no seccomp";
  if (version < landlock::kWithTruncate)
    return fmt::format("code can empty files and send signals to other processes: Landlock {} is too old",
                       version);
  if (version < landlock::kWithScopes)
    return fmt::format("code can send signals to other processes: Landlock {} is too old", version);
  return "";
}

}  // namespace tailwave
