// Preloaded into hoist: each sync takes 10 ms longer, as on a slow disk. How many there were is written to $SYNCS at the
// end. The program that starts hoist has it preloaded as well, and syncs nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int count;

static int synced(const char *name, int descriptor) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  atomic_fetch_add(&count, 1);
  int status = real(descriptor);
  usleep(10000);
  return status;
}

int fsync(int descriptor) { return synced("fsync", descriptor); }
int fdatasync(int descriptor) { return synced("fdatasync", descriptor); }

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("SYNCS");
  FILE *file = path && count ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%d\n", count);
  fclose(file);
}
