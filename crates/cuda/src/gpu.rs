//! A device with what is on it.

use crate::abi::{Answer, CUdevice, CUresult};
use crate::say;
use std::sync::atomic::AtomicU64;
use std::sync::{OnceLock, PoisonError, RwLock};
use warpwise::{Properties, Quarantine, Session, order};

/// A device.
#[derive(Debug)]
pub(crate) struct Gpu {
    pub(crate) ordinal: CUdevice,
    pub(crate) properties: Properties,
    session: OnceLock<Option<Session>>,
    /// Whether launches are checked: then nothing that was freed is given out again.
    is_checked: bool,
    /// The devices whose memory its kernels may access.
    peers: RwLock<Vec<CUdevice>>,
    /// Bytes of memory that are in use.
    pub(crate) used: AtomicU64,
    /// The most bytes that graphs have had at one time.
    pub(crate) graphs_high: AtomicU64,
}

impl Gpu {
    pub(crate) fn new(ordinal: CUdevice, properties: Properties, is_checked: bool) -> Gpu {
        Gpu {
            ordinal,
            properties,
            session: OnceLock::new(),
            is_checked,
            peers: RwLock::default(),
            used: AtomicU64::new(0),
            graphs_high: AtomicU64::new(0),
        }
    }

    /// Its session, which begins when it is first needed.
    ///
    /// # Errors
    /// The host gives no address range.
    pub(crate) fn session(&self) -> Answer<&Session> {
        let begin = || match Session::new(self.properties.clone()) {
            Ok(session) => {
                if self.is_checked {
                    session.device().set_quarantine(Quarantine::Forever);
                    order::track();
                }
                Some(session)
            }
            Err(error) => {
                say::once(&error.to_string());
                None
            }
        };
        self.session.get_or_init(begin).as_ref().ok_or(CUresult::OUT_OF_MEMORY)
    }

    /// Whether an address is one of those that its memory has, in an allocation or not.
    pub(crate) fn has(&self, address: u64) -> bool {
        let session = self.session.get().and_then(Option::as_ref);
        session.is_some_and(|session| session.device().memory().addresses().contains(&address))
    }

    /// Whether its kernels may access the memory of another device.
    pub(crate) fn reaches(&self, other: CUdevice) -> bool {
        self.peers.read().unwrap_or_else(PoisonError::into_inner).contains(&other)
    }

    /// From now on they may, or may not. Whether that is new.
    pub(crate) fn set_reach(&self, other: CUdevice, reach: bool) -> bool {
        let mut peers = self.peers.write().unwrap_or_else(PoisonError::into_inner);
        let known = peers.contains(&other);
        match reach {
            true if !known => peers.push(other),
            true => {}
            false => peers.retain(|peer| *peer != other),
        }
        known != reach
    }

    /// Its compute capability.
    pub(crate) fn capability(&self) -> (u32, u32) {
        let digits: String = self.properties.target.chars().filter(char::is_ascii_digit).collect();
        let number = digits.parse::<u32>().unwrap_or(0);
        (number / 10, number % 10)
    }
}
