//! `cuGraphDebugDotPrint`: a graph as a text that Graphviz draws.

use super::object::{Conditional, Graph, Node, Work, get};
use crate::abi::constants::*;
use crate::abi::{Answer, CUgraph, CUgraphNode, CUresult, Text};
use crate::driver::driver;
use crate::memory::{Kind, Side, find};
use crate::operation::{Call, Chosen, Launch, Operation};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

/// What of a node its text says, besides its number, its kind, and the name of a kernel or the direction of a copy.
#[derive(Clone, Copy)]
struct Wanted(u32);

impl Wanted {
    fn has(self, flag: u32) -> bool {
        self.0 & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) != 0
    }
}

/// `cuGraphDebugDotPrint`.
pub(crate) fn print(graph: CUgraph, path: Text, flags: u32) -> Answer {
    driver()?;
    let graph = get(graph)?;
    let path = file_name(path.bytes()?);
    let mut drawing = Drawing { text: String::new(), wanted: Wanted(flags), graphs: 0 };
    drawing.text.push_str("digraph dot {\n");
    drawing.graph(&graph, "");
    drawing.text.push_str("}\n");
    fs::write(path, drawing.text).map_err(|_| CUresult::OPERATING_SYSTEM)
}

#[cfg(unix)]
fn file_name(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn file_name(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// What is written.
struct Drawing {
    text: String,
    wanted: Wanted,
    /// How many graphs have begun.
    graphs: usize,
}

impl Drawing {
    /// A graph, and those inside its nodes.
    fn graph(&mut self, graph: &Graph, title: &str) {
        let number = self.graphs;
        self.graphs += 1;
        let nodes = graph.nodes().clone();
        let name = |nth: usize| format!("\"graph_{number}_node_{nth}\"");
        let of: HashMap<CUgraphNode, usize> =
            nodes.iter().enumerate().map(|(nth, node)| (node.handle, nth)).collect();
        let _ = writeln!(self.text, "subgraph cluster_{number} {{\nlabel=\"{title}\"");
        for (nth, node) in nodes.iter().enumerate() {
            let label = self.label(nth, node);
            let _ = writeln!(self.text, "{} [shape=\"box\" label=\"{label}\"];", name(nth));
        }
        for (nth, node) in nodes.iter().enumerate() {
            for before in node.after.iter().filter_map(|handle| of.get(handle)) {
                let _ = writeln!(self.text, "{} -> {};", name(*before), name(nth));
            }
        }
        self.text.push_str("}\n");
        for (nth, node) in nodes.iter().enumerate() {
            let inside = |of: &str| format!("{of} node {nth} of graph {number}");
            match &node.work {
                Work::Child(graph, _) => self.graph(graph, &inside("child of")),
                Work::Conditional(conditional) => {
                    for (body, (graph, _)) in conditional.bodies.iter().enumerate() {
                        self.graph(graph, &inside(&format!("body {body} of")));
                    }
                }
                Work::Operation(_) | Work::Alloc(_) | Work::Free(_) => {}
            }
        }
    }

    /// What a node is, in lines.
    fn label(&self, nth: usize, node: &Node) -> String {
        let mut lines = vec![nth.to_string(), self.of_work(&node.work)];
        if self.wanted.has(CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES) {
            lines.push(format!("handle 0x{:x}", node.handle.0));
        }
        let escaped = lines.join("\n").replace('\\', "\\\\").replace('"', "\\\"");
        escaped.replace('\n', "\\n")
    }

    fn of_work(&self, work: &Work) -> String {
        let with = |kind: &str, flag, more: &dyn Fn() -> String| match self.wanted.has(flag) {
            true => format!("{kind}\n{}", more()),
            false => kind.to_owned(),
        };
        match work {
            Work::Operation(operation) => self.of_operation(operation),
            Work::Child(..) => "GRAPH".to_owned(),
            Work::Alloc(memory) => {
                with("MEM_ALLOC", CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS, &|| {
                    format!("address 0x{:x}", memory.address())
                })
            }
            Work::Free(address) => {
                with("MEM_FREE", CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS, &|| {
                    format!("address 0x{address:x}")
                })
            }
            Work::Conditional(Conditional { word, chosen, .. }) => {
                let kind = match chosen {
                    Chosen::If => "CONDITIONAL IF",
                    Chosen::While => "CONDITIONAL WHILE",
                    Chosen::Switch => "CONDITIONAL SWITCH",
                };
                with(kind, CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS, &|| {
                    format!("condition 0x{word:x}")
                })
            }
        }
    }

    fn of_operation(&self, operation: &Operation) -> String {
        match operation {
            Operation::Launch(launch) => self.of_launch(launch),
            Operation::Copy(rows) => {
                let mut text = format!("MEMCPY\n{}to{}", place(&rows.from), place(&rows.to));
                if self.wanted.has(CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS) {
                    let (from, to) = (rows.from.address, rows.to.address);
                    let _ = write!(text, "\nfrom 0x{from:x} to 0x{to:x}, {:?} bytes", rows.extent);
                }
                text
            }
            Operation::Fill { to, value, width, height, .. } => {
                let mut text = "MEMSET".to_owned();
                if self.wanted.has(CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS) {
                    let _ = write!(text, "\n{value:?} to 0x{to:x}, {width} by {height}");
                }
                text
            }
            Operation::Call(call) => {
                let mut text = "HOST".to_owned();
                if self.wanted.has(CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS) {
                    let (function, data) = match *call {
                        Call::Host(function, data) => (function as usize, data),
                        Call::Stream(function, _, data) => (function as usize, data),
                    };
                    let _ = write!(text, "\nfunction 0x{function:x}, data 0x{:x}", data.0);
                }
                text
            }
            Operation::Record(_) => "EVENT_RECORD".to_owned(),
            Operation::Wait(_) => "EVENT_WAIT".to_owned(),
            Operation::Write(_) | Operation::Await(..) => "BATCH_MEM_OP".to_owned(),
            Operation::Free(_) => "MEM_FREE".to_owned(),
            Operation::Choose(_) => "CONDITIONAL".to_owned(),
            Operation::Nothing | Operation::Keep(_) => "EMPTY".to_owned(),
        }
    }

    fn of_launch(&self, launch: &Arc<Launch>) -> String {
        let mut text = format!("KERNEL\n{}", launch.function.kernel.name());
        let Launch { grid, block, shared, handle, cooperative, .. } = &**launch;
        if self.wanted.has(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS) {
            let _ = write!(text, "\ngrid {grid:?}, block {block:?}, {shared} bytes");
        }
        if self.wanted.has(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES) {
            let _ = write!(text, "\ncooperative {}", u8::from(*cooperative));
        }
        if self.wanted.has(CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES) {
            let _ = write!(text, "\nfunction 0x{:x}", handle.0);
        }
        text
    }
}

/// Where a side of a copy is: of the host, or of a device.
fn place(side: &Side) -> &'static str {
    match find(side.address).map(|block| block.kind) {
        None | Some(Kind::Host | Kind::Registered) => "H",
        Some(Kind::Device | Kind::Managed | Kind::Array | Kind::Graph | Kind::Pooled(_)) => "D",
    }
}
