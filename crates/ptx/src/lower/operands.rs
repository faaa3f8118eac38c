//! Operands of an instruction as IR operands: registers, constants, predicates, addresses.

use super::errors::Result;
use super::layout;
use super::lowering::Lowering;
use super::scope::{self, Entity, Placing};
use crate::catalogue::Matched;
use crate::special;
use crate::syntax::ast::{Address as AddressOperand, Constant, Name, Operand, OperandKind};
use crate::syntax::{ScalarType, Space};
use crate::types::{self, Fit, Kind, class_of};
use diag::Diagnostic;
use ir::{Address, BinaryOp, Class, CompareOp, Op, Pred, Reg, Special, Src, UnaryOp};

/// How a value narrower than its register fills it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extend {
    /// With zeros.
    Zero,
    /// With copies of the sign.
    Sign,
}

impl Extend {
    /// The extension that the ISA prescribes for a type.
    pub fn of(ty: ScalarType) -> Extend {
        match ty {
            ScalarType::S8 | ScalarType::S16 | ScalarType::S32 | ScalarType::S64 => Extend::Sign,
            _ => Extend::Zero,
        }
    }
}

impl Lowering {
    /// The operand of that name. Asking for an operand that the form does not have is a bug of the
    /// catalogue entry and is reported as one.
    pub fn operand<'a>(&self, inst: &Matched<'a>, name: &str) -> Result<&'a Operand> {
        inst.operand(name).ok_or_else(|| {
            let message = format!("the catalogue has no operand `{name}` here");
            let bug = Diagnostic::new(diag::Severity::Error, diag::Class::Bug, message);
            Box::new(bug.label(inst.instruction.span, ""))
        })
    }

    /// A number that instructions of the kernel have in common if opcode and qualifiers are the same.
    pub fn qualifiers(&mut self, inst: &Matched<'_>) -> u32 {
        let mut text = inst.instruction.opcode.to_string();
        for suffix in &inst.instruction.suffixes {
            text.push('.');
            text.push_str(suffix);
        }
        let next = self.qualifiers.len() as u32;
        *self.qualifiers.entry(text).or_insert(next)
    }

    /// An error at an operand.
    pub fn reject<T>(&self, operand: &Operand, message: impl Into<String>) -> Result<T> {
        Err(Box::new(Diagnostic::error(operand.span, message)))
    }

    /// What is written and not implemented.
    pub fn unsupported<T>(&self, inst: &Matched<'_>, what: impl Into<String>) -> Result<T> {
        Err(Box::new(Diagnostic::unsupported(inst.instruction.span, what)))
    }

    /// The value of a source operand in the class of its type. Registers narrower than 32 bits are
    /// zero-extended; a wider register of a relaxed operand is cut to the type's width.
    pub fn value(&mut self, inst: &Matched<'_>, name: &str) -> Result<Src> {
        let operand = self.operand(inst, name)?;
        self.value_of(operand, inst.operand_type(name))
    }

    /// Like [`Lowering::value`], with 8- and 16-bit integers extended to 32 bits as their type says.
    pub fn extended(&mut self, inst: &Matched<'_>, name: &str) -> Result<Src> {
        let ty = inst.operand_type(name);
        let value = self.value(inst, name)?;
        Ok(self.extend(value, ty))
    }

    /// Extends the low bits of a 32-bit value as an 8- or 16-bit type says; other types pass.
    pub fn extend(&mut self, value: Src, ty: ScalarType) -> Src {
        let op = match ty {
            ScalarType::S8 => UnaryOp::SignExtend8,
            ScalarType::S16 => UnaryOp::SignExtend16,
            ScalarType::U8 | ScalarType::B8 => UnaryOp::ZeroExtend8,
            ScalarType::U16 | ScalarType::B16 => UnaryOp::ZeroExtend16,
            _ => return value,
        };
        match value {
            Src::Imm(bits) => Src::Imm(op.eval([bits])),
            Src::Reg(_) => self.b.unary(op, value).into(),
        }
    }

    /// The value of any source operand as type `ty`.
    pub fn value_of(&mut self, operand: &Operand, ty: ScalarType) -> Result<Src> {
        match &operand.kind {
            OperandKind::Constant(constant) => self.constant(operand, *constant, ty),
            OperandKind::Name(name) => match self.entity(name)? {
                Entity::Register(index) => {
                    let reg = self.register(index, name)?;
                    self.fit(operand, reg, self.declared(index), ty)
                }
                Entity::Special => self.special(name, None, ty),
                Entity::Variable(index) => {
                    self.require_width(operand, ty)?;
                    let (address, space) = self.variable_address(index, 0, operand)?;
                    if types::kind(self.scopes.scalars[index]) == Kind::Opaque {
                        return Ok(self.handle_at(address, space));
                    }
                    let address = self.for_all(address, space);
                    Ok(self.at_width(address, ty))
                }
                Entity::Function(index) => {
                    self.require_width(operand, ty)?;
                    match self.scopes.functions[index].address {
                        Some(address) => Ok(Src::Imm(address)),
                        None => self.reject(operand, format!("`{name}` has no address here")),
                    }
                }
                Entity::Vector(_) | Entity::Label(_) => {
                    self.reject(operand, format!("`{name}` is not a value"))
                }
            },
            OperandKind::NamePlus(name, offset) => match self.entity(name)? {
                Entity::Register(index) => {
                    let reg = self.register(index, name)?;
                    let base = self.fit(operand, reg, self.declared(index), ty)?;
                    let op = if ty.bits() == 64 { BinaryOp::AddI64 } else { BinaryOp::AddI32 };
                    Ok(self.b.binary(op, base, Src::Imm(offset.cast_unsigned())).into())
                }
                Entity::Variable(index) => {
                    self.require_width(operand, ty)?;
                    let (address, space) = self.variable_address(index, *offset, operand)?;
                    let address = self.for_all(address, space);
                    Ok(self.at_width(address, ty))
                }
                Entity::Vector(_) | Entity::Special | Entity::Function(_) | Entity::Label(_) => {
                    self.reject(operand, format!("`{name}` cannot be added to"))
                }
            },
            OperandKind::Component(name, part) => match self.entity(name)? {
                Entity::Special => self.special(name, Some(part), ty),
                Entity::Register(_)
                | Entity::Vector(_)
                | Entity::Variable(_)
                | Entity::Function(_)
                | Entity::Label(_) => self.reject(operand, "components exist on special registers"),
            },
            OperandKind::Minus(_) => self.reject(operand, "a register cannot be negated here"),
            OperandKind::Negated(_) => self.reject(operand, "only predicates can be negated"),
            OperandKind::Sink => self.reject(operand, "`_` holds no value"),
            OperandKind::Element(name, index) => {
                self.require_width(operand, ty)?;
                let (address, space) = self.element_address(operand, name, index)?;
                let address = self.for_all(address, space);
                Ok(self.at_width(address, ty))
            }
            OperandKind::Pair(..)
            | OperandKind::Vector(_)
            | OperandKind::Address(_)
            | OperandKind::List(_) => {
                self.reject(operand, "a register or a constant must stand here")
            }
        }
    }

    fn agrees(&self, declared: ScalarType, wanted: ScalarType) -> bool {
        types::agrees(declared, wanted, if self.relaxed { Fit::Wider } else { Fit::Instruction })
    }

    /// Checks a register's declared type against the wanted one and cuts a wider register.
    fn fit(
        &mut self,
        operand: &Operand,
        reg: Reg,
        declared: ScalarType,
        wanted: ScalarType,
    ) -> Result<Src> {
        if !self.agrees(declared, wanted) {
            return Err(Box::new(
                Diagnostic::error(
                    operand.span,
                    format!("type mismatch: a {declared} register where {wanted} is needed"),
                )
                .note("PTX ISA 9.1, 9.2 \"Type Information for Instructions and Operands\""),
            ));
        }
        if declared.bits() == 64 && wanted.bits() < 64 {
            let low: Src = self.b.unary(UnaryOp::Low32, reg).into();
            return Ok(self.cut(low, wanted));
        }
        if declared.bits() > wanted.bits() {
            return Ok(self.cut(reg.into(), wanted));
        }
        Ok(reg.into())
    }

    /// Clears the bits above a narrow type.
    fn cut(&mut self, value: Src, ty: ScalarType) -> Src {
        match ty.bits() {
            8 => self.b.unary(UnaryOp::ZeroExtend8, value).into(),
            16 => self.b.unary(UnaryOp::ZeroExtend16, value).into(),
            _ => value,
        }
    }

    fn constant(&self, operand: &Operand, constant: Constant, ty: ScalarType) -> Result<Src> {
        let bits = match (constant, ty) {
            (Constant::Int { bits, .. }, ScalarType::F64) if bits != 0 => {
                return self.reject(operand, "an integer constant where a float is needed");
            }
            (Constant::Int { bits, .. }, _) => bits,
            (Constant::F32(bits), _) => u64::from(bits),
            (Constant::F64(bits), ScalarType::F64 | ScalarType::B64) => bits,
            (Constant::F64(bits), ScalarType::F32 | ScalarType::B32) => {
                u64::from(UnaryOp::F64ToF32(ir::Round::NearestEven).eval([bits]) as u32)
            }
            (Constant::F64(_), _) => {
                return self.reject(operand, format!("a float constant where {ty} is needed"));
            }
        };
        Ok(Src::Imm(match ty.bits() {
            64.. => bits,
            width => bits & ((1u64 << width) - 1),
        }))
    }

    fn special(&mut self, name: &Name, part: Option<&Name>, ty: ScalarType) -> Result<Src> {
        let found =
            special::find(name).and_then(|register| register.component(part.map(|part| &**part)));
        let what = match found {
            Some(special::Value::Of(what)) => what,
            Some(special::Value::Reserved(offset)) => {
                return Ok(Src::Imm(self.reserved_shared() + offset));
            }
            Some(special::Value::GridWorkspace(half)) => {
                return Ok(self.grid_workspace(half).into());
            }
            None => {
                let message = format!("there is no such special register: `{name}`");
                return Err(Box::new(Diagnostic::error(name.span, message)));
            }
        };
        let class = if what.is_wide() { Class::W64 } else { Class::W32 };
        let d = self.b.reg(class);
        self.b.push(Op::Special { d, what });
        if ty == ScalarType::Pred {
            return Ok(self.b.compare(CompareOp::NeI32, d, Src::Imm(0)).into());
        }
        Ok(match (class, ty.bits()) {
            (Class::W32, 64) => self.b.unary(UnaryOp::ZeroExtend32, d).into(),
            (Class::W64, 32) => self.b.unary(UnaryOp::Low32, d).into(),
            (_, 16) => self.b.unary(UnaryOp::ZeroExtend16, d).into(),
            _ => d.into(),
        })
    }

    /// Whether a generic address lies among the constant variables of the module.
    pub fn is_constant_address(&mut self, address: Src) -> Pred {
        if self.constants.is_empty() {
            return Pred::Const(false);
        }
        let base = self.b.reg(Class::W64);
        self.b.push(Op::Special { d: base, what: Special::ImageBase });
        let start = self.b.binary(BinaryOp::AddI64, base, Src::Imm(self.constants.start));
        let offset = self.b.binary(BinaryOp::SubI64, address, start);
        let bytes = self.constants.end - self.constants.start;
        self.b.compare(CompareOp::LtU64, offset, Src::Imm(bytes)).into()
    }

    /// Half of the address of what the grid synchronises with.
    fn grid_workspace(&mut self, half: special::Half) -> Reg {
        let base = self.b.reg(Class::W64);
        self.b.push(Op::Special { d: base, what: Special::ImageBase });
        let offset = Src::Imm(self.grid_workspace.unwrap_or(0));
        let address = self.b.binary(BinaryOp::AddI64, base, offset);
        self.b.unary(
            match half {
                special::Half::Low => UnaryOp::Low32,
                special::Half::High => UnaryOp::High32,
            },
            address,
        )
    }

    /// The address of a variable in its own space (global and constant: generic), and that space.
    ///
    /// # Errors
    /// The variable cannot be used; `operand` names it.
    fn variable_address(
        &mut self,
        index: usize,
        offset: i64,
        operand: &Operand,
    ) -> Result<(Src, Space)> {
        let special = |lowering: &mut Self, what: Special| {
            let class = if what.is_wide() { Class::W64 } else { Class::W32 };
            let d = lowering.b.reg(class);
            lowering.b.push(Op::Special { d, what });
            d
        };
        let Some(placed) = self.placement(index, operand)? else {
            let base = special(self, Special::DynamicSharedBase);
            let base = self.b.unary(UnaryOp::ZeroExtend32, base);
            let offset = Src::Imm(offset.cast_unsigned());
            return Ok((self.b.binary(BinaryOp::AddI64, base, offset).into(), Space::Shared));
        };
        let (space, bytes) = (placed.space, placed.offset.wrapping_add(offset.cast_unsigned()));
        if let Some(base) = placed.base {
            return Ok((self.b.binary(BinaryOp::AddI64, base, Src::Imm(bytes)).into(), space));
        }
        if matches!(space, Space::Global | Space::Const) {
            let base = special(self, Special::ImageBase);
            return Ok((self.b.binary(BinaryOp::AddI64, base, Src::Imm(bytes)).into(), space));
        }
        Ok((Src::Imm(bytes), space))
    }

    /// What a variable of an opaque type holds, and is known by: the handle of a texture, sampler or surface. That the host binds
    /// one to the variable means that it writes the handle there.
    fn handle_at(&mut self, base: Src, space: Space) -> Src {
        let d = self.b.reg(Class::W64);
        let space = if space == Space::Param { ir::Space::Param } else { ir::Space::Global };
        let address = Address { base, offset: 0 };
        let (access, ordering) = (ir::Access::B64, ir::Ordering::Weak);
        self.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
        d.into()
    }

    fn at_width(&mut self, address: Src, ty: ScalarType) -> Src {
        match (address, ty.bits()) {
            (Src::Reg(reg), 32) => self.b.unary(UnaryOp::Low32, reg).into(),
            (Src::Reg(reg), 16) => {
                let low = self.b.unary(UnaryOp::Low32, reg);
                self.b.unary(UnaryOp::ZeroExtend16, low).into()
            }
            (Src::Imm(bits), 16) => Src::Imm(bits & 0xffff),
            _ => address,
        }
    }

    /// The address of an element of an array. The index counts scalars, whatever the array's dimensions; as NVIDIA's assembler
    /// computes it, the offset has 32 bits, with the sign that a constant gives it and without one from a register.
    fn element_address(
        &mut self,
        operand: &Operand,
        name: &Name,
        index: &Operand,
    ) -> Result<(Src, Space)> {
        let Entity::Variable(array) = self.entity(name)? else {
            return self.reject(operand, "only arrays have elements");
        };
        let bytes = layout::scalar_bytes(self.scopes.scalars[array]) as u32;
        if let OperandKind::Constant(Constant::Int { bits, .. }) = index.kind {
            let offset = (bits as u32).wrapping_mul(bytes).cast_signed();
            return self.variable_address(array, offset.into(), operand);
        }
        let index = match &index.kind {
            OperandKind::Name(name) | OperandKind::NamePlus(name, _)
                if let Entity::Register(register) = self.entity(name)? =>
            {
                let ty = self.declared(register);
                let value = self.register(register, name)?;
                let value = match class_of(ty) {
                    Some(Class::W64) => self.b.unary(UnaryOp::Low32, value).into(),
                    _ => self.extend(value.into(), ty),
                };
                match &index.kind {
                    OperandKind::NamePlus(_, offset) => {
                        let offset = Src::Imm(u64::from(offset.cast_unsigned() as u32));
                        self.b.binary(BinaryOp::AddI32, value, offset).into()
                    }
                    _ => value,
                }
            }
            _ => self.value_of(index, ScalarType::U32)?,
        };
        let offset = self.b.binary(BinaryOp::MulLo32, index, Src::Imm(bytes.into()));
        let (base, space) = self.variable_address(array, 0, operand)?;
        let offset = self.b.unary(UnaryOp::ZeroExtend32, offset);
        Ok((self.b.binary(BinaryOp::AddI64, base, offset).into(), space))
    }

    fn require_width(&self, operand: &Operand, ty: ScalarType) -> Result<()> {
        if matches!(ty.bits(), 16 | 32 | 64) && types::kind(ty) != Kind::Float {
            return Ok(());
        }
        self.reject(operand, format!("an address does not fit {ty}"))
    }

    /// The register that receives the result `name`; a register nobody reads for `_`.
    pub fn result(&mut self, inst: &Matched<'_>, name: &str) -> Result<Reg> {
        let operand = self.operand(inst, name)?;
        let operand = match &operand.kind {
            OperandKind::Pair(first, _) => first,
            _ => operand,
        };
        self.result_of(operand, inst.operand_type(name))
    }

    /// The register behind a result operand, checked against `ty`.
    pub fn result_of(&mut self, operand: &Operand, ty: ScalarType) -> Result<Reg> {
        match &operand.kind {
            OperandKind::Sink => match class_of(ty) {
                Some(class) => Ok(self.b.reg(class)),
                None => self.reject(operand, format!("no register holds {ty}")),
            },
            OperandKind::Name(name) => match self.entity(name)? {
                Entity::Register(index) => {
                    let declared = self.declared(index);
                    if !self.agrees(declared, ty) {
                        return self.reject(
                            operand,
                            format!("type mismatch: a {declared} register where {ty} is needed"),
                        );
                    }
                    self.register(index, name)
                }
                Entity::Vector(_)
                | Entity::Special
                | Entity::Variable(_)
                | Entity::Function(_)
                | Entity::Label(_) => self.reject(operand, "a result needs a register"),
            },
            _ => self.reject(operand, "a result needs a register"),
        }
    }

    /// The predicate half of `d|p`; `None` when it is missing or `_`.
    pub fn result_predicate(&mut self, inst: &Matched<'_>, name: &str) -> Result<Option<Reg>> {
        match &self.operand(inst, name)?.kind {
            OperandKind::Pair(_, second) => match second.kind {
                OperandKind::Sink => Ok(None),
                _ => self.result_of(second, ScalarType::Pred).map(Some),
            },
            _ => Ok(None),
        }
    }

    /// Writes a value of type `ty` to the result `name`, extended to the width of its register. Values
    /// narrower than 32 bits must already be extended to 32 bits as `ty` says.
    pub fn write(
        &mut self,
        inst: &Matched<'_>,
        name: &str,
        value: Src,
        ty: ScalarType,
    ) -> Result<()> {
        let operand = self.operand(inst, name)?;
        self.write_to(operand, value, ty)
    }

    /// Writes a value to a result operand, extended to the width of its register.
    pub fn write_to(&mut self, operand: &Operand, value: Src, ty: ScalarType) -> Result<()> {
        let d = self.result_of(operand, ty)?;
        let declared = self.declared_bits(operand).unwrap_or(ty.bits());
        match (declared, ty.bits()) {
            (64, 64) => self.b.unary_to(d, UnaryOp::Mov64, value),
            (64, _) if Extend::of(ty) == Extend::Sign => {
                self.b.unary_to(d, UnaryOp::SignExtend32, value);
            }
            (64, _) => self.b.unary_to(d, UnaryOp::ZeroExtend32, value),
            // Registers of 8 and 16 bits hold their value zero-extended.
            (16, _) => self.b.unary_to(d, UnaryOp::ZeroExtend16, value),
            (8, _) => self.b.unary_to(d, UnaryOp::ZeroExtend8, value),
            (1, _) => self.b.copy_to(d, value),
            _ => self.b.unary_to(d, UnaryOp::Mov32, value),
        }
        Ok(())
    }

    /// Declared width of the register behind an operand.
    pub fn declared_bits(&mut self, operand: &Operand) -> Option<u32> {
        let OperandKind::Name(name) = &operand.kind else { return None };
        match self.entity(name) {
            Ok(Entity::Register(index)) => Some(self.declared(index).bits()),
            _ => None,
        }
    }

    /// A predicate operand.
    pub fn predicate(&mut self, inst: &Matched<'_>, name: &str) -> Result<Pred> {
        let operand = self.operand(inst, name)?;
        self.predicate_of(operand)
    }

    fn predicate_of(&mut self, operand: &Operand) -> Result<Pred> {
        match &operand.kind {
            OperandKind::Negated(inner) => Ok(self.predicate_of(inner)?.negated()),
            OperandKind::Constant(Constant::Int { bits, .. }) => Ok(Pred::Const(*bits != 0)),
            _ => match self.value_of(operand, ScalarType::Pred)? {
                Src::Reg(reg) => Ok(Pred::Is(reg)),
                Src::Imm(bits) => Ok(Pred::Const(bits != 0)),
            },
        }
    }

    /// The elements of an operand that is a vector or a single value.
    pub fn elements<'a>(&self, operand: &'a Operand) -> &'a [Operand] {
        match &operand.kind {
            OperandKind::Vector(elements) => elements,
            _ => std::slice::from_ref(operand),
        }
    }

    /// An address operand, and the space of the variable it names, if it names one.
    pub fn address(&mut self, inst: &Matched<'_>, name: &str) -> Result<(Address, Option<Space>)> {
        let operand = self.operand(inst, name)?;
        match &operand.kind {
            OperandKind::Address(address) => self.address_of(operand, address),
            OperandKind::Element(name, index) => {
                let (base, space) = self.element_address(operand, name, index)?;
                Ok((Address { base, offset: 0 }, Some(space)))
            }
            _ => self.reject(operand, "an address in brackets must stand here"),
        }
    }

    /// An address operand as [`Lowering::address`] has it, and what stands behind it in the brackets.
    pub fn address_with<'a>(
        &mut self,
        inst: &Matched<'a>,
        name: &str,
    ) -> Result<(Address, Option<Space>, &'a [Operand])> {
        let operand = self.operand(inst, name)?;
        let OperandKind::Address(address) = &operand.kind else {
            return self.reject(operand, "an address in brackets must stand here");
        };
        let (found, space) = self.base_of(operand, address)?;
        Ok((found, space, &address.rest))
    }

    fn address_of(
        &mut self,
        operand: &Operand,
        address: &AddressOperand,
    ) -> Result<(Address, Option<Space>)> {
        match address.rest.first() {
            Some(extra) => self.reject(extra, "this instruction takes a plain address"),
            None => self.base_of(operand, address),
        }
    }

    fn base_of(
        &mut self,
        operand: &Operand,
        address: &AddressOperand,
    ) -> Result<(Address, Option<Space>)> {
        match &address.base.kind {
            OperandKind::Constant(Constant::Int { bits, .. }) => {
                Ok((Address { base: Src::Imm(*bits), offset: address.offset }, None))
            }
            OperandKind::Name(name) => match self.entity(name)? {
                Entity::Register(index) => {
                    let declared = self.declared(index);
                    if !matches!(declared.bits(), 32 | 64) || types::kind(declared) == Kind::Float {
                        return self.reject(
                            operand,
                            format!("a {declared} register cannot hold an address"),
                        );
                    }
                    let base = self.register(index, name)?.into();
                    Ok((Address { base, offset: address.offset }, None))
                }
                Entity::Variable(index) => {
                    if let Placing::At(scope::Variable { space, offset, base: Some(base) }) =
                        self.scopes.variables[index]
                    {
                        let offset = address.offset.wrapping_add(offset.cast_signed());
                        return Ok((Address { base: base.into(), offset }, Some(space)));
                    }
                    let (base, space) = self.variable_address(index, 0, operand)?;
                    Ok((Address { base, offset: address.offset }, Some(space)))
                }
                Entity::Vector(_) | Entity::Special | Entity::Function(_) | Entity::Label(_) => {
                    self.reject(operand, format!("`{name}` is not an address"))
                }
            },
            _ => self.reject(operand, "an address is a register, a variable or a constant"),
        }
    }
}
