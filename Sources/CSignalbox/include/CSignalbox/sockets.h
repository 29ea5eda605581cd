// sockets.h — listening and connecting sockets, for ports between processes.
// All are close-on-exec and non-blocking.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Room for an address of any family.
enum { CSB_ADDRESS_SIZE = 128 };

/// Creates a socket that listens at the address, or returns -errno. An Internet
/// socket can reuse an address whose last user has just ended.
int csb_socket_listen(int family, int type, int protocol, const void *_Nonnull address,
                      size_t size);

/// Makes a bound socket listen, if it doesn't already. Returns 0 or an errno.
int csb_socket_listen_on(int socket);

/// Creates a socket that is connected to the address, or is connecting: then
/// `*is_pending` is 1, and the socket becomes writable when that is done.
/// Returns -errno if the connection fails at once.
int csb_socket_connect(int family, int type, int protocol, const void *_Nonnull address,
                       size_t size, int *_Nonnull is_pending);

/// The result of a pending connection: 0 or an errno.
int csb_socket_error(int socket);

/// Accepts the next connection of a listening socket, or returns -errno.
int csb_socket_accept(int socket);

/// Accepts the next connection of a socket that belongs to the program and
/// keeps its blocking mode; or returns -errno.
int csb_socket_accept_waiting(int socket);

/// Duplicates the descriptor of a socket, or returns -errno.
int csb_socket_double(int socket);

/// Shuts a connection down in both directions; its descriptor stays open.
void csb_socket_shut(int socket);

/// Writes the address of the socket and returns its size, or -errno.
long csb_socket_address(int socket, void *_Nonnull address, size_t capacity);

/// If the Internet address has no host, fills in the host at the other end of
/// `socket`. Leaves other addresses unchanged.
void csb_socket_complete(int socket, void *_Nonnull address, size_t size);

/// Writes the first TCP address of a host, or the loopback address for NULL.
/// Returns its size, or 0 if there is none. May take as long as a name lookup.
long csb_socket_look_up(const char *_Nullable host, uint16_t port, int *_Nonnull family,
                        void *_Nonnull address, size_t capacity);
