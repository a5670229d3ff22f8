/* Landlock for files (landlock(7), Linux 5.13) and a seccomp filter for the rest (seccomp(2)).
 *
 * Landlock forbids by path what was not allowed; the filter, a list of system calls that a
 * simulation has no use for, answers "not permitted". The list is no fence of its own: files are
 * Landlock's business, and what is neither on the list nor a file is harmless by itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // O_PATH, syscall
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of later versions of the header; only asked for where the kernel knows them. */
enum { ACCESS_REFER_BIT = 13, ACCESS_TRUNCATE_BIT = 14, ACCESS_IOCTL_BIT = 15 };

#if defined(__x86_64__)
enum { SANDBOX_ARCH_KNOWN = 1 };
static const uint32_t SANDBOX_ARCH = AUDIT_ARCH_X86_64, SANDBOX_OTHER_CALLS = 0x40000000; // x32
#elif defined(__aarch64__)
enum { SANDBOX_ARCH_KNOWN = 1 };
static const uint32_t SANDBOX_ARCH = AUDIT_ARCH_AARCH64, SANDBOX_OTHER_CALLS = 0x80000000;
#else
enum { SANDBOX_ARCH_KNOWN = 0 };
static const uint32_t SANDBOX_ARCH = 0, SANDBOX_OTHER_CALLS = 0;
#endif

/* ---- files ----------------------------------------------------------------------------------- */

static const uint64_t OF_FILES = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                 LANDLOCK_ACCESS_FS_READ_FILE | 1u << ACCESS_TRUNCATE_BIT |
                                 1u << ACCESS_IOCTL_BIT;
static const uint64_t READING = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t WRITING = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                                LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                                LANDLOCK_ACCESS_FS_REMOVE_FILE | 1u << ACCESS_TRUNCATE_BIT;

/* What this kernel can forbid: its version of the interface says how many kinds of access. */
static uint64_t handled_by(long version)
{
    int bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    return ((uint64_t)1 << bits) - 1;
}

/* Allow it below a path; one that is not there needs no leave. */
static bool allow(int rules, const char *path, uint64_t access)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat st;
    if (fd < 0) return errno == ENOENT || errno == EACCES || errno == ENOTDIR;
    if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode)) access &= OF_FILES;
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = fd};
    bool ok =
        !access || !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(fd);
    return ok;
}

static bool allow_folder_of(int rules, const char *path, uint64_t access)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (!slash) return allow(rules, ".", access);
    snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return allow(rules, folder, access);
}

/* A device or a pipe is written in place; a file is made beside and renamed. */
static bool allow_output(int rules, const char *path, uint64_t access)
{
    struct stat st;
    bool direct = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    return direct ? allow(rules, path, access) : allow_folder_of(rules, path, access);
}

static const char *forbid_files(const sandbox *s)
{
    static const char *const system_reads[] = {"/usr",      "/lib",         "/lib64",    "/etc",
                                               "/dev/null", "/dev/urandom", "/proc/self"};
    long version =
        syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return "this kernel has no Landlock, or it is switched off";
    uint64_t handled = handled_by(version);
    struct landlock_ruleset_attr all = {.handled_access_fs = handled};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0) return "Landlock makes no rules";
    bool ok = true;
    for (size_t i = 0; i < sizeof system_reads / sizeof *system_reads; i++)
        ok = ok && allow(rules, system_reads[i], READING & handled);
    for (int i = 0; i < s->n_reads; i++) ok = ok && allow(rules, s->reads[i], READING & handled);
    for (int i = 0; i < s->n_writes; i++)
        ok = ok && allow_output(rules, s->writes[i], WRITING & handled);
    if (ok) ok = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return ok ? NULL : "Landlock does not take the rules";
}

/* ---- system calls ---------------------------------------------------------------------------- */

/* Processes, other programs, network, other processes' memory, permissions, mounts, the kernel. */
static const int forbidden[] = {
    SYS_execve,
    SYS_execveat,
    SYS_clone3,
    SYS_unshare,
    SYS_setns,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kill,
    SYS_tkill,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_fchown,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_utimensat,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_mknodat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_io_uring_setup,
    SYS_open_by_handle_at,
    SYS_init_module,
    SYS_finit_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_setuid,
    SYS_setgid,
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_link,
    SYS_symlink,
    SYS_mknod,
    SYS_utime,
    SYS_utimes,
#endif
};
enum { FORBIDDEN = sizeof forbidden / sizeof *forbidden };

static const char *forbid_calls(void)
{
    enum {
        AT_ARCH = offsetof(struct seccomp_data, arch),
        AT_CALL = offsetof(struct seccomp_data, nr)
    };
    enum { AT_PROTECTION = offsetof(struct seccomp_data, args) + 2 * sizeof(uint64_t) }; // low half
    enum { AT_FLAGS = offsetof(struct seccomp_data, args) };
    const uint32_t no = SECCOMP_RET_ERRNO | EPERM, none = SECCOMP_RET_ERRNO | ENOSYS;
    const uint32_t both = PROT_WRITE | PROT_EXEC;
    struct sock_filter f[2 * FORBIDDEN + 40];
    unsigned n = 0;
#define PUT(code, k, yes, no_) f[n++] = (struct sock_filter){(unsigned short)(code), yes, no_, k}
#define LOAD(at)               PUT(BPF_LD | BPF_W | BPF_ABS, at, 0, 0)
#define GIVE(value)            PUT(BPF_RET | BPF_K, value, 0, 0)
    LOAD(AT_ARCH);
    PUT(BPF_JMP | BPF_JEQ | BPF_K, SANDBOX_ARCH, 1, 0);
    GIVE(SECCOMP_RET_KILL_PROCESS);
    LOAD(AT_CALL);
    PUT(BPF_JMP | BPF_JGE | BPF_K, SANDBOX_OTHER_CALLS, 0, 1);
    GIVE(SECCOMP_RET_KILL_PROCESS);
    for (int i = 0; i < FORBIDDEN; i++) {
        PUT(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)forbidden[i], 0, 1);
        GIVE(forbidden[i] == SYS_clone3 ? none : no); // a C library tries clone instead
    }
    // clone makes threads, nothing else
    PUT(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    LOAD(AT_FLAGS);
    PUT(BPF_JMP | BPF_JSET | BPF_K, 0x00010000 /* CLONE_THREAD */, 1, 0);
    GIVE(no);
    GIVE(SECCOMP_RET_ALLOW);
    // no memory is writable and executable at once
    PUT(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0);
    PUT(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4);
    LOAD(AT_PROTECTION);
    PUT(BPF_ALU | BPF_AND | BPF_K, both, 0, 0);
    PUT(BPF_JMP | BPF_JEQ | BPF_K, both, 0, 1);
    GIVE(no);
    GIVE(SECCOMP_RET_ALLOW);
#undef PUT
#undef LOAD
#undef GIVE
    struct sock_fprog program = {.len = (unsigned short)n, .filter = f};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return "seccomp takes no filter";
    return NULL;
}

const char *sandbox_enter(const sandbox *s)
{
    if (!SANDBOX_ARCH_KNOWN) return "the system calls of this processor are not known here";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return "privileges cannot be given up";
    const char *why = forbid_files(s);
    return why ? why : forbid_calls();
}
