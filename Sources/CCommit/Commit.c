#include "CCommit.h"

// In C, since a macro may have a value there: a new commit compiles this file and nothing else.
const char *hoist_commit(void) { return HOIST_COMMIT; }
