#ifndef HOIST_CCOMMIT_H
#define HOIST_CCOMMIT_H

/// The commit that the program was built from; empty if the build was not told which.
const char *hoist_commit(void);

#endif
