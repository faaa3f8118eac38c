//! The compiled form and its evaluation.

/// A compiled text. Names are indices into an array of values.
#[derive(Debug)]
pub(crate) struct Program {
    pub(super) names: Vec<String>,
    pub(super) inputs: usize,
    pub(super) body: Vec<Statement>,
}

#[derive(Debug)]
pub(super) enum Statement {
    /// `name = value`, cut to the low bits given.
    Set {
        name: usize,
        keep: i64,
        value: Expr,
    },
    /// `Array[index] = value`
    Store {
        index: Expr,
        value: Expr,
    },
    If {
        condition: Expr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Switch {
        on: Expr,
        cases: Vec<(i64, Vec<Statement>)>,
    },
}

#[derive(Debug)]
pub(super) enum Expr {
    Number(i64),
    Name(usize),
    /// Bits of a name: shift right, then mask.
    Field {
        name: usize,
        low: u32,
        mask: i64,
    },
    /// An element of the array.
    Element(Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Unary {
    Not,
    Complement,
    Minus,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Binary {
    OrElse,
    AndAlso,
    Or,
    Xor,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
}

impl Program {
    /// The slot of a name.
    pub(crate) fn slot(&self, name: &str) -> Result<usize, String> {
        self.names.iter().position(|known| known == name).ok_or(format!("`{name}` is not a name"))
    }

    /// Runs the text for one thread. `inputs` are in the order of the interface; `values` ends up
    /// with the value of every name, by slot.
    pub(crate) fn run(&self, inputs: &[i64], array: &mut [i64], values: &mut Vec<i64>) {
        assert_eq!(inputs.len(), self.inputs);
        values.clear();
        values.extend_from_slice(inputs);
        values.resize(self.names.len(), 0);
        execute(&self.body, array, values);
    }
}

fn execute(body: &[Statement], array: &mut [i64], values: &mut [i64]) {
    for statement in body {
        match statement {
            Statement::Set { name, keep, value } => {
                values[*name] = evaluate(value, array, values) & keep;
            }
            Statement::Store { index, value } => {
                let value = evaluate(value, array, values);
                array[element(index, array, values)] = value;
            }
            Statement::If { condition, then, otherwise } => {
                let taken = evaluate(condition, array, values) != 0;
                execute(if taken { then } else { otherwise }, array, values);
            }
            Statement::Switch { on, cases } => {
                let on = evaluate(on, array, values);
                let case = cases.iter().find(|(label, _)| *label == on);
                execute(&case.expect("a case for every value").1, array, values);
            }
        }
    }
}

fn element(index: &Expr, array: &[i64], values: &[i64]) -> usize {
    let index = evaluate(index, array, values);
    usize::try_from(index).expect("an index that is not negative")
}

fn evaluate(expr: &Expr, array: &[i64], values: &[i64]) -> i64 {
    match expr {
        Expr::Number(value) => *value,
        Expr::Name(name) => values[*name],
        Expr::Field { name, low, mask } => values[*name] >> low & mask,
        Expr::Element(index) => array[element(index, array, values)],
        Expr::Unary(op, x) => {
            let x = evaluate(x, array, values);
            match op {
                Unary::Not => i64::from(x == 0),
                Unary::Complement => !x,
                Unary::Minus => -x,
            }
        }
        Expr::Binary(op, x, y) => {
            let x = evaluate(x, array, values);
            let y = evaluate(y, array, values);
            match op {
                Binary::OrElse => i64::from(x != 0 || y != 0),
                Binary::AndAlso => i64::from(x != 0 && y != 0),
                Binary::Or => x | y,
                Binary::Xor => x ^ y,
                Binary::And => x & y,
                Binary::Equal => i64::from(x == y),
                Binary::NotEqual => i64::from(x != y),
                Binary::Less => i64::from(x < y),
                Binary::LessEqual => i64::from(x <= y),
                Binary::Greater => i64::from(x > y),
                Binary::GreaterEqual => i64::from(x >= y),
                Binary::Add => x + y,
                Binary::Subtract => x - y,
            }
        }
    }
}
