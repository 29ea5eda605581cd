// sockets.h — sockets that listen and sockets that connect, for ports between processes: all
// close-on-exec, and none waits.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Room for an address of any family.
enum { CSB_ADDRESS_SIZE = 128 };

/// A socket that listens at the address, or -errno. One of the Internet takes over an address
/// whose last user ended just now.
int csb_socket_listen(int family, int type, int protocol, const void *_Nonnull address,
                      size_t size);

/// Has a socket that is bound listen, if it does not. Returns 0 or an errno.
int csb_socket_listen_on(int socket);

/// A socket that is connected to the address, or about to be: then `*is_pending` is 1 and it is
/// writable when that is over. -errno if that failed at once.
int csb_socket_connect(int family, int type, int protocol, const void *_Nonnull address,
                       size_t size, int *_Nonnull is_pending);

/// What became of a connection that was pending: 0 or an errno.
int csb_socket_error(int socket);

/// The next connection to a socket that listens, or -errno.
int csb_socket_accept(int socket);

/// The next connection to a socket that is the program's own, and stays as it is, waits as
/// it does; or -errno.
int csb_socket_accept_waiting(int socket);

/// A second number for the same socket, or -errno.
int csb_socket_double(int socket);

/// Ends a connection both ways; its number stays open.
void csb_socket_shut(int socket);

/// Writes the address of the socket, and returns its size; or -errno.
long csb_socket_address(int socket, void *_Nonnull address, size_t capacity);

/// An address of the Internet that names no machine is given that of the machine at the other
/// end of `socket`. Others are left alone.
void csb_socket_complete(int socket, void *_Nonnull address, size_t size);

/// Writes the first address of a host for TCP, or of any of this machine's for NULL. Returns
/// its size, or 0 if there is none. May take as long as names take to be looked up.
long csb_socket_look_up(const char *_Nullable host, uint16_t port, int *_Nonnull family,
                        void *_Nonnull address, size_t capacity);
