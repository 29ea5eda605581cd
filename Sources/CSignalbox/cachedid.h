// cachedid.h — renews the thread number that the Swift runtime has kept, in a forked child.
//
// The runtime initializes a static property under a kernel lock (a priority-inheriting
// futex), whose word is the number of the thread that holds it. On each thread, the runtime asks
// the kernel for that number once and keeps it. The first thread of a forked child has another
// number, but the runtime still has the parent's. That is harmless until another thread waits for
// a property that the first one is initializing. Then the kernel must release the lock, and it
// refuses, because the word names a thread of the parent. The runtime tries again forever.
//
// No function renews what the runtime has kept, and no symbol names it. So the thread that forks
// notes where the thread-local variables of the runtime's library are. In the child, it looks for a
// word that contains its old number, writes its new one there, initializes something, and reads
// which number the lock holds during that. If the lock does not hold the new number, the word was
// something else, and the thread restores it.
//
// Touching    the noted place: the thread that forks, under the lock that is held across the fork.
//             The thread-local words: that thread, which is the only one of the child.
// Workaround  remove this file when the runtime asks for the number again after a fork. Until then,
//             `aChildsFirstThreadCreatesWhatAnotherAwaits` fails without it.
#pragma once

/// Notes what `csb_cached_id_renew` needs. The thread that forks calls it before the fork. Takes
/// the loader's lock.
void csb_cached_id_note(void);

/// Makes the runtime use the number that this thread has in the child.
void csb_cached_id_renew(void);
