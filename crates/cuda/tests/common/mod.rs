//! What tests that use the driver have in common.
#![allow(unsafe_code, unused_macros, unused_imports)]

/// Calls a function that succeeds.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: all pointers are to values that live, or null.
        let result = unsafe { $name($($argument),*) };
        assert_eq!(result, CUresult::SUCCESS, "{}", stringify!($name));
    }};
}
pub(crate) use call;

/// The result of a function.
macro_rules! result {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: as above.
        unsafe { $name($($argument),*) }
    }};
}
pub(crate) use result;

/// What a function leaves in its first parameter.
macro_rules! made {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let mut made = Default::default();
        $crate::common::call!($name(Out::new(&mut made), $($argument),*));
        made
    }};
}
pub(crate) use made;

use cuda::abi::Address;

/// The address of a value of the test's.
pub(crate) fn address<T>(of: &T) -> Address {
    Address(std::ptr::from_ref(of).expose_provenance() as u64)
}
