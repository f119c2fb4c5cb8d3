// ncurses with wide characters. Macros and globals that Swift cannot import get an inline function.
#ifndef HOIST_CNCURSES_H
#define HOIST_CNCURSES_H
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <wchar.h>

static inline WINDOW *curses_screen(void) { return stdscr; }
static inline FILE *curses_stdout(void) { return stdout; }

// A capability with numbers in place of its parameters.
static inline const char *curses_fill(const char *capability, int first, int second) {
  const char *filled = tiparm(capability, first, second);
  return filled ? filled : "";
}

// How many columns the C library, and so ncurses, gives a character; -1 where it does not know it.
// <wchar.h> hides wcwidth without _XOPEN_SOURCE, which is not ours to define for all of Foundation.
extern int wcwidth(wchar_t);
static inline int curses_columns(wchar_t character) { return wcwidth(character); }

static inline int curses_is_utf8(void) {
  const char *set = nl_langinfo(CODESET);
  return set[0] == 'U' && set[1] == 'T' && set[2] == 'F' && set[3] == '-' && set[4] == '8';
}

static inline int curses_window_size(int fd, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

#endif
