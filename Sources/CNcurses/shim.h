// ncurses with wide characters. Macros and globals that Swift cannot import get an inline function.
#ifndef HOIST_CNCURSES_H
#define HOIST_CNCURSES_H
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <wchar.h>

// Of <term.h>, which makes macros of names such as `lines` and `columns`.
struct term;
extern int setupterm(const char *, int, int *);
extern struct term *set_curterm(struct term *);
extern int del_curterm(struct term *);
extern const char *const boolnames[];
extern const char *const numnames[];
extern const char *const strnames[];

// The names of the capabilities in the order in which a description has them; NULL after the last.
static inline const char *curses_flag_name(int index) { return boolnames[index]; }
static inline const char *curses_number_name(int index) { return numnames[index]; }
static inline const char *curses_string_name(int index) { return strnames[index]; }

// Reads the description of a terminal of this type. Returns 0, or -1 if there is none.
static inline int curses_describe(const char *type, int fd) {
  int found;
  return setupterm(type, fd, &found) == OK ? 0 : -1;
}

static inline void curses_forget_description(void) {
  struct term *described = set_curterm(NULL);
  if (described) del_curterm(described);
}

static inline attr_t curses_bold(void) { return A_BOLD; }
static inline attr_t curses_dim(void) { return A_DIM; }
static inline attr_t curses_underline(void) { return A_UNDERLINE; }
static inline attr_t curses_reverse(void) { return A_REVERSE; }

// From 6.5 on, ncurses hides what is in a window. Swift then has no type WINDOW, but one for a pointer to it.
typedef WINDOW *curses_window;

static inline curses_window curses_screen(void) { return stdscr; }

// A capability with numbers in place of its parameters.
static inline const char *curses_fill(const char *capability, int first, int second) {
  const char *filled = tiparm(capability, first, second);
  return filled ? filled : "";
}

// How many columns the C library, and so ncurses, gives a character; -1 where it does not know it.
// <wchar.h> hides wcwidth without _XOPEN_SOURCE, which is not ours to define for all of Foundation.
extern int wcwidth(wchar_t);
static inline int curses_columns(wchar_t character) { return wcwidth(character); }

// Makes a cell of a character and up to two marks on it, which are 0 if there are fewer.
static inline void curses_fill_cell(cchar_t *cell, unsigned base, unsigned mark, unsigned second_mark,
                                    attr_t attributes, int pair) {
  const wchar_t text[] = {(wchar_t)base, (wchar_t)mark, (wchar_t)second_mark, 0};
  setcchar(cell, text, attributes, 0, &pair);
}

static inline int curses_is_utf8(void) {
  const char *set = nl_langinfo(CODESET);
  return set[0] == 'U' && set[1] == 'T' && set[2] == 'F' && set[3] == '-' && set[4] == '8';
}

// Of Linux, which the headers hide without _GNU_SOURCE.
extern int memfd_create(const char *, unsigned);
extern int dup3(int, int, int);

// A file in memory; -1 if there are no more descriptors. Programs that are started do not inherit it.
static inline int curses_memory(void) { return memfd_create("frame", 1 /* MFD_CLOEXEC */); }

// Makes a descriptor lead to where another one does.
static inline void curses_redirect(int fd, int to) { dup3(to, fd, O_CLOEXEC); }

// How many bytes can be read.
static inline int curses_waiting(int fd) {
  int count;
  return ioctl(fd, FIONREAD, &count) == 0 ? count : 0;
}

static inline int curses_window_size(int fd, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

#endif
