//! The ends of connections, whatever their protocol: where protocols meet, they are a closed enum, so that nothing is called through a
//! pointer and nothing is compiled once for each pair of a protocol and something else.

use crate::dctcp::MarkedFraction;
use crate::direct::{DirectReceiver, DirectSender};
use crate::mptcp::{MptcpReceiver, MptcpSender};
use crate::ndp::{NdpReceiver, NdpSender};
use crate::newreno::Reno;
use crate::tcp::{SelectiveSender, TcpReceiver, TcpSender};
use crate::{Counters, Receiver, Sender};
use fabric::{Device, Env, Frame, Port};
use std::convert::Infallible;
use units::{Bytes, Time};

/// A sending end.
#[derive(Debug, Clone)]
pub enum AnySender {
    /// Of TCP NewReno.
    NewReno(TcpSender<Reno>),
    /// Of TCP NewReno, with selective acknowledgements.
    SelectiveReno(Box<SelectiveSender<Reno>>),
    /// Of DCTCP.
    Dctcp(TcpSender<MarkedFraction>),
    /// Of DCTCP, with selective acknowledgements.
    SelectiveDctcp(Box<SelectiveSender<MarkedFraction>>),
    /// Of Multipath TCP.
    Mptcp(Box<MptcpSender>),
    /// Of NDP. Apart, so that others take no more room for it.
    Ndp(Box<NdpSender>),
    /// Of no protocol.
    Direct(DirectSender),
}

/// A receiving end.
#[derive(Debug, Clone)]
pub enum AnyReceiver {
    /// Of any TCP.
    Tcp(TcpReceiver),
    /// Of Multipath TCP.
    Mptcp(Box<MptcpReceiver>),
    /// Of NDP.
    Ndp(NdpReceiver),
    /// Of no protocol.
    Direct(DirectReceiver),
}

/// Calls the same method of whichever it is.
macro_rules! each {
    ($any:expr, $($kind:ident)|+, $end:ident => $call:expr) => {
        match $any {
            $(Self::$kind($end) => $call,)+
        }
    };
}

impl Device for AnySender {
    type Frame = Frame;
    type Note = Infallible;

    #[inline]
    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env<Frame, Infallible>) {
        each!(self, NewReno | SelectiveReno | Dctcp | SelectiveDctcp | Mptcp | Ndp | Direct, end => end.receive(now, port, frame, env));
    }
    #[inline]
    fn transmit(&mut self, now: Time, port: Port, env: &mut impl Env<Frame, Infallible>) -> Option<Frame> {
        each!(self, NewReno | SelectiveReno | Dctcp | SelectiveDctcp | Mptcp | Ndp | Direct, end => end.transmit(now, port, env))
    }
    #[inline]
    fn deadline(&self) -> Option<Time> {
        each!(self, NewReno | SelectiveReno | Dctcp | SelectiveDctcp | Mptcp | Ndp | Direct, end => end.deadline())
    }
    fn expire(&mut self, now: Time, env: &mut impl Env<Frame, Infallible>) {
        each!(self, NewReno | SelectiveReno | Dctcp | SelectiveDctcp | Mptcp | Ndp | Direct, end => end.expire(now, env));
    }
}

impl Sender for AnySender {
    #[inline]
    fn is_done(&self) -> bool {
        each!(self, NewReno | SelectiveReno | Dctcp | SelectiveDctcp | Mptcp | Ndp | Direct, end => end.is_done())
    }
    fn counters(&self) -> Counters {
        each!(self, NewReno | SelectiveReno | Dctcp | SelectiveDctcp | Mptcp | Ndp | Direct, end => end.counters())
    }
    fn state(&self) -> String {
        each!(self, NewReno | SelectiveReno | Dctcp | SelectiveDctcp | Mptcp | Ndp | Direct, end => end.state())
    }
    fn window(&self) -> Option<Bytes> {
        match self {
            AnySender::NewReno(end) => Sender::window(end),
            AnySender::SelectiveReno(end) => Sender::window(&**end),
            AnySender::Dctcp(end) => Sender::window(end),
            AnySender::SelectiveDctcp(end) => Sender::window(&**end),
            AnySender::Mptcp(end) => Sender::window(&**end),
            AnySender::Ndp(_) | AnySender::Direct(_) => None,
        }
    }
}

impl Device for AnyReceiver {
    type Frame = Frame;
    type Note = Infallible;

    #[inline]
    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env<Frame, Infallible>) {
        each!(self, Tcp | Mptcp | Ndp | Direct, end => end.receive(now, port, frame, env));
    }
    #[inline]
    fn transmit(&mut self, now: Time, port: Port, env: &mut impl Env<Frame, Infallible>) -> Option<Frame> {
        each!(self, Tcp | Mptcp | Ndp | Direct, end => end.transmit(now, port, env))
    }
    #[inline]
    fn deadline(&self) -> Option<Time> {
        each!(self, Tcp | Mptcp | Ndp | Direct, end => end.deadline())
    }
    fn expire(&mut self, now: Time, env: &mut impl Env<Frame, Infallible>) {
        each!(self, Tcp | Mptcp | Ndp | Direct, end => end.expire(now, env));
    }
}

impl Receiver for AnyReceiver {
    #[inline]
    fn delivered(&self) -> Bytes {
        each!(self, Tcp | Mptcp | Ndp | Direct, end => end.delivered())
    }
}
