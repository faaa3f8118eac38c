//! Statements, and those that compute.

use super::generator::Generator;
use super::region::{Region, Together};
use ir::{BinaryOp, Class, CompareOp, Dim, Op, Special, TernaryOp, UnaryOp};

impl Generator<'_> {
    pub(super) fn statements(&mut self, mut region: Region, most: usize) {
        for _ in 0..=self.choices.below(most) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(&mut region);
        }
    }

    fn statement(&mut self, region: &mut Region) {
        let is_shallow = region.depth < 4;
        // The statements of every kernel, those of clusters, and those of barrier objects and copies in bulk.
        let in_clusters = if self.fixed.cluster.is_some() { 8 } else { 0 };
        let with_objects = if self.has_objects { 5 } else { 0 };
        let nth = self.choices.below(34 + in_clusters + with_objects);
        let nth = if nth >= 34 + in_clusters { nth - in_clusters + 8 } else { nth };
        let all_are_there = region.is_uniform() && !self.has_exits;
        match nth {
            7 => self.own_copy(),
            8..10 => self.load_input(),
            10..12 => self.own_memory(),
            12 => self.own_atomic(),
            13 => self.counter(),
            14..19 => self.collective_statement(region),
            19..22 if is_shallow => self.branch(region),
            22..24 if is_shallow => self.repeat(region),
            24 => self.leave_turn(region),
            25 if region.depth == 0 => self.exit_some(region),
            26 if self.is_independent => self.meet_from_two_sides(region),
            27..30 if region.is_uniform() => self.barrier_statement(region),
            30 => self.order(),
            31 => self.warp_exchange(region),
            // What they call may be much. In lockstep only lanes of structured code are sure to meet again.
            32..34 if region.depth < 2 && self.is_independent => self.calls(region),
            34..42 if region.who == Together::Cluster => self.cluster_statement(region),
            42..44 if all_are_there && self.is_independent => self.object_statement(region),
            44..46 if all_are_there && self.is_independent => self.copy_statement(region),
            // No target has lockstep and such copies, after which lanes wait each for its own.
            46 if self.is_independent => self.copy_out(),
            _ => self.perhaps_guarded(Self::compute),
        }
    }

    pub(super) fn compute(&mut self) {
        match self.choices.below(10) {
            0 => {
                let class = if self.choices.one_in(4) { Class::W64 } else { Class::W32 };
                let (d, a) = (self.target(class), self.value(class));
                self.b.copy_to(d, a);
            }
            1 => {
                let all: Vec<UnaryOp> = UnaryOp::all().collect();
                let op = self.choices.pick(&all, UnaryOp::Mov32);
                let ([a], d) = op.signature();
                let (a, d) = (self.value(a), self.target(d));
                self.b.unary_to(d, op, a);
            }
            2 => {
                use BinaryOp as B;
                const COMMON: [B; 8] = [
                    B::AddI32,
                    B::SubI32,
                    B::MulLo32,
                    B::And32,
                    B::Xor32,
                    B::ShrU32,
                    B::AddI64,
                    B::Pack64,
                ];
                let op = self.choices.pick(&COMMON, B::AddI32);
                self.binary(op);
            }
            3 | 4 => {
                let all: Vec<BinaryOp> = BinaryOp::all().collect();
                let op = self.choices.pick(&all, BinaryOp::AddI32);
                self.binary(op);
            }
            5 => {
                let all: Vec<TernaryOp> = TernaryOp::all().collect();
                let op = self.choices.pick(&all, TernaryOp::MadLo32);
                let ([a, b, c], d) = op.signature();
                let (a, b, c) = (self.value(a), self.value(b), self.value(c));
                let d = self.target(d);
                self.b.ternary_to(d, op, a, b, c);
            }
            6 => {
                let all: Vec<CompareOp> = CompareOp::all().collect();
                let op = self.choices.pick(&all, CompareOp::LtU32);
                let ([a, b], _) = op.signature();
                let (a, b, d) = (self.value(a), self.value(b), self.target(Class::Pred));
                self.b.push(Op::Compare { op, d, a, b });
            }
            7 => {
                let table = self.choices.below(16) as u8;
                let (a, b, d) = (self.pred(), self.pred(), self.target(Class::Pred));
                self.b.push(Op::Logic { table, d, a, b });
            }
            8 => {
                let class = if self.choices.one_in(3) { Class::W64 } else { Class::W32 };
                let (a, b, p) = (self.value(class), self.value(class), self.pred());
                let d = self.target(class);
                self.b.push(Op::Select { d, a, b, p });
            }
            _ => self.special(),
        }
    }

    fn binary(&mut self, op: BinaryOp) {
        let ([a, b], d) = op.signature();
        let (a, b, d) = (self.value(a), self.value(b), self.target(d));
        self.b.binary_to(d, op, a, b);
    }

    fn special(&mut self) {
        let dim = self.choices.pick(&[Dim::X, Dim::Y, Dim::Z], Dim::X);
        let constant = self.choices.below(9) as u32;
        let all = [
            Special::Tid(dim),
            Special::Ntid(dim),
            Special::Ctaid(dim),
            Special::Nctaid(dim),
            Special::Clusterid(dim),
            Special::Nclusterid(dim),
            Special::ClusterCtaid(dim),
            Special::ClusterNctaid(dim),
            Special::ClusterCtarank,
            Special::ClusterNctarank,
            Special::IsExplicitCluster,
            Special::Laneid,
            Special::Warpid,
            Special::Nwarpid,
            Special::LanemaskEq,
            Special::LanemaskLe,
            Special::LanemaskLt,
            Special::LanemaskGe,
            Special::LanemaskGt,
            Special::DynamicSmemSize,
            Special::TotalSmemSize,
            Special::DynamicSharedBase,
            Special::Constant(constant),
        ];
        let what = self.choices.pick(&all, Special::Laneid);
        let d = self.target(Class::W32);
        self.b.push(Op::Special { d, what });
    }
}
