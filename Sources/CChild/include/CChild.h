// Starts programs as posix_spawn(3) cannot.
#ifndef HOIST_CCHILD_H
#define HOIST_CCHILD_H

#include <sys/types.h>

// Starts a program. `words` are its path, or a name to look up on the PATH, then its arguments and a null pointer.
// Its standard input is empty, and these descriptors are its standard output and error; it inherits no others. It
// leads its own process group, and no signal is blocked or ignored in it. Returns 0 and stores the process ID, or
// returns an errno.
//
// The program does not outlive this process: the system kills it when the thread that started it ends for any reason
// (PR_SET_PDEATHSIG, prctl(2); on Linux only). So the calling thread must live for as long as the program may run.
int child_start(char *const words[], int output, int errors, pid_t *process);

// Starts a program that outlives this process, in its own session and without a terminal. `words` are as above. These
// descriptors become its 0, 1, 2 and so on; it inherits no others. No signal is blocked or ignored in it. Returns 0
// and stores the process ID, or returns an errno.
int child_detach(char *const words[], const int files[], int count, pid_t *process);

// Starts a copy of this process that waits until this one ends or closes the descriptor stored in `end`, and then
// renames a file, unless the new name is taken. Until then, the caller can take that back: it kills the process whose ID
// is stored, and waits for it. Returns 0, or an errno.
int child_rename_later(const char *from, const char *to, int *end, pid_t *process);

#endif
