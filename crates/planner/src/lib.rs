//! Closed forms of the papers: what a network of a given size is made of, what it costs and how it fails, without running
//! anything. What is a system's own, its schedule, sizes, header and bounds, is in its crate, the same that runs; here are plans made of
//! it, one module a system, and what they share: the [`book`] of prices and power. [`plan`] finds a system by name, takes settings as JSON
//! and returns the plan as JSON.
//!
//! Counts are exact integers. Ratios, costs and powers are `f64`. Times are picoseconds, rates b/s, sizes bytes; the last
//! word of a name in JSON says so (`_ps`, `_bps`, `_bytes`, `_bits`, `_usd`, `_w`).

#![forbid(unsafe_code)]

pub mod an3;
pub mod bill;
pub mod book;
pub mod built;
pub mod by_rate;
pub mod fastpod;
pub mod shoal;
pub mod stardust;
pub mod xfabric;

use schemars::JsonSchema;
use serde::Serialize;
use settings::reference::Entry;
use settings::{Flat, SettingError};

/// A system that can be planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct System {
    /// What it is called.
    pub name: &'static str,
    /// What is planned, in a few words.
    pub summary: &'static str,
}

/// Every system that can be planned.
pub const SYSTEMS: [System; 5] = [
    System {
        name: stardust::NAME,
        summary: "cell fabric with Fabric Adapters and Elements, beside fat-trees (NSDI 2019)",
    },
    System {
        name: shoal::NAME,
        summary: "rack of circuit switches on a fixed schedule, beside packet switches (NSDI 2019)",
    },
    System {
        name: xfabric::NAME,
        summary: "rack that is re-cabled by crosspoint switches, beside one large circuit switch (NSDI 2016)",
    },
    System {
        name: fastpod::NAME,
        summary: "pods of switches without buffers and their arbiters, beside buffered switches (Zero-buffer Datacenter Networks)",
    },
    System {
        name: an3::NAME,
        summary: "circuits of time slots over NICs and L1 switches, beside ToR and aggregation switches (AN3)",
    },
];

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// No such system.
    #[error("no plan for {name:?}: {cure}")]
    System {
        /// What was asked for.
        name: String,
        /// What was probably meant.
        cure: String,
    },
    /// A setting that cannot be.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Settings that cannot be together.
    #[error(transparent)]
    Stardust(#[from] stardust::Impossible),
    /// Settings that cannot be together.
    #[error(transparent)]
    Shoal(#[from] shoal::Impossible),
    /// Settings that cannot be together.
    #[error(transparent)]
    XFabric(#[from] xfabric::Impossible),
    /// Settings that cannot be together.
    #[error(transparent)]
    Fastpod(#[from] fastpod::Impossible),
    /// A part has no price or no power in the book.
    #[error(transparent)]
    An3(#[from] bill::Unpriced),
}

/// Plans `system` with `settings`, a JSON object of keys; those that are not there have the defaults of the system's
/// `Input`. Returns the plan as JSON.
///
/// # Errors
/// There is no such system, a key is unknown, a value is out of its range, or the settings contradict each other.
pub fn plan(system: &str, settings: &str) -> Result<String, PlanError> {
    match system {
        stardust::NAME => {
            let input = stardust::Input::read(Flat::parse(settings)?)?;
            Ok(serde_json::to_string(&stardust::plan(&input)?).expect("a plan has only names and numbers"))
        }
        shoal::NAME => {
            let input = shoal::Input::read(Flat::parse(settings)?)?;
            Ok(serde_json::to_string(&shoal::plan(&input)?).expect("a plan has only names and numbers"))
        }
        xfabric::NAME => {
            let input = xfabric::Input::read(Flat::parse(settings)?)?;
            Ok(serde_json::to_string(&xfabric::plan(&input)?).expect("a plan has only names and numbers"))
        }
        fastpod::NAME => {
            let input = fastpod::Input::read(Flat::parse(settings)?)?;
            Ok(serde_json::to_string(&fastpod::plan(&input)?).expect("a plan has only names and numbers"))
        }
        an3::NAME => {
            let input = an3::Input::read(Flat::parse(settings)?)?;
            Ok(serde_json::to_string(&an3::plan(&input)?).expect("a plan has only names and numbers"))
        }
        _ => Err(unknown(system)),
    }
}

/// The reference of a system's settings, from the comments of its `Input`.
///
/// # Errors
/// There is no such system.
pub fn reference(system: &str) -> Result<Vec<Entry>, PlanError> {
    let nothing = Flat::default;
    Ok(match system {
        stardust::NAME => entries(&stardust::Input::read(nothing())?),
        shoal::NAME => entries(&shoal::Input::read(nothing())?),
        xfabric::NAME => entries(&xfabric::Input::read(nothing())?),
        fastpod::NAME => entries(&fastpod::Input::read(nothing())?),
        an3::NAME => entries(&an3::Input::read(nothing())?),
        _ => return Err(unknown(system)),
    })
}

fn entries<T: JsonSchema + Serialize>(defaults: &T) -> Vec<Entry> {
    let defaults = serde_json::to_value(defaults).expect("settings have only names and numbers");
    settings::reference::list(&settings::shape::of::<T>(), &defaults)
}

fn unknown(system: &str) -> PlanError {
    let cure = settings::cure("there are", system, SYSTEMS.iter().map(|each| each.name));
    PlanError::System { name: system.to_owned(), cure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_one_of_the_editions() {
        for system in SYSTEMS {
            let message = plan(system.name, r#"{"prices": "modem"}"#).unwrap_err().to_string();
            assert_eq!(message, "prices = modem: expected one of paper, modern, none");
        }
    }

    #[test]
    fn an_unknown_system_is_answered_with_the_nearest() {
        let message = |name| plan(name, "{}").unwrap_err().to_string();
        assert_eq!(message("stardusk"), "no plan for \"stardusk\": did you mean stardust?");
        assert_eq!(
            message("infiniband"),
            "no plan for \"infiniband\": there are stardust, shoal, xfabric, fastpod, an3"
        );
    }

    #[test]
    fn the_same_settings_give_the_same_text() {
        assert_eq!(plan("stardust", r#"{"hosts": 5000}"#), plan("stardust", r#"{"hosts": "5000"}"#));
        assert!(plan("stardust", "{}").unwrap().starts_with(r#"{"system":"stardust","#));
    }
}
