// What has to happen to a terminal in a signal handler, where Swift must not run: nothing here
// allocates, locks, or calls anything but async-signal-safe functions (signal-safety(7)).
#ifndef HOIST_CTERMINALRESCUE_H
#define HOIST_CTERMINALRESCUE_H

#include <stddef.h>
#include <termios.h>

// From now on, when the program crashes (SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE,
// SIGQUIT) or calls exit(), write `bytes` to `fd` and give it the settings `saved`; after that a crash goes on
// as it would have without this. At most 512 bytes. Returns 0, or -1 with errno.
int rescue_arm(int fd, const struct termios *saved, const char *bytes, size_t count);

// The terminal has been restored in an orderly way: do nothing when the program ends.
void rescue_disarm(void);

// From now on each signal in `numbers` is written as one byte to a pipe, and does nothing else. But where
// signals_close does not follow within ten seconds of a SIGTERM, SIGHUP or SIGINT, the program ends with
// status 130, for it may be waiting for a terminal that takes nothing. Returns the pipe's reading end, non-blocking, or -1 with errno.
int signals_open(const int *numbers, size_t count);

// Gives the signals back what they did before; once a SIGHUP has come, others are ignored. The pipe stays, for
// the next signals_open.
void signals_close(void);

// Stops the process group as the terminal's ^Z would; returns when it goes on. SIGTSTP must be among
// the numbers given to signals_open.
void signals_stop(void);

#endif
