// ncurses with wide characters. Macros that Swift cannot import get an inline function here.
#ifndef HOIST_CNCURSES_H
#define HOIST_CNCURSES_H
#define NCURSES_WIDECHAR 1
#include <curses.h>
#endif
