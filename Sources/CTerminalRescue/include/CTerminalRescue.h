// What must be done to a terminal in a signal handler, where Swift must not run. Nothing here allocates, locks, or
// calls anything but async-signal-safe functions (signal-safety(7)).
#ifndef HOIST_CTERMINALRESCUE_H
#define HOIST_CTERMINALRESCUE_H

#include <stddef.h>
#include <termios.h>

// From now on, when the program crashes (SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT) or calls exit() or
// quick_exit(), `bytes` are written to `fd`, and it gets back the settings `saved`. After that, a crash takes the same
// course as without this. `count` is at most 512. Returns 0, or -1 with errno.
int rescue_arm(int fd, const struct termios *saved, const char *bytes, size_t count);

// Call this once the terminal has been restored in an orderly way: nothing more is done to it when the program ends.
void rescue_disarm(void);

// From now on, each signal in `numbers` is written to a pipe as one byte, and does nothing else. But if signals_close
// is not called within ten seconds of a SIGTERM, SIGHUP or SIGINT, the program ends with status 130, since it may be
// stuck writing to a terminal that accepts nothing. Returns the pipe's reading end, which does not block, or -1 with
// errno.
int signals_open(const int *numbers, size_t count);

// Restores what the signals did before, except that further SIGHUPs are ignored once one has come. The pipe stays open
// for the next signals_open.
void signals_close(void);

// Stops the process group as the terminal's ^Z would, and returns when it resumes. SIGTSTP must be among the numbers
// given to signals_open.
void signals_stop(void);

#endif
