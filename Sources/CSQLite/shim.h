#include <sqlite3.h>

/* Has SQLite keep no count of its memory, which nobody asks for: each allocation would take a lock for it. Call it before
   SQLite is used. sqlite3_config has arguments that Swift cannot pass. */
static inline int hoist_sqlite_uncounted(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
