//! The ends of connections, whatever their protocol: where protocols meet, they are a closed enum, so that nothing is called through a
//! pointer and nothing is compiled once for each pair of a protocol and something else.

use crate::config::{Config, Recovery};
use crate::cubic::CubicWindow;
use crate::dcqcn::{DcqcnReceiver, DcqcnSender};
use crate::dctcp::MarkedFraction;
use crate::direct::{DirectReceiver, DirectSender};
use crate::eqds::{EqdsReceiver, EqdsSender};
use crate::mptcp::{MptcpReceiver, MptcpSender};
use crate::ndp::{NdpReceiver, NdpSender};
use crate::newreno::Reno;
use crate::pfabric::{PfabricReceiver, PfabricSender};
use crate::puller::{Pull, Pulled};
use crate::swift::DelayWindow;
use crate::tcp::{SelectiveSender, TcpReceiver, TcpSender};
use crate::{Counters, Receiver, Sender};
use fabric::{Device, Env, Frame, Port};
use units::{Bytes, Rate, Time};

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
    /// Of CUBIC. Apart, so that others take no more room for it.
    Cubic(Box<TcpSender<CubicWindow>>),
    /// Of CUBIC, with selective acknowledgements.
    SelectiveCubic(Box<SelectiveSender<CubicWindow>>),
    /// Of Swift. Apart, so that others take no more room for it.
    Swift(Box<SelectiveSender<DelayWindow>>),
    /// Of Multipath TCP.
    Mptcp(Box<MptcpSender>),
    /// Of NDP. Apart, so that others take no more room for it.
    Ndp(Box<NdpSender>),
    /// Of EQDS. Apart, so that others take no more room for it.
    Eqds(Box<EqdsSender>),
    /// Of DCQCN. Apart, so that others take no more room for it.
    Dcqcn(Box<DcqcnSender>),
    /// Of pFabric. Apart, so that others take no more room for it.
    Pfabric(Box<PfabricSender>),
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
    /// Of EQDS.
    Eqds(EqdsReceiver),
    /// Of DCQCN.
    Dcqcn(DcqcnReceiver),
    /// Of pFabric.
    Pfabric(PfabricReceiver),
    /// Of no protocol.
    Direct(DirectReceiver),
}

impl Config {
    /// Bytes that the ends of a connection take by themselves, apart from their places among those of all connections.
    pub fn bytes_apart(&self) -> usize {
        let of_tcp = |recovery: Option<Recovery>, unless_said, plain, selective| match recovery.unwrap_or(unless_said) {
            Recovery::NewReno => plain,
            Recovery::Sack | Recovery::Rack => selective,
        };
        match self {
            Config::NewReno(tcp) => of_tcp(tcp.recovery, Recovery::NewReno, 0, size_of::<SelectiveSender<Reno>>()),
            Config::Dctcp(dctcp) => {
                of_tcp(dctcp.tcp.recovery, Recovery::Rack, 0, size_of::<SelectiveSender<MarkedFraction>>())
            }
            Config::Cubic(cubic) => {
                let plain = size_of::<TcpSender<CubicWindow>>();
                of_tcp(cubic.tcp.recovery, Recovery::Rack, plain, size_of::<SelectiveSender<CubicWindow>>())
            }
            Config::Swift(_) => size_of::<SelectiveSender<DelayWindow>>(),
            Config::Mptcp(_) => size_of::<MptcpSender>() + size_of::<MptcpReceiver>(),
            Config::Ndp(_) => size_of::<NdpSender>(),
            Config::Eqds(_) => size_of::<EqdsSender>(),
            Config::Dcqcn(_) => size_of::<DcqcnSender>(),
            Config::Pfabric(_) => size_of::<PfabricSender>(),
            Config::Direct(_) => 0,
        }
    }
}

