//! What happened, in sentences for a person: as many of a kind as can be read, the rest counted.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Between two sentences of one kind.
const PAUSE: Duration = Duration::from_secs(1);
/// Sentences that wait for a reader; older ones give way.
const MOST: usize = 1000;

/// Sentences that nobody has read yet.
#[derive(Debug, Default)]
pub struct Journal {
    lines: VecDeque<String>,
    /// By kind: when something was last said, and how much has been left unsaid since.
    kinds: BTreeMap<&'static str, (Duration, u64)>,
}

impl Journal {
    /// Something has happened that does not happen often.
    pub fn note(&mut self, text: String) {
        if self.lines.len() == MOST {
            self.lines.pop_front();
        }
        self.lines.push_back(text);
    }

    /// Something has happened that may happen a million times a second. `now` is any clock that goes forward.
    pub fn note_one_of(&mut self, kind: &'static str, now: Duration, text: impl FnOnce() -> String) {
        let unsaid = match self.kinds.get_mut(kind) {
            Some((said, unsaid)) if now.saturating_sub(*said) < PAUSE => {
                *unsaid += 1;
                return;
            }
            Some((said, unsaid)) => {
                *said = now;
                std::mem::take(unsaid)
            }
            None => {
                self.kinds.insert(kind, (now, 0));
                0
            }
        };
        let more = if unsaid == 0 { String::new() } else { format!(" (and {unsaid} more of this kind before)") };
        self.note(format!("{}{more}", text()));
    }

    /// What has been said since this was last asked.
    pub fn take(&mut self) -> Vec<String> {
        self.lines.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_of_one_kind_is_said_once_a_second_and_counted() {
        let mut journal = Journal::default();
        for ms in 0..1500 {
            journal.note_one_of("tag", Duration::from_millis(ms), || format!("at {ms}"));
        }
        journal.note_one_of("magic", Duration::from_millis(1), || "another".to_owned());
        assert_eq!(journal.take(), ["at 0", "at 1000 (and 999 more of this kind before)", "another"]);
        assert!(journal.take().is_empty());
    }
}
