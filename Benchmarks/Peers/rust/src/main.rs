//! The rows of Documentation/Peers.md on Tokio, Rayon, parking_lot, crossbeam-channel and Rust's
//! own threads. Each states what one operation is where its name does not.

mod asynchronous;
mod measure;
mod threads;

fn main() {
    measure::run(&[
        ("serial/Tokio", asynchronous::serial),
        ("serial/crossbeam-channel", threads::serial),
        ("spawn/Tokio", asynchronous::spawn),
        ("spawn/Rayon", threads::spawn),
        ("spawn-inside/Tokio", asynchronous::spawn_inside),
        ("spawn-inside/Rayon", threads::spawn_inside),
        ("hop/Tokio", asynchronous::hop),
        ("lock/parking_lot", threads::lock),
        ("lock-8-threads/parking_lot", threads::lock_contended),
        ("rwlock-8-threads/parking_lot", threads::read_write_lock),
        ("timer/Tokio", asynchronous::timer),
        ("pipe/Tokio", asynchronous::pipe),
        ("parallel/Rayon", threads::parallel),
        ("condition/parking_lot", threads::condition),
        ("thread/std", threads::thread),
    ]);
}
