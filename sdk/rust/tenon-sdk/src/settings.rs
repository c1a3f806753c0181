// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! The configuration of an instance: a JSON object (RFC 8259) read whole, then asked by key.
use crate::error::Refused;

/// Levels of nesting that are read.
const MAX_DEPTH: u32 = 32;

#[derive(Debug, Clone, PartialEq)]
enum Json {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Settings by key. A key that is missing gives the default; a value of another kind is refused.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    values: Vec<(String, Json)>,
}

impl Settings {
    /// Of a JSON object; blank text is the empty one.
    pub fn read(json: &str) -> Result<Self, Refused> {
        if json.trim_matches([' ', '\t', '\r', '\n'].as_slice()).is_empty() {
            return Ok(Self::default());
        }
        let mut reader = Reader { json, at: 0 };
        let whole = reader.value(0)?;
        reader.blanks();
        if reader.at != json.len() {
            return Err(reader.want("the end"));
        }
        match whole {
            Json::Object(values) => Ok(Settings { values }),
            _ => Err(Refused::new("configuration: want an object")),
        }
    }

    fn find(&self, key: &str) -> Option<&Json> {
        self.values.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Is the key there?
    pub fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// A text.
    pub fn text(&self, key: &str, otherwise: &str) -> Result<String, Refused> {
        match self.find(key) {
            None => Ok(otherwise.to_string()),
            Some(Json::Text(text)) => Ok(text.clone()),
            Some(_) => Err(wanted(key, "a text")),
        }
    }

    /// A number.
    pub fn number(&self, key: &str, otherwise: f64) -> Result<f64, Refused> {
        match self.find(key) {
            None => Ok(otherwise),
            Some(Json::Number(number)) => Ok(*number),
            Some(_) => Err(wanted(key, "a number")),
        }
    }

    /// A whole number from `least` to `most`.
    pub fn whole(&self, key: &str, otherwise: i64, least: i64, most: i64) -> Result<i64, Refused> {
        let number = self.number(key, otherwise as f64)?;
        if number != number.floor() || number < least as f64 || number > most as f64 {
            return Err(wanted(key, &format!("a whole number from {least} to {most}")));
        }
        Ok(number as i64)
    }

    /// True or false.
    pub fn flag(&self, key: &str, otherwise: bool) -> Result<bool, Refused> {
        match self.find(key) {
            None => Ok(otherwise),
            Some(Json::Flag(flag)) => Ok(*flag),
            Some(_) => Err(wanted(key, "true or false")),
        }
    }

    /// A list of texts; empty where the key is missing.
    pub fn texts(&self, key: &str) -> Result<Vec<String>, Refused> {
        let refuse = || wanted(key, "a list of texts");
        let list = match self.find(key) {
            None => return Ok(Vec::new()),
            Some(Json::List(list)) => list,
            Some(_) => return Err(refuse()),
        };
        list.iter().map(|one| if let Json::Text(text) = one { Ok(text.clone()) } else { Err(refuse()) }).collect()
    }

    /// A flat object of numbers, in the order of the file; empty where the key is missing.
    pub fn numbers(&self, key: &str) -> Result<Vec<(String, f64)>, Refused> {
        let refuse = || wanted(key, "an object of numbers");
        let object = match self.find(key) {
            None => return Ok(Vec::new()),
            Some(Json::Object(object)) => object,
            Some(_) => return Err(refuse()),
        };
        let one = |(name, value): &(String, Json)| match value {
            Json::Number(number) => Ok((name.clone(), *number)),
            _ => Err(refuse()),
        };
        object.iter().map(one).collect()
    }
}

fn wanted(key: &str, want: &str) -> Refused {
    Refused::new(format!("configuration key \"{key}\": want {want}"))
}

/// Recursive descent with a bound on depth. Refuses what RFC 8259 refuses, and a key that comes twice.
struct Reader<'a> {
    json: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.json[self.at..]
    }

    fn want(&self, want: &str) -> Refused {
        let have: String = self.rest().chars().take(12).collect();
        let have = if have.is_empty() { "the end".to_string() } else { format!("\"{have}\"") };
        Refused::new(format!("configuration, byte {}: want {want}, have {have}", self.at))
    }

    fn blanks(&mut self) {
        let blank = self.rest().bytes().take_while(|byte| b" \t\r\n".contains(byte)).count();
        self.at += blank;
    }

    fn take(&mut self, token: char) -> bool {
        self.blanks();
        let is_there = self.rest().starts_with(token);
        self.at += if is_there { token.len_utf8() } else { 0 };
        is_there
    }

    fn need(&mut self, token: char) -> Result<(), Refused> {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.want(&format!("'{token}'")))
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        self.at += if is_there { word.len() } else { 0 };
        is_there
    }

    fn value(&mut self, depth: u32) -> Result<Json, Refused> {
        if depth == MAX_DEPTH {
            return Err(self.want("less nesting"));
        }
        if self.take('{') {
            self.object(depth)
        } else if self.take('[') {
            self.list(depth)
        } else if self.take('"') {
            self.string().map(Json::Text)
        } else if self.word("true") {
            Ok(Json::Flag(true))
        } else if self.word("false") {
            Ok(Json::Flag(false))
        } else if self.word("null") {
            Ok(Json::Null)
        } else {
            self.number().map(Json::Number)
        }
    }

    fn object(&mut self, depth: u32) -> Result<Json, Refused> {
        let mut out: Vec<(String, Json)> = Vec::new();
        if self.take('}') {
            return Ok(Json::Object(out));
        }
        loop {
            self.need('"')?;
            let key = self.string()?;
            if out.iter().any(|(known, _)| *known == key) {
                return Err(self.want(&format!("one value for the key \"{key}\" only")));
            }
            self.need(':')?;
            let value = self.value(depth + 1)?;
            out.push((key, value));
            if !self.take(',') {
                break;
            }
        }
        self.need('}')?;
        Ok(Json::Object(out))
    }

    fn list(&mut self, depth: u32) -> Result<Json, Refused> {
        let mut out = Vec::new();
        if self.take(']') {
            return Ok(Json::List(out));
        }
        loop {
            out.push(self.value(depth + 1)?);
            if !self.take(',') {
                break;
            }
        }
        self.need(']')?;
        Ok(Json::List(out))
    }

    fn number(&mut self) -> Result<f64, Refused> {
        let rest = self.rest().as_bytes();
        let digits = |from: usize| rest[from.min(rest.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = usize::from(rest.first() == Some(&b'-'));
        let whole = digits(end);
        if whole == 0 || (whole > 1 && rest[end] == b'0') {
            return Err(self.want("a value"));
        }
        end += whole;
        if rest.get(end) == Some(&b'.') {
            let fraction = digits(end + 1);
            if fraction == 0 {
                return Err(self.want("a number"));
            }
            end += 1 + fraction;
        }
        if matches!(rest.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent == 0 {
                return Err(self.want("a number"));
            }
            end += 1 + sign + exponent;
        }
        let number = self.rest()[..end].parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| self.want("a number that a double holds"))?;
        self.at += end;
        Ok(number)
    }

    /// Behind its opening quote.
    fn string(&mut self) -> Result<String, Refused> {
        let mut out = String::new();
        loop {
            let next = self.rest().chars().next().ok_or_else(|| self.want("'\"'"))?;
            if next < ' ' {
                return Err(self.want("no control character in a text"));
            }
            self.at += next.len_utf8();
            match next {
                '"' => return Ok(out),
                '\\' => out.push(self.escaped()?),
                _ => out.push(next),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, Refused> {
        let next = self.rest().chars().next().ok_or_else(|| self.want("an escape"))?;
        let plain = match next {
            '"' | '\\' | '/' => next,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                self.at += 1;
                return self.code_point();
            }
            _ => return Err(self.want("an escape")),
        };
        self.at += 1;
        Ok(plain)
    }

    fn code_point(&mut self) -> Result<char, Refused> {
        let first = self.four_digits()?;
        let is_high = (0xD800..0xDC00).contains(&first);
        if !is_high {
            return char::from_u32(first).ok_or_else(|| self.want("a pair of surrogates"));
        }
        if !self.word("\\u") {
            return Err(self.want("the second surrogate"));
        }
        let second = self.four_digits()?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(self.want("the second surrogate"));
        }
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or_else(|| self.want("a character"))
    }

    fn four_digits(&mut self) -> Result<u32, Refused> {
        let digits = self.rest().get(..4).filter(|four| four.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let value =
            digits.and_then(|four| u32::from_str_radix(four, 16).ok()).ok_or_else(|| self.want("four hex digits"))?;
        self.at += 4;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_by_key_and_kind() {
        let json = r#" {"a": "x\n\u00e4\ud83d\ude00", "n": -1.5e2, "w": 7, "f": true, "l": ["p", "q"], "o": {"x": 1}, "z": null} "#;
        let settings = Settings::read(json).unwrap();
        assert_eq!(settings.text("a", "").unwrap(), "x\nä😀");
        assert_eq!(settings.number("n", 0.0).unwrap(), -150.0);
        assert_eq!(settings.whole("w", 1, 0, 9).unwrap(), 7);
        assert!(settings.flag("f", false).unwrap() && settings.has("z"));
        assert_eq!(settings.texts("l").unwrap(), ["p", "q"]);
        assert_eq!(settings.numbers("o").unwrap(), [("x".to_string(), 1.0)]);
        assert_eq!(settings.text("missing", "default").unwrap(), "default");
        assert_eq!(settings.text("n", "").unwrap_err().words(), "configuration key \"n\": want a text");
        assert_eq!(
            settings.whole("w", 1, 8, 9).unwrap_err().words(),
            "configuration key \"w\": want a whole number from 8 to 9"
        );
        assert!(Settings::read(" \n").unwrap().values.is_empty());
    }

    #[test]
    fn what_is_no_json_object_is_refused() {
        for json in [
            "[]",
            "{",
            "{}x",
            r#"{"a":01}"#,
            r#"{"a":1.}"#,
            r#"{"a":1e}"#,
            r#"{"a":-}"#,
            r#"{"a":"\x"}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"a":"\udc00"}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,}"#,
            r#"{"a":1e999}"#,
            r#"{"a" 1}"#,
            "{\"a\":\"\n\"}",
            r#"{"a":"\u12"}"#,
            r#"{"a":nul}"#,
        ] {
            assert!(Settings::read(json).is_err(), "{json}");
        }
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(40), "]".repeat(40));
        assert!(Settings::read(&deep).unwrap_err().words().contains("less nesting"));
    }
}
