#define _GNU_SOURCE
#include "CChild.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

// Closes everything but the first three when the program begins: sockets of uploads would stay open for as
// long as it runs.
static void close_others_on_exec(void) {
#ifdef SYS_close_range
  // CLOSE_RANGE_CLOEXEC, Linux 5.11.
  if (syscall(SYS_close_range, 3U, ~0U, 4U) == 0) return;
#endif
  long most = sysconf(_SC_OPEN_MAX);
  if (most < 256) most = 256;
  if (most > 4096) most = 4096;
  for (int file = 3; file < most; file++) fcntl(file, F_SETFD, FD_CLOEXEC);
}

// Between fork and exec: only async-signal-safe functions (signal-safety(7)), for other threads may have held
// any lock. Returns only where the program does not start.
static void become(char *const words[], int output, int errors, pid_t parent) {
  setpgid(0, 0);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have ended before that.
  if (getppid() != parent) _exit(127);
#endif
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0) return;
  if (dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0) return;
  close_others_on_exec();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(words[0], words);
}

int child_start(char *const words[], int output, int errors, pid_t *process) {
  // Says why the program does not start; closed by its start.
  int ends[2];
  if (pipe(ends) != 0) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);

  // No handler of ours may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    become(words, output, errors, parent);
    int reason = errno;
    ssize_t ignored = write(ends[1], &reason, sizeof reason);
    (void)ignored;
    _exit(127);
  }
  int reason = errno;
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
