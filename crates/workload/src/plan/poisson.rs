//! Arrivals at random: load, rate, and what is too much.

use super::{Builder, Made, ROUNDING};
use crate::error::Problem;
use crate::group::{Arrivals, Poisson};
use crate::pattern::{Chooser, Pattern};
use crate::prose;
use crate::sources::PoissonSource;

impl Builder<'_> {
    pub(super) fn poisson(&self, it: &Poisson) -> Result<Made, Problem> {
        it.size.check()?;
        if it.flows == Some(0) {
            return Err(Problem::Zero { key: "flows" });
        }
        let chooser = Chooser::new(&it.pattern, self.setting, &self.chance)?;
        if let Some(burst) = &it.burst {
            burst.check()?;
            if matches!(it.pattern, Pattern::Matrix(_)) {
                return Err(Problem::BurstsOfPairs);
            }
        }
        let (hosts, mean) = (f64::from(self.setting.hosts), it.size.mean());
        let host_rate = self.setting.host_rate.as_bps() as f64;
        let (key, value, rate) = match it.arrivals {
            Arrivals::Load(load) => ("load", load, load * hosts * host_rate / (8.0 * mean)),
            Arrivals::Rate(rate) => ("rate", rate, rate),
        };
        if !(value.is_finite() && value > 0.0) {
            return Err(Problem::NotPositive { key, value });
        }
        let offered = rate * 8.0 * mean;
        let load = offered / (hosts * host_rate);
        let [(source, from), (sink, to)] = chooser.busiest();
        if !it.allow_overload {
            if load > 1.0 + ROUNDING {
                return Err(Problem::Overload { load });
            }
            if offered * from > host_rate * (1.0 + ROUNDING) {
                return Err(Problem::HostOverload { host: source, load: offered * from / host_rate });
            }
        }
        let mut warnings = Vec::new();
        if offered * to > host_rate * (1.0 + ROUNDING) {
            warnings.push(format!(
                "host {sink} is sent {} times what its link can carry: its queues grow as long as flows arrive",
                prose::number(offered * to / host_rate)
            ));
        }
        let (start, until) = (self.group.start, self.until());
        let arrive = (rate * until.since(start).as_secs_f64()).round() as u64;
        // A Poisson count is hardly ever three deviations above its mean.
        if let Some(flows) = it.flows.filter(|flows| *flows as f64 > arrive as f64 + 3.0 * (arrive as f64).sqrt()) {
            let ends = if self.group.stop.is_some_and(|stop| stop == until) { "stop" } else { "duration" };
            warnings.push(format!(
                "about {} arrive before {until}, not {flows}; {ends} ends it",
                prose::count(arrive, "flow")
            ));
        }
        let in_all = it.flows.map_or(String::new(), |flows| format!("{}, ", prose::count(flows, "flow")));
        let pattern = it.pattern.describe(self.setting.hosts);
        let bursts = it.burst.as_ref().map_or(String::new(), |burst| format!(", {}", burst.describe()));
        let description = format!(
            "load {} ({} a host, {} flows/s in all), {in_all}{pattern}, {}{bursts}",
            prose::number(load),
            prose::rate(offered / hosts),
            prose::number(rate),
            it.size
        );
        let most = it.flows.unwrap_or(u64::MAX);
        let (size, burst) = (it.size.clone(), it.burst.clone());
        let source = PoissonSource::new(size, chooser, burst, rate, [start, until], most, &self.chance);
        let flows = arrive.min(most);
        let made = Made::new(source, description).flows(Some(flows)).mean(Some(mean));
        Ok(Made { offered_bps: Some(offered), warnings, ..made })
    }
}
