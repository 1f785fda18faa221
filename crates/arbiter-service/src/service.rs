//! The loops of an arbiter and of a voter: sockets, threads and clocks around what decides.

use crate::clock::Clock;
use crate::intake::Intake;
use crate::metrics::{ArbiterMetrics, VoterMetrics};
use crate::server::Server;
use crate::settings::{self, ServiceError, Serving, Voting};
use crate::task::{Shared, Stop, Task};
use crate::voting::VotingServer;
use crate::wire::Codec;
use ::settings::Flat;
use arbiter::Slot;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

/// How often a service tells its watcher how it is.
pub(crate) const PUBLISH: Duration = Duration::from_millis(100);

/// Starts an arbiter: [`Serve`](crate::Serve) as settings of a command line.
///
/// # Errors
/// [`ServiceError`]: a setting cannot be, or the address cannot be had.
pub fn serve(given: &Flat) -> Result<Task<ArbiterMetrics>, ServiceError> {
    let serving = settings::serving(given)?;
    let codec = Codec::new(serving.key, serving.slot);
    let (socket, address) = bind(serving.listen)?;
    let beside = serving.voter.clone().map(start_voter).transpose()?;
    let mut voters = serving.voters;
    if let (true, Some((_, own))) = (voters.is_empty(), &beside) {
        voters.push(*own);
    }
    let mut clock = Clock::new(serving.slot);
    let (now, _) = clock.slot();
    let Serving { slot, peers, gather, control, .. } = serving;
    let alone = peers.is_empty();
    let mut server = Server::new(control, codec.clone(), slot, gather, voters, peers, now)?;
    server.metrics(Duration::ZERO).address = address.to_string();
    if alone {
        // There is nobody whose beats it could wait for.
        server.take_charge();
    }
    let intake = Intake::start(&socket, codec).map_err(|error| no_socket(address, &error))?;
    let report = server.metrics(Duration::ZERO).clone();
    let run = move |shared: &Shared<ArbiterMetrics>| {
        arbitrate(shared, &socket, &intake, &mut clock, &mut server, beside.as_ref().map(|(task, _)| task));
        Ok(())
    };
    Task::start("arbiter", report, run).map_err(|error| no_socket(address, &error))
}

/// The loop of an arbiter.
fn arbitrate(
    shared: &Shared<ArbiterMetrics>,
    socket: &UdpSocket,
    intake: &Intake,
    clock: &mut Clock,
    server: &mut Server,
    beside: Option<&Task<VoterMetrics>>,
) {
    let (mut published, mut received) = (clock.elapsed(), Vec::new());
    loop {
        let (_, left) = clock.slot();
        intake.gather(left.min(PUBLISH), &mut received);
        // A host's slot is never after that of a clock which is read when its request has come.
        let ((now, _), at) = (clock.slot(), clock.elapsed());
        server.on_slot(at, now);
        for received in received.drain(..) {
            server.on_datagram(at.saturating_sub(received.at.elapsed()), received.from, received.content);
        }
        send(socket, server, at);
        if shared.stop() == Stop::Soon {
            server.retire();
        }
        let is_over = shared.stop() == Stop::Now || server.has_retired();
        if is_over || at.saturating_sub(published) >= PUBLISH {
            published = at;
            let metrics = server.metrics(at);
            (metrics.overruns, metrics.kernel_drops) = (intake.overruns(), intake.kernel_drops());
            let metrics = metrics.clone();
            let mut lines = server.journal().take();
            if let Some(voter) = beside {
                lines.extend(voter.lines().iter().map(|line| format!("voter: {line}")));
            }
            shared.publish(metrics, lines);
        }
        if is_over {
            return;
        }
    }
}

fn send(socket: &UdpSocket, server: &mut Server, at: Duration) {
    let (failures, why) = server.outbox().send(socket);
    if let Some(error) = why {
        server.metrics(at).send_failures += failures;
        let text = || format!("{failures} datagrams were not sent: {error}");
        server.journal().note_one_of("send", at, text);
    }
}

/// Starts a voter: [`Vote`](crate::Vote) as settings of a command line.
///
/// # Errors
/// [`ServiceError`]: a setting cannot be, the address cannot be had, or the file is none of a voter.
pub fn vote(given: &Flat) -> Result<Task<VoterMetrics>, ServiceError> {
    start_voter(settings::voting(given)?).map(|(task, _)| task)
}

fn start_voter(voting: Voting) -> Result<(Task<VoterMetrics>, SocketAddr), ServiceError> {
    let Voting { listen, forgotten, slot, state, key } = voting;
    let codec = Codec::new(key, slot);
    let (socket, address) = bind(listen)?;
    let mut clock = Clock::new(slot);
    let leased = if forgotten == 0 { Slot(0) } else { clock.slot().0.plus(forgotten) };
    let mut server = VotingServer::new(codec.clone(), slot, state.as_deref(), leased)?;
    server.metrics(Duration::ZERO).address = address.to_string();
    let intake = Intake::start(&socket, codec).map_err(|error| no_socket(address, &error))?;
    let report = server.metrics(Duration::ZERO).clone();
    let run = move |shared: &Shared<VoterMetrics>| {
        let (mut published, mut received) = (clock.elapsed(), Vec::new());
        loop {
            intake.gather(PUBLISH, &mut received);
            let ((now, _), at) = (clock.slot(), clock.elapsed());
            for received in received.drain(..) {
                server.on_datagram(at, now, received.from, received.content);
                let (failures, why) = server.outbox().send(&socket);
                if let Some(error) = why {
                    server.metrics(at).send_failures += failures;
                    server.journal().note_one_of("send", at, || format!("a vote was not sent: {error}"));
                }
            }
            let is_over = shared.stop() != Stop::No;
            if is_over || at.saturating_sub(published) >= PUBLISH {
                published = at;
                let metrics = server.metrics(at);
                (metrics.overruns, metrics.kernel_drops) = (intake.overruns(), intake.kernel_drops());
                let metrics = metrics.clone();
                shared.publish(metrics, server.journal().take());
            }
            if is_over {
                return Ok(());
            }
        }
    };
    let task = Task::start("voter", report, run).map_err(|error| no_socket(address, &error))?;
    Ok((task, address))
}

/// A socket, and the address that it has.
pub(crate) fn bind(address: SocketAddr) -> Result<(UdpSocket, SocketAddr), ServiceError> {
    let bound = UdpSocket::bind(address).and_then(|socket| socket.local_addr().map(|address| (socket, address)));
    bound.map_err(|error| no_socket(address, &error))
}

pub(crate) fn no_socket(address: SocketAddr, error: &io::Error) -> ServiceError {
    let reason = if error.kind() == io::ErrorKind::AddrInUse {
        "something else listens there already".to_owned()
    } else if error.kind() == io::ErrorKind::AddrNotAvailable {
        "this machine has no such address".to_owned()
    } else {
        error.to_string()
    };
    ServiceError::Socket { address: address.to_string(), reason }
}
