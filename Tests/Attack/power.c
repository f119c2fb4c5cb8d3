/* Preloaded into hoist: after each sync of a file in $POWER_FOLDER, its content is copied into $POWER_SYNCED, under its
   last name. That is what a loss of power would certainly leave. Each sync takes 10 ms more, as on a slow disk, so that
   a loss often comes before one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void keep(int descriptor) {
    const char *folder = getenv("POWER_FOLDER"), *synced = getenv("POWER_SYNCED");
    char link[64], path[4096], whole[8192], part[8192];
    if (!folder || !synced) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    const char *name = strrchr(path, '/');
    if (!name || strlen(folder) != (size_t)(name - path) || strncmp(path, folder, name - path) != 0) return;
    snprintf(whole, sizeof whole, "%s/%s", synced, name + 1);
    snprintf(part, sizeof part, "%s/%s.part", synced, name + 1);
    int from = open(link, O_RDONLY | O_CLOEXEC), to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    static const size_t most = 1 << 20;
    char *buffer = malloc(most);
    ssize_t got = -1;
    while (from >= 0 && to >= 0 && buffer && (got = read(from, buffer, most)) > 0)
        if (write(to, buffer, got) != got) { got = -1; break; }
    free(buffer);
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    /* A kill in the middle leaves the copy before, as if this sync had not come to its end. */
    if (got == 0) rename(part, whole);
}

static int synced(const char *name, int descriptor) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    usleep(10000);
    int status = real(descriptor);
    if (status == 0) keep(descriptor);
    return status;
}

int fsync(int descriptor) { return synced("fsync", descriptor); }
int fdatasync(int descriptor) { return synced("fdatasync", descriptor); }
