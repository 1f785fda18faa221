//! Datagrams as they come: a thread takes them from the socket, so that the kernel's buffer is emptied while others are being worked on.

use crate::wire::{Codec, LARGEST, Message, WireError};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Datagrams that wait for their turn, at most: what comes beyond is counted and dropped, as the kernel does when its buffer is full.
const WAITING: usize = 1 << 13;
/// Datagrams that are worked on at once, at most: the next slot does not wait for more.
const MOST_AT_ONCE: usize = 1 << 10;
/// How often the thread looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);

/// A datagram that has come.
#[derive(Debug)]
pub struct Received {
    /// From whom.
    pub from: SocketAddr,
    /// When it was read.
    pub at: Instant,
    /// What it says, or what is wrong with it.
    pub content: Result<Message, WireError>,
}

/// The thread, and what it has read.
#[derive(Debug)]
pub struct Intake {
    received: Receiver<Received>,
    ended: Arc<AtomicBool>,
    overruns: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
}

impl Intake {
    /// Reads from a socket until it is dropped.
    ///
    /// # Errors
    /// What the system says about the socket.
    pub fn start(socket: &UdpSocket, codec: Codec) -> io::Result<Intake> {
        let (socket, address) = (socket.try_clone()?, socket.local_addr()?);
        socket.set_read_timeout(Some(LOOK))?;
        let (sender, received) = sync_channel(WAITING);
        let (ended, overruns) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let (its_end, its_overruns) = (ended.clone(), overruns.clone());
        let thread = std::thread::Builder::new()
            .name("intake".to_owned())
            .spawn(move || read(&socket, &codec, &sender, &its_end, &its_overruns))?;
        Ok(Intake { received, ended, overruns, thread: Some(thread), address })
    }

    /// What has come, or if nothing has, the next datagram, if one comes before the time is up.
    pub fn gather(&self, most: Duration, received: &mut Vec<Received>) {
        if let Ok(first) = self.received.recv_timeout(most) {
            received.push(first);
            received.extend(self.received.try_iter().take(MOST_AT_ONCE - 1));
        }
    }

    /// Datagrams that found no room.
    pub fn overruns(&self) -> u64 {
        self.overruns.load(Relaxed)
    }

    /// Datagrams that the kernel dropped because the socket's buffer was full, where it tells: Linux, IPv4.
    pub fn kernel_drops(&self) -> Option<u64> {
        kernel_drops(&std::fs::read_to_string("/proc/net/udp").ok()?, self.address)
    }
}

impl Drop for Intake {
    fn drop(&mut self) {
        self.ended.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has nothing to say: what it read is in the channel.
            drop(thread.join());
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "hosts are real here, and so is time")]
fn read(socket: &UdpSocket, codec: &Codec, sender: &SyncSender<Received>, ended: &AtomicBool, overruns: &AtomicU64) {
    // One byte more, so that a datagram that is too long does not look like one that is just long enough.
    let mut buffer = [0; LARGEST + 1];
    while !ended.load(Relaxed) {
        let (length, from) = match socket.recv_from(&mut buffer) {
            Ok(read) => read,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => continue,
            // Nothing that a datagram can bring about ends the service; a host that is gone may answer with ICMP.
            Err(_gone) => {
                std::thread::yield_now();
                continue;
            }
        };
        let received = Received { from, at: Instant::now(), content: codec.decode(&buffer[..length]) };
        match sender.try_send(received) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                overruns.fetch_add(1, Relaxed);
            }
            Err(TrySendError::Disconnected(_)) => return,
        }
    }
}

/// The last column of a socket's line in `/proc/net/udp`.
fn kernel_drops(table: &str, address: SocketAddr) -> Option<u64> {
    let IpAddr::V4(ip) = address.ip() else { return None };
    let name = format!("{:08X}:{:04X}", u32::from_ne_bytes(ip.octets()), address.port());
    let line = table.lines().find(|line| line.split_whitespace().nth(1) == Some(&name))?;
    line.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_what_it_dropped() {
        let table = "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n\
                     1: 0100007F:1C21 00000000:0000 07 00000000:00000000 00:00000000 00000000  0  0 17 2 00000000 5\n\
                     2: 0100007F:1C20 00000000:0000 07 00000000:00000000 00:00000000 00000000  0  0 18 2 00000000 42\n";
        if cfg!(target_endian = "little") {
            assert_eq!(kernel_drops(table, "127.0.0.1:7200".parse().unwrap()), Some(42));
        }
        assert_eq!(kernel_drops(table, "127.0.0.1:7203".parse().unwrap()), None);
    }
}
