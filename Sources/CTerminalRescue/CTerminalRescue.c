#include "CTerminalRescue.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Rescue: the terminal as it was, for programs that do not end well.

static volatile sig_atomic_t armed;
static int rescue_fd;
static struct termios rescue_saved;
static char rescue_bytes[512];
static size_t rescue_count;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT};
#define CRASHES (sizeof crashes / sizeof crashes[0])
static struct sigaction before_crash[CRASHES];

static void rescue(void) {
  if (!armed) return;
  armed = 0;
  size_t at = 0;
  while (at < rescue_count) {
    ssize_t wrote = write(rescue_fd, rescue_bytes + at, rescue_count - at);
    if (wrote > 0) at += (size_t)wrote;
    else if (wrote < 0 && errno == EINTR) continue;
    else break;
  }
  // Answers of the terminal that are still unread would be typed into the shell.
  tcflush(rescue_fd, TCIFLUSH);
  tcsetattr(rescue_fd, TCSANOW, &rescue_saved);
}

static void crashed(int number, siginfo_t *info, void *context) {
  rescue();
  // The handler that was there before ours, such as the Swift backtracer, runs now and sees the fault
  // as it was.
  for (size_t i = 0; i < CRASHES; i++) {
    if (crashes[i] != number) continue;
    const struct sigaction *next = &before_crash[i];
    if (next->sa_flags & SA_SIGINFO) next->sa_sigaction(number, info, context);
    else if (next->sa_handler != SIG_DFL && next->sa_handler != SIG_IGN) next->sa_handler(number);
  }
  // A fault would happen again; a signal that another program sent would not, and hoist would go on
  // and draw over the shell.
  signal(number, SIG_DFL);
  raise(number);
}

int rescue_arm(int fd, const struct termios *saved, const char *bytes, size_t count) {
  static int installed;
  // A crash by stack overflow leaves no stack to run a handler on.
  static char stack[64 * 1024];
  if (count > sizeof rescue_bytes) {
    errno = EINVAL;
    return -1;
  }
  armed = 0;
  rescue_fd = fd;
  rescue_saved = *saved;
  memcpy(rescue_bytes, bytes, count);
  rescue_count = count;
  if (!installed) {
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    // Nothing else is blocked: the Swift backtracer reads memory that may fault.
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&alternative, NULL) != 0) return -1;
    for (size_t i = 0; i < CRASHES; i++) {
      if (sigaction(crashes[i], &action, &before_crash[i]) != 0) return -1;
    }
    if (atexit(rescue) != 0 || at_quick_exit(rescue) != 0) return -1;
    installed = 1;
  }
  armed = 1;
  return 0;
}

void rescue_disarm(void) { armed = 0; }

// Signals as bytes in a pipe, so that they are handled where everything else is.

#define MOST_SIGNALS 16
static int pipe_ends[2] = {-1, -1};
static int numbers[MOST_SIGNALS];
static struct sigaction before[MOST_SIGNALS];
static size_t number_count;
// Whether the terminal is known to be gone.
static volatile sig_atomic_t has_hung_up;

// A terminal that takes nothing, such as one whose line hangs, keeps the program that writes to it from
// hearing of anything: then there is no orderly way to leave.

#define PATIENCE 10

static void given_up(int number) {
  (void)number;
  int flags = fcntl(rescue_fd, F_GETFL);
  if (flags >= 0) fcntl(rescue_fd, F_SETFL, flags | O_NONBLOCK);
  rescue();
  if (flags >= 0) fcntl(rescue_fd, F_SETFL, flags);
  _exit(130);
}

static void caught(int number) {
  int saved = errno;
  if (number == SIGTERM || number == SIGHUP || number == SIGINT) alarm(PATIENCE);
  if (number == SIGHUP) has_hung_up = 1;
  unsigned char byte = (unsigned char)number;
  // A full pipe holds enough of the same news.
  if (write(pipe_ends[1], &byte, 1) < 0) errno = saved;
  errno = saved;
}

static int catch_signal(int number, struct sigaction *old) {
  struct sigaction action = {.sa_handler = caught, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, old);
}

int signals_open(const int *wanted, size_t count) {
  if (number_count > 0 || count > MOST_SIGNALS) {
    errno = EINVAL;
    return -1;
  }
  if (pipe_ends[0] < 0 && pipe(pipe_ends) != 0) return -1;
  for (int i = 0; i < 2; i++) {
    fcntl(pipe_ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(pipe_ends[i], F_SETFL, O_NONBLOCK);
  }
  struct sigaction limit = {.sa_handler = given_up};
  sigemptyset(&limit.sa_mask);
  if (sigaction(SIGALRM, &limit, NULL) != 0) return -1;
  for (number_count = 0; number_count < count; number_count++) {
    numbers[number_count] = wanted[number_count];
    if (catch_signal(wanted[number_count], &before[number_count]) != 0) {
      int why = errno;
      signals_close();
      errno = why;
      return -1;
    }
  }
  return pipe_ends[0];
}

void signals_close(void) {
  alarm(0);
  for (size_t i = 0; i < number_count; i++) {
    // The shell repeats what the kernel has said, and must not end what is being put in order meanwhile.
    if (numbers[i] == SIGHUP && has_hung_up) before[i].sa_handler = SIG_IGN;
    sigaction(numbers[i], &before[i], NULL);
  }
  number_count = 0;
}

void signals_stop(void) {
  struct sigaction normal = {.sa_handler = SIG_DFL};
  sigemptyset(&normal.sa_mask);
  sigaction(SIGTSTP, &normal, NULL);
  kill(0, SIGTSTP);
  // Another thread may have been chosen to take the signal: do not go on before it has.
  struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
  nanosleep(&moment, NULL);
  catch_signal(SIGTSTP, NULL);
}
