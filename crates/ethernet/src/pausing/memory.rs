//! The packet memory of each switch, and what of it is charged to whom.
//!
//! Memory is charged by where a frame came from: to the account of its link and class. Most of it is one pool that all accounts share; beyond
//! its threshold, an account of a lossless class has headroom of its own, for what is in flight when its sender is paused. A frame takes
//! memory from its arrival until it begins to leave; one that leaves at once takes none.

use crate::config::Pfc;

/// What a link's frames of one class hold at its far end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Account {
    /// Bytes of the shared pool.
    pub shared: u64,
    /// Bytes of its headroom.
    pub headroom: u64,
    /// The headroom that is reserved for it.
    pub reserved: u64,
}

/// The memory of one switch.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// Bytes that all accounts share.
    pub pool: u64,
    /// Those in use.
    pub used: u64,
    /// Accounts whose senders are to be paused.
    off: Vec<u32>,
    /// With less than this free in the pool, none of them can go on.
    resumes_at: u64,
}

impl Memory {
    pub(super) fn new(pool: u64) -> Memory {
        Memory { pool, used: 0, off: Vec::new(), resumes_at: u64::MAX }
    }

    pub(super) fn free(&self) -> u64 {
        self.pool - self.used
    }

    /// The sender of this account is to be paused.
    pub(super) fn pause(&mut self, account: u32, accounts: &[Account], limits: &Limits) {
        self.off.push(account);
        self.shrinks(account, accounts, limits);
    }

    /// This account, whose sender is paused, has changed.
    pub(super) fn shrinks(&mut self, account: u32, accounts: &[Account], limits: &Limits) {
        self.resumes_at = self.resumes_at.min(limits.resumes_at(&accounts[account as usize]));
    }

    /// Gives `on` the accounts whose senders may go on, now that a frame has left. Whether one may depends on all others too, as they share
    /// what is free; but as long as less is free than any of them needs, there is nothing to look at.
    #[inline]
    pub(super) fn resume(&mut self, accounts: &[Account], limits: &Limits, mut on: impl FnMut(u32)) {
        let free = self.free();
        if self.off.is_empty() || free < self.resumes_at {
            return;
        }
        let mut resumes_at = u64::MAX;
        self.off.retain(|account| {
            let state = &accounts[*account as usize];
            let stays = !limits.may_resume(state, free);
            if stays {
                resumes_at = resumes_at.min(limits.resumes_at(state));
            } else {
                on(*account);
            }
            stays
        });
        self.resumes_at = resumes_at;
    }
}

/// Thresholds, in bytes on the wire.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    alpha: f64,
    xoff: Option<u64>,
    resume_offset: u64,
    lossy_alpha: f64,
}

/// So many times the free memory, in whole bytes.
fn share(alpha: f64, free: u64) -> u64 {
    (alpha * free as f64) as u64
}

impl Limits {
    pub(super) fn new(pfc: &Pfc, wire: u64) -> Limits {
        Limits {
            alpha: pfc.alpha,
            xoff: pfc.xoff.map(|bytes| bytes.get()),
            resume_offset: pfc.resume_offset.map_or(2 * wire, |bytes| bytes.get()),
            lossy_alpha: pfc.lossy_alpha,
        }
    }

    /// What an account of a lossless class may hold of the pool (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory
    /// packet switches", 1998).
    pub(super) fn threshold(&self, free: u64) -> u64 {
        self.xoff.unwrap_or_else(|| share(self.alpha, free))
    }

    /// What an output queue of a class that is not lossless may hold.
    pub(super) fn lossy_threshold(&self, free: u64) -> u64 {
        share(self.lossy_alpha, free)
    }

    /// Whether the sender of a paused account may go on.
    pub(super) fn may_resume(&self, account: &Account, free: u64) -> bool {
        let Account { shared, headroom, .. } = *account;
        headroom == 0 && (shared == 0 || shared.saturating_add(self.resume_offset) <= self.threshold(free))
    }

    /// With less free memory than this an account surely may not go on.
    fn resumes_at(&self, account: &Account) -> u64 {
        let needed = account.shared.saturating_add(self.resume_offset);
        match self.xoff {
            _ if account.headroom > 0 => u64::MAX,
            _ if account.shared == 0 => 0,
            Some(xoff) if needed <= xoff => 0,
            Some(_) => u64::MAX,
            // One less, as the quotient may have been rounded up.
            None => ((needed as f64 / self.alpha) as u64).saturating_sub(1),
        }
    }
}
