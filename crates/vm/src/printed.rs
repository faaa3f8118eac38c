//! The text that a kernel prints.

use std::collections::BTreeMap;

/// Bytes that are kept, of one CTA and of a whole launch.
const MAX_OF_CTA: usize = 1 << 20;
const MAX_OF_LAUNCH: usize = 64 << 20;

/// Text with a limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    bytes: Vec<u8>,
    dropped: u64,
}

impl Text {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.dropped == 0
    }

    pub(crate) fn push(&mut self, text: &[u8]) {
        if self.bytes.len() + text.len() > MAX_OF_CTA {
            self.dropped += text.len() as u64;
        } else {
            self.bytes.extend_from_slice(text);
        }
    }
}

/// What the CTAs of a launch printed (CUDA C++ Programming Guide, "Formatted Output").
#[derive(Clone, Debug, Default)]
pub struct Printed {
    /// By the number of the CTA.
    ctas: BTreeMap<u64, Vec<u8>>,
    bytes: usize,
    dropped: u64,
}

impl Printed {
    /// Takes what a CTA printed.
    pub(crate) fn take(&mut self, cta: u64, text: &mut Text) {
        self.dropped += std::mem::take(&mut text.dropped);
        let bytes = std::mem::take(&mut text.bytes);
        if self.bytes + bytes.len() > MAX_OF_LAUNCH {
            self.dropped += bytes.len() as u64;
        } else if !bytes.is_empty() {
            self.bytes += bytes.len();
            self.ctas.insert(cta, bytes);
        }
    }

    /// Adds what another grid printed, behind this one.
    pub fn append(&mut self, other: &Printed) {
        let behind = self.ctas.last_key_value().map_or(0, |(cta, _)| cta.saturating_add(1));
        for (nth, text) in (behind..).zip(other.ctas.values()) {
            self.take(nth, &mut Text { bytes: text.clone(), dropped: 0 });
        }
        self.dropped += other.dropped;
    }

    /// Forgets what CTAs behind one printed.
    pub(crate) fn forget_behind(&mut self, cta: u64) {
        self.ctas.split_off(&cta.saturating_add(1));
        self.bytes = self.ctas.values().map(Vec::len).sum();
    }

    /// The text, CTA after CTA; of one CTA, in the order in which its threads printed.
    pub fn text(&self) -> Vec<u8> {
        self.ctas.values().flatten().copied().collect()
    }

    /// Bytes that were dropped because a CTA printed more than 1 MiB, or the launch more than 64 MiB.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}
