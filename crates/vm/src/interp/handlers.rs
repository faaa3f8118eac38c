//! The handlers of memory operations, for each space, width and base.

use super::atomic::{Atomic, Cell};
use super::element::Element;
use super::handler::select;
use super::memory::{Load, Store};
use super::program::Handler;
use super::reach::{Generic, Global, Local, Param, Reach, Shared};
use crate::Level;
use ir::{Access, Space};

/// Calls a function with the space as its type.
macro_rules! by_space {
    ($space:expr, $function:ident($($argument:expr),*)) => {
        match $space {
            Space::Generic => $function::<Generic>($($argument),*),
            Space::Global => $function::<Global>($($argument),*),
            Space::Shared => $function::<Shared>($($argument),*),
            Space::Local => $function::<Local>($($argument),*),
            Space::Param => $function::<Param>($($argument),*),
        }
    };
}

/// The handler of a load.
pub(super) fn load_handler(space: Space, access: Access, wide: bool, level: Level) -> Handler {
    fn of<S: Reach, E: Element>(wide: bool, level: Level) -> Handler {
        match wide {
            true => select::<Load<S, E, u64>>(level),
            false => select::<Load<S, E, u32>>(level),
        }
    }
    fn element<S: Reach>(access: Access, wide: bool, level: Level) -> Handler {
        match access {
            Access::U8 => of::<S, u8>(wide, level),
            Access::S8 => of::<S, i8>(wide, level),
            Access::U16 => of::<S, u16>(wide, level),
            Access::S16 => of::<S, i16>(wide, level),
            Access::B32 => of::<S, u32>(wide, level),
            Access::B64 => of::<S, u64>(wide, level),
        }
    }
    by_space!(space, element(access, wide, level))
}

/// The handler of a store.
pub(super) fn store_handler(space: Space, access: Access, wide: bool, level: Level) -> Handler {
    fn of<S: Reach, E: Element>(wide: bool, level: Level) -> Handler {
        match wide {
            true => select::<Store<S, E, u64>>(level),
            false => select::<Store<S, E, u32>>(level),
        }
    }
    fn element<S: Reach>(access: Access, wide: bool, level: Level) -> Handler {
        match access {
            Access::U8 | Access::S8 => of::<S, u8>(wide, level),
            Access::U16 | Access::S16 => of::<S, u16>(wide, level),
            Access::B32 => of::<S, u32>(wide, level),
            Access::B64 => of::<S, u64>(wide, level),
        }
    }
    by_space!(space, element(access, wide, level))
}

/// The handler of an atomic update.
pub(super) fn atomic_handler(space: Space, access: Access, level: Level) -> Handler {
    fn of<S: Reach, E: Cell>(level: Level) -> Handler {
        select::<Atomic<S, E>>(level)
    }
    fn cell<S: Reach>(access: Access, level: Level) -> Handler {
        match access {
            // No atomic has byte cells; the front ends never ask for one.
            Access::U8 | Access::S8 | Access::U16 | Access::S16 => of::<S, u16>(level),
            Access::B32 => of::<S, u32>(level),
            Access::B64 => of::<S, u64>(level),
        }
    }
    by_space!(space, cell(access, level))
}
