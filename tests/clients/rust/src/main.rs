//! Reads documents with the generated types: each line of standard input names a shape and has the document's text,
//! each line of output has what it was written as again, or what was wrong with it.
#![deny(warnings)]

mod rounds;
mod shapes;

use std::io::{self, BufRead, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Task {
    shape: String,
    text: String,
}

#[derive(Serialize)]
struct Verdict {
    text: String,
    why: String,
}

/// Read and written again, when it is of the right form.
fn again<T: DeserializeOwned + Serialize>(
    text: &str,
    right: impl Fn(&T) -> bool,
) -> serde_json::Result<String> {
    let value = rounds::read::<T>(text)?;
    if !right(&value) {
        return Err(serde::de::Error::custom("another form"));
    }
    rounds::write(&value)
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let Task { shape, text } = serde_json::from_str(&line?)?;
        let verdict = match shapes::judge(&shape, &text) {
            Ok(text) => Verdict {
                text,
                why: String::new(),
            },
            Err(error) => Verdict {
                text: String::new(),
                why: error.to_string(),
            },
        };
        serde_json::to_writer(&mut out, &verdict)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}
