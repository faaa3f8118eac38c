//! How operations are written: the one table from which printer and parser come.

/// Calls `$with!` with the forms. A row reads `name, (operation) = [results] [modifiers] [operands]`: the operation is at once
/// the pattern that takes its fields apart and the expression that puts them together, so that a field or an operation
/// that is forgotten is a compile error. No name is the beginning of another. Scalar operations are called after their
/// row in [`table`](crate::table).
macro_rules! op_forms {
    ($with:ident) => {
        $with! {
            scalar {
                op: UnaryOp, (Op::Unary { op, d, a }) = [d] [a];
                op: BinaryOp, (Op::Binary { op, d, a, b }) = [d] [a, b];
                op: TernaryOp, (Op::Ternary { op, d, a, b, c }) = [d] [a, b, c];
                op: CompareOp, (Op::Compare { op, d, a, b }) = [d] [a, b];
            }
            named {
                "logic", (Op::Logic { table, d, a, b }) = [d] [table] [a, b];
                "select", (Op::Select { d, a, b, p }) = [d] [] [p, a, b];
                "special", (Op::Special { d, what }) = [d] [what] [];
                "activemask", (Op::ActiveMask { d }) = [d] [] [];
                "load", (Op::Load { d, space, access, address, ordering }) = [d] [space, access, ordering] [address];
                "store", (Op::Store { values, space, access, address, ordering })
                    = [] [space, access, ordering] [address, values];
                "atomic", (Op::Atomic { d, update, space, access, address, b, c, ordering })
                    = [d] [update, space, access, ordering] [address, b, c];
                "shfl", (Op::Collective { what: Collective::Shfl { mode, d, p, a, b, c }, members, aligned })
                    = [d, p] [mode, aligned] [a, b, c, members];
                "vote", (Op::Collective { what: Collective::Vote { mode, d, a }, members, aligned })
                    = [d] [mode, aligned] [a, members];
                "ballot", (Op::Collective { what: Collective::Ballot { d, a }, members, aligned })
                    = [d] [aligned] [a, members];
                "match.any", (Op::Collective { what: Collective::MatchAny { d, a, wide }, members, aligned })
                    = [d] [wide, aligned] [a, members];
                "match.all", (Op::Collective { what: Collective::MatchAll { d, p, a, wide }, members, aligned })
                    = [d, p] [wide, aligned] [a, members];
                "redux", (Op::Collective { what: Collective::Redux { op, d, a }, members, aligned })
                    = [d] [op, aligned] [a, members];
                "redux_f32", (Op::Collective {
                    what: Collective::ReduxF32 { mode: ReduxF32 { op, abs, propagate_nan }, d, a }, members, aligned
                }) = [d] [op, abs, propagate_nan, aligned] [a, members];
                "elect", (Op::Collective { what: Collective::Elect { d, p }, members, aligned })
                    = [p, d] [aligned] [members];
                "movmatrix", (Op::Collective { what: Collective::MovMatrix { d, a }, members, aligned })
                    = [d] [aligned] [a, members];
                "warpsync", (Op::Collective { what: Collective::WarpSync, members, aligned })
                    = [] [aligned] [members];
                "matrix", (Op::Collective {
                    what: Collective::Matrix(MatrixForm { work, qualifiers }), members, aligned
                }) = [] [work, qualifiers, aligned] [members];
                "mma", (Op::Collective { what: Collective::Mma(product), members, aligned })
                    = [] [aligned] [product, members];
                "barrier.sync", (Op::Barrier { action: BarrierAction::Sync, id, threads, aligned })
                    = [] [aligned] [id, threads];
                "barrier.arrive", (Op::Barrier { action: BarrierAction::Arrive, id, threads, aligned })
                    = [] [aligned] [id, threads];
                "barrier.reduce", (Op::Barrier {
                    action: BarrierAction::Reduce { op, d, p }, id, threads, aligned
                }) = [d] [op, aligned] [p, id, threads];
                "cluster.arrive", (Op::ClusterBarrier { half: ClusterHalf::Arrive { releases }, aligned })
                    = [] [releases, aligned] [];
                "cluster.wait", (Op::ClusterBarrier { half: ClusterHalf::Wait, aligned }) = [] [aligned] [];
                "fence", (Op::Fence(Fence { sequential, scope })) = [] [scope, sequential] [];
                "nanosleep", (Op::Nanosleep { nanoseconds }) = [] [] [nanoseconds];
                "copy.begins", (Op::Copy(copy)) = [] [] [copy];
                "copy.commits", (Op::CopyProgress(CopyProgress::Commits(of))) = [] [of] [];
                "copy.waits", (Op::CopyProgress(CopyProgress::Waits { of, groups, reads })) = [] [of, reads] [groups];
                "copy.signals", (Op::CopyProgress(CopyProgress::Signals(space, object))) = [] [space] [object];
                "copy.fences", (Op::CopyProgress(CopyProgress::Fences)) = [] [] [];
                "host", (Op::Host { service, d, operands }) = [d] [service] [operands];
            }
        }
    };
}

pub(super) use op_forms;
