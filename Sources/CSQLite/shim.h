#include <sqlite3.h>

/* Keeps SQLite from counting its memory: nobody asks for the count, and each allocation would take a lock for it. Call
   this before SQLite is used. sqlite3_config has arguments that Swift cannot pass. */
static inline int hoist_sqlite_uncounted(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
