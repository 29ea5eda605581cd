#define _GNU_SOURCE
#include "CSignalbox/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { backlog = 128 };

static int open_socket(int family, int type, int protocol) {
  int made = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
  return made < 0 ? -errno : made;
}

static int is_internet(int family) { return family == AF_INET || family == AF_INET6; }

int csb_socket_listen(int family, int type, int protocol, const void *address, size_t size) {
  int made = open_socket(family, type, protocol);
  if (made < 0) return made;
  int on = 1;
  if (is_internet(family)) setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(made, address, (socklen_t)size) < 0 || listen(made, backlog) < 0) {
    int error = errno;
    close(made);
    return -error;
  }
  return made;
}

int csb_socket_listen_on(int socket) {
  int listens = 0;
  socklen_t length = sizeof listens;
  if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens) return 0;
  return listen(socket, backlog) < 0 ? errno : 0;
}

int csb_socket_connect(int family, int type, int protocol, const void *address, size_t size,
                       int *is_pending) {
  int made = open_socket(family, type, protocol);
  if (made < 0) return made;
  *is_pending = 0;
  if (connect(made, address, (socklen_t)size) == 0) return made;
  int error = errno;
  if (error == EINPROGRESS || error == EINTR) {
    *is_pending = 1;
    return made;
  }
  close(made);
  return -error;
}

int csb_socket_error(int socket) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? errno : error;
}

int csb_socket_accept(int socket) {
  // The socket may belong to the program and may be blocking.
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  int flags = fcntl(socket, F_GETFL);
  if (flags >= 0 && !(flags & O_NONBLOCK)) fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  int made = accept4(socket, (struct sockaddr *)&peer, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return made < 0 ? -errno : made;
}

int csb_socket_accept_waiting(int socket) {
  int made;
  do made = accept4(socket, NULL, NULL, SOCK_CLOEXEC);
  while (made < 0 && errno == EINTR);
  return made < 0 ? -errno : made;
}

int csb_socket_double(int socket) {
  int made = fcntl(socket, F_DUPFD_CLOEXEC, 0);
  return made < 0 ? -errno : made;
}

void csb_socket_shut(int socket) { shutdown(socket, SHUT_RDWR); }

long csb_socket_address(int socket, void *address, size_t capacity) {
  socklen_t length = (socklen_t)capacity;
  if (getsockname(socket, address, &length) < 0) return -(long)errno;
  return (long)(length < capacity ? length : capacity);
}

void csb_socket_complete(int socket, void *address, size_t size) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  if (getpeername(socket, (struct sockaddr *)&peer, &length) < 0) return;
  sa_family_t family;
  if (size < sizeof family) return;
  memcpy(&family, address, sizeof family);
  if (family != peer.ss_family) return;
  if (family == AF_INET && size == sizeof(struct sockaddr_in)) {
    struct sockaddr_in named;
    memcpy(&named, address, sizeof named);
    if (named.sin_addr.s_addr != htonl(INADDR_ANY)) return;
    named.sin_addr = ((struct sockaddr_in *)&peer)->sin_addr;
    memcpy(address, &named, sizeof named);
  } else if (family == AF_INET6 && size == sizeof(struct sockaddr_in6)) {
    struct sockaddr_in6 named;
    memcpy(&named, address, sizeof named);
    if (memcmp(&named.sin6_addr, &in6addr_any, sizeof in6addr_any) != 0) return;
    named.sin6_addr = ((struct sockaddr_in6 *)&peer)->sin6_addr;
    memcpy(address, &named, sizeof named);
  }
}

long csb_socket_look_up(const char *host, uint16_t port, int *family, void *address,
                        size_t capacity) {
  // Try IPv4 first: ports listen there by default.
  struct addrinfo hints = {
      .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  char service[8];
  snprintf(service, sizeof service, "%u", (unsigned)port);
  if (getaddrinfo(host, service, &hints, &found) != 0) {
    hints.ai_family = AF_UNSPEC;
    if (getaddrinfo(host, service, &hints, &found) != 0) return 0;
  }
  long size = 0;
  if (found && found->ai_addrlen <= capacity) {
    memcpy(address, found->ai_addr, found->ai_addrlen);
    *family = found->ai_family;
    size = (long)found->ai_addrlen;
  }
  freeaddrinfo(found);
  return size;
}
