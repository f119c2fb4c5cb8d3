#define _GNU_SOURCE
#include "CChild.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The most descriptors that a program is given.
enum { MOST_FILES = 8 };

// What a program is to become.
struct plan {
  char *const *words;
  int files[MOST_FILES];
  int count;
  int is_detached;
};

// Closes everything from this descriptor on when the program begins: sockets of uploads would stay open for as
// long as it runs.
static void close_others_on_exec(int first) {
#ifdef SYS_close_range
  // CLOSE_RANGE_CLOEXEC, Linux 5.11.
  if (syscall(SYS_close_range, (unsigned)first, ~0U, 4U) == 0) return;
#endif
  long most = sysconf(_SC_OPEN_MAX);
  if (most < 256) most = 256;
  if (most > 4096) most = 4096;
  for (int file = first; file < most; file++) fcntl(file, F_SETFD, FD_CLOEXEC);
}

// Between fork and exec: only async-signal-safe functions (signal-safety(7)), for other threads may have held
// any lock. Returns only where the program does not start.
static void become(struct plan *plan, pid_t parent) {
  if (plan->is_detached) {
    if (setsid() < 0) return;
  } else {
    setpgid(0, 0);
  }
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  if (!plan->is_detached) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // It may have ended before that.
    if (getppid() != parent) _exit(127);
  }
  // First out of the way of each other.
  for (int i = 0; i < plan->count; i++) {
    int file = plan->files[i] < 0 ? open("/dev/null", O_RDWR) : plan->files[i];
    plan->files[i] = fcntl(file, F_DUPFD, MOST_FILES);
    if (plan->files[i] < 0) return;
  }
  for (int i = 0; i < plan->count; i++) {
    if (dup2(plan->files[i], i) < 0) return;
  }
  close_others_on_exec(plan->count);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(plan->words[0], plan->words);
}

static int start(struct plan *plan, pid_t *process) {
  // Says why the program does not start; closed by its start.
  int ends[2];
  if (pipe(ends) != 0) return errno;
  // Out of the way of what the program is given.
  int writing = fcntl(ends[1], F_DUPFD_CLOEXEC, MOST_FILES);
  int reason = errno;
  close(ends[1]);
  if (writing < 0) {
    close(ends[0]);
    return reason;
  }
  ends[1] = writing;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);

  // No handler of ours may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    become(plan, parent);
    reason = errno;
    ssize_t ignored = write(ends[1], &reason, sizeof reason);
    (void)ignored;
    _exit(127);
  }
  reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return reason;
  }
  ssize_t count;
  do count = read(ends[0], &reason, sizeof reason);
  while (count < 0 && errno == EINTR);
  close(ends[0]);
  *process = child;
  return count == sizeof reason ? reason : 0;
}

int child_start(char *const words[], int output, int errors, pid_t *process) {
  // Nothing on its standard input.
  struct plan plan = {.words = words, .files = {-1, output, errors}, .count = 3};
  return start(&plan, process);
}

// Between fork and exit: only async-signal-safe functions, as in `become`.
static void stand_by(int parent, const char *from, const char *to) {
  setsid();
  // Whatever is open here would stay open for as long as this waits: sockets, locks, the other end of the pipe.
  if (dup2(parent, 0) < 0) return;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 1U, ~0U, 0U) != 0)
#endif
    for (long file = 1, most = sysconf(_SC_OPEN_MAX); file < most; file++) close(file);
  char byte;
  ssize_t count;
  do count = read(0, &byte, 1);
  while (count < 0 && errno == EINTR);
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return;
  // Some network file systems cannot do that.
  if ((errno == EINVAL || errno == ENOSYS) && access(to, F_OK) != 0) rename(from, to);
}

int child_rename_later(const char *from, const char *to, int *end, pid_t *process) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  // All signals stay blocked in the child, so that what ends this process does not end both.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0) {
    stand_by(ends[0], from, to);
    _exit(0);
  }
  int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[0]);
  if (child < 0) {
    close(ends[1]);
    return reason;
  }
  (*end) = ends[1];
  (*process) = child;
  return 0;
}

int child_detach(char *const words[], const int files[], int count, pid_t *process) {
  if (count > MOST_FILES) return EINVAL;
  struct plan plan = {.words = words, .count = count, .is_detached = 1};
  for (int i = 0; i < count; i++) plan.files[i] = files[i];
  return start(&plan, process);
}
