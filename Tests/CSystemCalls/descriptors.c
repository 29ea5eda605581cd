// Descriptors for tests of sources. All are close-on-exec, because a child program that starts at
// the same time would otherwise keep the other end open.
#define _GNU_SOURCE
#include "CSystemCalls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

int csc_pipe(int *ends) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

int csc_socket_pair(int *ends, int datagrams) {
  int type = (datagrams ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC;
  return socketpair(AF_UNIX, type, 0, ends) == 0 ? 0 : errno;
}

int csc_terminal(int *ends) {
  char name[128];
  ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends[0] < 0) return errno;
  ends[1] = -1;
  if (grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0 &&
      ptsname_r(ends[0], name, sizeof name) == 0) {
    ends[1] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  if (ends[1] >= 0) return 0;
  int error = errno;
  close(ends[0]);
  return error;
}

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((uint16_t)port);
  return address;
}

int csc_listener(int *listener, int *port) {
  *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*listener < 0) return errno;
  struct sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  if (bind(*listener, (struct sockaddr *)&address, sizeof address) == 0 &&
      listen(*listener, 16) == 0 &&
      getsockname(*listener, (struct sockaddr *)&address, &length) == 0) {
    *port = ntohs(address.sin_port);
    return 0;
  }
  int error = errno;
  close(*listener);
  return error;
}

int csc_connect(int *connected, int port) {
  *connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*connected < 0) return errno;
  struct sockaddr_in address = loopback(port);
  if (connect(*connected, (struct sockaddr *)&address, sizeof address) == 0) return 0;
  int error = errno;
  close(*connected);
  return error;
}

int csc_bytes_on_their_way(int socket) {
  int count = 0;
  return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
}

int csc_event_descriptor(unsigned int count) { return eventfd(count, EFD_CLOEXEC); }

int csc_bytes_available(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

int csc_never_wait(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 ? 0 : errno;
}

int csc_poll_set(void) { return epoll_create1(EPOLL_CLOEXEC); }

int csc_poll_add(int set, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

int csc_poll(int set, int milliseconds) {
  struct epoll_event events[64];
  int count;
  do count = epoll_wait(set, events, 64, milliseconds);
  while (count < 0 && errno == EINTR);
  return count;
}

long csc_limit_descriptors(unsigned long count) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  limit.rlim_cur = count == 0 ? limit.rlim_max : count;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  return (long)limit.rlim_cur;
}
