// Starts programs as posix_spawn(3) cannot.
#ifndef HOIST_CCHILD_H
#define HOIST_CCHILD_H

#include <sys/types.h>

// Starts `words` (ended by a null pointer; the first is a path, or a name to be looked up on the PATH) with
// nothing on its standard input and these descriptors as its standard output and error; no other of ours stays
// open in it. It leads a process group of its own, and no signal is blocked or ignored. Returns 0 and its
// number, or an errno.
//
// It does not outlive this one: the system kills it when the thread that started it ends, however that ends
// (PR_SET_PDEATHSIG, prctl(2); on Linux only). The calling thread has to live for as long as the program may run.
int child_start(char *const words[], int output, int errors, pid_t *process);

// Starts `words` as a program that outlives this one: in a session of its own, without a terminal. These
// descriptors become its first ones, in their order; no other of ours stays open in it. No signal is blocked or
// ignored. Returns 0 and its number, or an errno.
int child_detach(char *const words[], const int files[], int count, pid_t *process);

#endif
