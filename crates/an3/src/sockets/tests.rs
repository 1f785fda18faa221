//! Timelines of sockets by themselves: what sets up circuits is played by the tests.

use super::*;

const LIMITS: Limits = Limits { buffer: 640, chunk: 4, growth: false };

fn at(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn frame(sequence: u64, cells: u32) -> (Frame, u32) {
    (Frame { sequence, src: 0, dst: 1, len: cells * 64, ..Frame::EMPTY }, cells)
}

fn sockets() -> Sockets {
    Sockets::new(2, LIMITS)
}

fn open(sockets: &mut Sockets, token: u64) -> Socket {
    sockets.open([0, 1], Reach::Remote, (Client::Other, token), Some(Span::from_us(100)))
}

fn send(sockets: &mut Sockets, us: u64, socket: Socket, (frame, cells): (Frame, u32)) -> Result<(), SendError> {
    sockets.send(at(us), socket, frame, cells)
}

/// What clients were told since the last time: by which name they call the socket.
fn told(sockets: &mut Sockets) -> Vec<(u64, SocketEvent)> {
    std::iter::from_fn(|| sockets.poll()).map(|(_, told)| (told.token, told.event)).collect()
}

fn received(sockets: &mut Sockets, socket: Socket) -> Vec<u64> {
    std::iter::from_fn(|| sockets.receive(socket)).map(|frame| frame.sequence).collect()
}

/// The next request of host 0, if a socket has one: it is acknowledged.
fn circuit(sockets: &mut Sockets) -> Option<u32> {
    let place = sockets.next(0, Reach::Remote, Some(0), true)?;
    sockets.asked(place);
    sockets.acknowledged(place);
    Some(place)
}

/// A circuit ends in good order, after its last chunk: the source knows that this one has come.
fn finish(sockets: &mut Sockets, us: u64, place: u32, last: u32) {
    sockets.is_sending(place, false);
    sockets.want(at(us), place);
    sockets.arrive(at(us), place, last);
    sockets.acknowledge(place, last);
    sockets.lost_circuit(place, false);
    sockets.lost_record(place);
    sockets.settle(at(us), place);
}

use SocketEvent::{Closed, Ended, Failed, Idle, Readable, Writable};

#[test]
fn a_frame_there_and_an_orderly_end() {
    let mut sockets = sockets();
    let socket = open(&mut sockets, 7);
    assert_eq!(send(&mut sockets, 0, socket, frame(1, 6)), Ok(()));
    assert_eq!(sockets.close(at(0), socket), Ok(()));
    assert_eq!(
        (send(&mut sockets, 0, socket, frame(2, 1)), sockets.close(at(0), socket)),
        (Err(SendError::Closed), Err(SendError::Closed))
    );
    let place = circuit(&mut sockets).expect("it has something to send");
    assert_eq!(
        (sockets.pull(place, at(1)), sockets.pull(place, at(2)), sockets.pull(place, at(3))),
        (Some((0, 4)), Some((1, 2)), None)
    );
    // The chunk with the end comes first, over another circuit perhaps.
    sockets.arrive(at(4), place, 1);
    assert_eq!(told(&mut sockets), []);
    sockets.arrive(at(5), place, 0);
    assert_eq!(told(&mut sockets), [(7, Readable(1)), (7, Ended)]);
    sockets.acknowledge(place, 0);
    finish(&mut sockets, 6, place, 1);
    assert_eq!(told(&mut sockets), [(7, Closed)]);
    // It is there until the client at the destination has all.
    assert_eq!((received(&mut sockets, socket), sockets.ends(socket)), (vec![1], None));
    assert_eq!(send(&mut sockets, 9, socket, frame(3, 1)), Err(SendError::Gone));
    // Another one in its place is not taken for it.
    let other = open(&mut sockets, 8);
    assert_eq!((other.place, sockets.ends(socket), sockets.ends(other)), (socket.place, None, Some([0, 1])));
}

#[test]
fn a_full_socket_says_when_it_has_room() {
    let mut sockets = sockets();
    let socket = open(&mut sockets, 7);
    assert_eq!(send(&mut sockets, 0, socket, frame(1, 10)), Ok(()));
    assert_eq!(send(&mut sockets, 0, socket, frame(2, 1)), Err(SendError::Full));
    assert_eq!(sockets.backlog(0), 640);
    let place = circuit(&mut sockets).unwrap();
    // Bytes of a frame are sent when the last of its cells is.
    sockets.pull(place, at(1));
    sockets.pull(place, at(2));
    assert_eq!((told(&mut sockets), sockets.backlog(0)), (vec![], 640));
    sockets.pull(place, at(3));
    assert_eq!((told(&mut sockets), sockets.backlog(0)), (vec![(7, Writable)], 0));
    assert_eq!(send(&mut sockets, 3, socket, frame(2, 1)), Ok(()));
}

#[test]
fn sockets_share_a_circuit_in_turns_and_go_on_where_they_were_suspended() {
    let mut sockets = sockets();
    let both = [0, 1].map(|token| open(&mut sockets, token));
    for (socket, sequence) in both.into_iter().zip([10, 20]) {
        send(&mut sockets, 0, socket, frame(sequence, 6)).unwrap();
    }
    // There is one circuit. The first is suspended after a chunk, as the other waits.
    let first = circuit(&mut sockets).unwrap();
    assert_eq!((first, sockets.pull(first, at(1))), (both[0].place, Some((0, 4))));
    assert!(sockets.is_waiting(0, Reach::Remote));
    finish(&mut sockets, 2, first, 0);
    assert_eq!(told(&mut sockets), [], "a frame of six cells is not there after four");
    let second = circuit(&mut sockets).unwrap();
    assert_eq!(
        (second, sockets.pull(second, at(3)), sockets.pull(second, at(4))),
        (both[1].place, Some((0, 4)), Some((1, 2)))
    );
    sockets.arrive(at(5), second, 0);
    sockets.acknowledge(second, 0);
    // Closed while the other is suspended, which is closed then, too.
    sockets.close(at(5), both[0]).unwrap();
    finish(&mut sockets, 6, second, 1);
    assert_eq!(told(&mut sockets), [(1, Readable(1)), (1, Idle)]);
    let again = circuit(&mut sockets).unwrap();
    assert_eq!((again, sockets.pull(again, at(7)), sockets.pull(again, at(8))), (both[0].place, Some((1, 2)), None));
    finish(&mut sockets, 9, again, 1);
    assert_eq!(told(&mut sockets), [(0, Readable(1)), (0, Ended), (0, Closed)]);
    assert_eq!((received(&mut sockets, both[0]), received(&mut sockets, both[1])), (vec![10], vec![20]));
}

#[test]
fn an_idle_socket_that_is_closed_needs_a_circuit_for_its_end_alone() {
    let mut sockets = sockets();
    let socket = open(&mut sockets, 7);
    assert_eq!(circuit(&mut sockets), None, "nothing to send");
    sockets.close(at(0), socket).unwrap();
    let place = circuit(&mut sockets).unwrap();
    assert_eq!(sockets.pull(place, at(1)), Some((0, 0)));
    // The mark is lost, and so is the circuit; it goes over another.
    assert!(sockets.repeat(place, 0));
    sockets.lost_circuit(place, true);
    sockets.lost_record(place);
    sockets.want(at(2), place);
    sockets.settle(at(2), place);
    assert_eq!(told(&mut sockets), []);
    assert_eq!(circuit(&mut sockets), Some(place));
    assert_eq!(sockets.pull(place, at(3)), Some((0, 0)));
    finish(&mut sockets, 4, place, 0);
    assert_eq!((told(&mut sockets), sockets.ends(socket)), (vec![(7, Ended), (7, Closed)], None));
}

#[test]
fn who_cannot_reach_the_destination_is_told_and_has_its_frames_back() {
    let mut sockets = sockets();
    let socket = open(&mut sockets, 7);
    send(&mut sockets, 0, socket, frame(1, 2)).unwrap();
    send(&mut sockets, 0, socket, frame(2, 2)).unwrap();
    let refused = |sockets: &mut Sockets, us: u64, is_broken: bool| {
        let place = sockets.next(0, Reach::Remote, Some(0), true).expect("it asks again");
        sockets.refused(at(us), place, Some(0), false, is_broken);
        told(sockets)
    };
    assert_eq!(refused(&mut sockets, 10, true), []);
    assert_eq!(refused(&mut sockets, 105, true), []);
    // There is a way, which is full: it is not cut off, and its time begins anew.
    assert_eq!(refused(&mut sockets, 109, false), []);
    assert_eq!(refused(&mut sockets, 120, true), []);
    assert_eq!(refused(&mut sockets, 219, true), []);
    assert_eq!(refused(&mut sockets, 220, true), [(7, Failed(Failure::Unreachable))]);
    assert_eq!(send(&mut sockets, 220, socket, frame(3, 1)), Err(SendError::Gone));
    assert_eq!((sockets.next(0, Reach::Remote, Some(0), true), sockets.backlog(0)), (None, 0));
    let back: Vec<u64> = sockets.take_back(socket).iter().map(|frame| frame.sequence).collect();
    assert_eq!((back, sockets.ends(socket)), (vec![1, 2], None));
}

#[test]
fn a_host_that_stops_tells_its_clients() {
    let mut sockets = sockets();
    let [waits, sends, idle] = [0, 1, 2].map(|token| open(&mut sockets, token));
    let back = sockets.open([1, 0], Reach::Remote, (Client::Other, 3), None);
    send(&mut sockets, 0, sends, frame(1, 2)).unwrap();
    let place = circuit(&mut sockets).unwrap();
    send(&mut sockets, 0, waits, frame(2, 2)).unwrap();
    sockets.pull(place, at(1));
    sockets.stop(at(2), 0);
    let stopped = Failed(Failure::Stopped);
    assert_eq!(told(&mut sockets), [(0, stopped), (1, stopped), (2, stopped)]);
    assert_eq!([waits, sends, idle].map(|socket| sockets.take_back(socket).len()), [1, 1, 0]);
    // Of one that has a circuit something is left until that is gone. What still comes of it is late.
    sockets.arrive(at(3), place, 0);
    assert_eq!((told(&mut sockets), sockets.ends(sends)), (vec![], Some([0, 1])));
    sockets.lost_circuit(place, true);
    sockets.lost_record(place);
    sockets.settle(at(4), place);
    assert_eq!(
        ([waits, sends, idle].map(|socket| sockets.ends(socket)), sockets.ends(back)),
        ([None; 3], Some([1, 0]))
    );
}
