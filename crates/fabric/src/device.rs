//! The contract of protocol machines: sans-IO.

use units::Time;

/// A device's port, counted from zero in each device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u32);

/// A protocol machine: one end of a connection, say. It owns no clock, no random generator and no I/O, so the
/// same code runs in the simulator, against real interfaces and under a model checker.
///
/// Its driver promises: `now` never goes back; `transmit` is called when the link on that port is free, some time after
/// [`Env::wake`]; `expire` is called at [`Device::deadline`] or a little later, and may be called at any other time, which
/// then has no effect.
pub trait Device {
    /// What goes over its links.
    type Frame;

    /// A frame has arrived on `port`, whole, or as much of it as the device asks for.
    fn receive(&mut self, now: Time, port: Port, frame: Self::Frame, env: &mut impl Env);

    /// The link on `port` is free and asks for a frame. Without one it asks again only after [`Env::wake`].
    fn transmit(&mut self, now: Time, port: Port, env: &mut impl Env) -> Option<Self::Frame>;

    /// When the device next wants [`Device::expire`] to be called, if ever.
    fn deadline(&self) -> Option<Time> {
        None
    }

    /// Time has passed. No effect before [`Device::deadline`].
    fn expire(&mut self, now: Time, env: &mut impl Env) {
        let _ = (now, env);
    }
}

/// What a device may ask of the world.
pub trait Env {
    /// There is a frame for `port`: have its link ask for it.
    fn wake(&mut self, port: Port);

    /// A whole number below `choices`, at random.
    fn pick(&mut self, choices: u32) -> u32;
}
