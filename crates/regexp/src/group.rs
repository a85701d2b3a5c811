//! `(…)`, `(?P<name>…)`, `(?<name>…)`, `(?flags)` and `(?flags:…)`.

use crate::error::{Fault, RegexpError};
use crate::parse::{Frame, Groups, Parser};

impl Parser<'_> {
    pub(crate) fn open_group(&mut self) -> Result<(), RegexpError> {
        let rest = self.input.rest();
        if !rest.starts_with("(?") {
            self.input.next();
            self.capture(None);
            return Ok(());
        }
        for opening in ["(?P<", "(?<"] {
            // Without anything after it the opening is not a name but a bad flag.
            if rest.starts_with(opening) && rest.len() > opening.len() {
                return self.named_group(opening.len());
            }
        }
        self.flags_or_group()
    }

    pub(crate) fn close_group(&mut self) -> Result<(), RegexpError> {
        let inner = self.finish_frame()?;
        let Some(outer) = self.open.pop() else {
            return Err(self.input.fault_everywhere(Fault::UnexpectedParen));
        };
        self.input.next();
        let frame = std::mem::replace(&mut self.frame, outer);
        self.flags = frame.outer_flags;
        match frame.capture {
            None => self.push(inner),
            Some(index) => self.push(inner.group((self.groups == Groups::Keep).then_some(index))),
        }
    }

    fn named_group(&mut self, name_at: usize) -> Result<(), RegexpError> {
        let start = self.input.at();
        let rest = self.input.rest();
        let Some(end) = rest.find('>') else {
            return Err(self.input.fault_from(Fault::InvalidNamedCapture, start));
        };
        self.input.skip(end + 1);
        let name = rest.get(name_at..end).unwrap_or_default();
        if name.is_empty() || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
            return Err(self.input.fault_since(Fault::InvalidNamedCapture, start));
        }
        self.capture(Some(name.to_owned()));
        Ok(())
    }

    fn capture(&mut self, name: Option<String>) {
        let index = u32::try_from(self.names.len()).ok();
        self.names.push(name);
        self.open_frame(index);
    }

    fn open_frame(&mut self, capture: Option<u32>) {
        let outer = std::mem::replace(&mut self.frame, Frame::new(capture, self.flags));
        self.open.push(outer);
    }

    fn flags_or_group(&mut self) -> Result<(), RegexpError> {
        let start = self.input.at();
        self.input.skip("(?".len());
        let mut flags = self.flags;
        let mut negative = false;
        // True while a minus sign has no letter yet.
        let mut dangling = false;
        while let Some(c) = self.input.next() {
            match c {
                '-' if !negative => (negative, dangling) = (true, true),
                ':' | ')' if !dangling => {
                    if c == ':' {
                        self.open_frame(None);
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ if flags.set(c, !negative) => dangling = false,
                _ => break,
            }
        }
        Err(self.input.fault_since(Fault::InvalidPerlOp, start))
    }
}
