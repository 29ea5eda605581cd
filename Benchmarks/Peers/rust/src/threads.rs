//! Rows on threads: Rayon's pool, parking_lot's locks, crossbeam's channel.

use crate::measure::{compute, consume, in_batches, on_threads, Perform};
use parking_lot::{Condvar, Mutex, RwLock};
use rayon::prelude::*;

type Function = Box<dyn FnOnce() + Send>;

/// One thread calls the functions that another sends.
pub fn serial() -> Perform {
    let (mailbox, functions) = crossbeam_channel::unbounded::<Function>();
    let (done, wait) = crossbeam_channel::bounded(1);
    std::thread::spawn(move || functions.iter().for_each(|function| function()));
    Box::new(move |operations| {
        in_batches(operations, |batch| {
            for number in 0..batch {
                mailbox.send(Box::new(move || consume(number))).unwrap();
            }
            let done = done.clone();
            mailbox
                .send(Box::new(move || done.send(()).unwrap()))
                .unwrap();
            wait.recv().unwrap();
        })
    })
}

/// The main thread, which is none of the pool's, starts the jobs and waits.
pub fn spawn() -> Perform {
    Box::new(|operations| {
        in_batches(operations, |batch| {
            rayon::in_place_scope(|scope| {
                (0..batch).for_each(|number| scope.spawn(move |_| consume(number)))
            })
        })
    })
}

/// A thread of the pool starts the jobs; the main thread waits.
pub fn spawn_inside() -> Perform {
    Box::new(|operations| {
        in_batches(operations, |batch| {
            rayon::scope(|scope| {
                (0..batch).for_each(|number| scope.spawn(move |_| consume(number)))
            })
        })
    })
}

pub fn lock() -> Perform {
    let tally = Mutex::new(0usize);
    Box::new(move |operations| (0..operations).for_each(|_| *tally.lock() += 1))
}

pub fn lock_contended() -> Perform {
    let tally = Mutex::new(0usize);
    Box::new(move |operations| {
        let each = (operations + 7) / 8;
        on_threads(8, |_| (0..each).for_each(|_| *tally.lock() += 1))
    })
}

/// Eight threads, nine reads to a write; each of them is an operation.
pub fn read_write_lock() -> Perform {
    let tally = RwLock::new(0usize);
    Box::new(move |operations| {
        let rounds = (operations + 79) / 80;
        on_threads(8, |_| {
            for _ in 0..rounds {
                (0..9).for_each(|_| consume(*tally.read()));
                *tally.write() += 1;
            }
        })
    })
}

/// A thousand bodies of 2 µs.
pub fn parallel() -> Perform {
    Box::new(|operations| {
        for _ in 0..operations {
            (0..1_000).into_par_iter().for_each(|_| compute(1_860));
        }
    })
}

/// A turn given from one thread to another.
pub fn condition() -> Perform {
    Box::new(|operations| {
        let (turn, condition, each) = (Mutex::new(0), Condvar::new(), (operations + 1) / 2);
        on_threads(2, |own| {
            let mut turn = turn.lock();
            for _ in 0..each {
                while *turn & 1 != own {
                    condition.wait(&mut turn);
                }
                *turn += 1;
                condition.notify_one();
            }
        })
    })
}

/// A thread made and joined.
pub fn thread() -> Perform {
    Box::new(|operations| (0..operations).for_each(|_| std::thread::spawn(|| {}).join().unwrap()))
}