/// Calls the same method of whichever end it is.
macro_rules! sender {
    ($any:expr, $end:ident => $call:expr) => {
        match $any {
            AnySender::NewReno($end) => $call,
            AnySender::SelectiveReno($end) => $call,
            AnySender::Dctcp($end) => $call,
            AnySender::SelectiveDctcp($end) => $call,
            AnySender::Cubic($end) => $call,
            AnySender::SelectiveCubic($end) => $call,
            AnySender::Swift($end) => $call,
            AnySender::Mptcp($end) => $call,
            AnySender::Ndp($end) => $call,
            AnySender::Eqds($end) => $call,
            AnySender::Dcqcn($end) => $call,
            AnySender::Pfabric($end) => $call,
            AnySender::Direct($end) => $call,
        }
    };
}

/// The same of receiving ends.
macro_rules! receiver {
    ($any:expr, $end:ident => $call:expr) => {
        match $any {
            AnyReceiver::Tcp($end) => $call,
            AnyReceiver::Mptcp($end) => $call,
            AnyReceiver::Ndp($end) => $call,
            AnyReceiver::Eqds($end) => $call,
            AnyReceiver::Dcqcn($end) => $call,
            AnyReceiver::Pfabric($end) => $call,
            AnyReceiver::Direct($end) => $call,
        }
    };
}

impl Device for AnySender {
    type Frame = Frame;

    #[inline]
    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        sender!(self, end => end.receive(now, port, frame, env));
    }
    #[inline]
    fn transmit(&mut self, now: Time, port: Port, env: &mut impl Env) -> Option<Frame> {
        sender!(self, end => end.transmit(now, port, env))
    }
    #[inline]
    fn deadline(&self) -> Option<Time> {
        sender!(self, end => end.deadline())
    }
    fn expire(&mut self, now: Time, env: &mut impl Env) {
        sender!(self, end => end.expire(now, env));
    }
}

impl Sender for AnySender {
    #[inline]
    fn is_done(&self) -> bool {
        sender!(self, end => end.is_done())
    }
    fn counters(&self) -> Counters {
        sender!(self, end => end.counters())
    }
    fn state(&self) -> String {
        sender!(self, end => end.state())
    }
    fn window(&self) -> Option<Bytes> {
        sender!(self, end => end.window())
    }
    fn rate(&self) -> Option<Rate> {
        sender!(self, end => end.rate())
    }
    #[inline]
    fn is_waiting(&self) -> bool {
        sender!(self, end => end.is_waiting())
    }
    fn rank(&self) -> Option<u64> {
        sender!(self, end => end.rank())
    }
}

impl Device for AnyReceiver {
    type Frame = Frame;

    #[inline]
    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        receiver!(self, end => end.receive(now, port, frame, env));
    }
    #[inline]
    fn transmit(&mut self, now: Time, port: Port, env: &mut impl Env) -> Option<Frame> {
        receiver!(self, end => end.transmit(now, port, env))
    }
    #[inline]
    fn deadline(&self) -> Option<Time> {
        receiver!(self, end => end.deadline())
    }
    fn expire(&mut self, now: Time, env: &mut impl Env) {
        receiver!(self, end => end.expire(now, env));
    }
}

impl Receiver for AnyReceiver {
    #[inline]
    fn delivered(&self) -> Bytes {
        receiver!(self, end => end.delivered())
    }
}

impl Pulled for AnyReceiver {
    #[inline]
    fn joins(&mut self) -> Option<u8> {
        match self {
            AnyReceiver::Ndp(end) => end.joins(),
            AnyReceiver::Eqds(end) => end.joins(),
            AnyReceiver::Tcp(_)
            | AnyReceiver::Mptcp(_)
            | AnyReceiver::Dcqcn(_)
            | AnyReceiver::Pfabric(_)
            | AnyReceiver::Direct(_) => None,
        }
    }
    #[inline]
    fn pull(&mut self, now: Time, class: u8) -> Option<Pull> {
        match self {
            AnyReceiver::Ndp(end) => end.pull(now, class),
            AnyReceiver::Eqds(end) => end.pull(now, class),
            AnyReceiver::Tcp(_)
            | AnyReceiver::Mptcp(_)
            | AnyReceiver::Dcqcn(_)
            | AnyReceiver::Pfabric(_)
            | AnyReceiver::Direct(_) => None,
        }
    }
}
