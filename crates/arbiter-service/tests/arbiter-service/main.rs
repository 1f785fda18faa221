//! The service over the loopback: hosts, arbiters and voters in one process, each with sockets and threads of its own. Nothing here depends on how fast the machine
//! is: a slot that nobody had time for is one that is wanted again.

mod bad_input;
mod hosts;

use arbiter_service::{ServiceError, Task};
use settings::Flat;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

/// Long enough for any machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn flat(json: &str) -> Flat {
    Flat::parse(json).expect("JSON")
}

/// A port of the loopback that was free a moment ago.
fn free_address() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.local_addr().expect("an address").to_string()
}

/// Waits until something is so.
#[allow(clippy::disallowed_methods, reason = "waits for other threads")]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "not so: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits for the end of something that ends well.
fn ended<R: Clone + Send + 'static>(task: &Task<R>) -> R {
    let outcome: Option<Result<(), ServiceError>> = task.wait(PATIENCE);
    assert_eq!(outcome, Some(Ok(())));
    task.report()
}
