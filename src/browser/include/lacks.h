/* What POSIX has and wasi-libc has not: it fails (lacks.c).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BROWSER_LACKS_H
#define BROWSER_LACKS_H

#ifndef F_DUPFD_CLOEXEC
#define F_DUPFD_CLOEXEC 1030
#endif

int fchmod(int fd, unsigned mode);
int getpid(void);
char *realpath(const char *path, char *real);

#endif
