// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! Columns with types: a policy declares them where it is made, and reads them of a row. What it did not declare, it
//! cannot read; an index that is out of bounds panics, which the border turns into a fault.
use crate::abi::*;
use crate::error::{covers, slice, view};
use std::marker::PhantomData;

/// Whose values a policy reads; decides what a change invalidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Of the item: a change gives that item a new key.
    Item = TENON_SCOPE_ITEM as isize,
    /// Of all items of the batch: a change gives all of them new keys.
    Siblings = TENON_SCOPE_SIBLINGS as isize,
    /// One value for all, of the parent or the ask.
    Context = TENON_SCOPE_CONTEXT as isize,
}

/// What a column holds.
pub mod kind {
    /// Amounts by resource type.
    pub enum Resources {}
    /// One number an item.
    pub enum Number {}
    /// One text an item, or none.
    pub enum Text {}
    /// Texts by key.
    pub enum TextMap {}
    /// Four words an item.
    pub enum Words {}
    /// A list of numbers.
    pub enum Numbers {}
    /// A list of texts.
    pub enum Texts {}
}

/// A column that a policy declared with `Setup::column`; reading it takes this.
pub struct Column<K> {
    index: usize,
    holds: PhantomData<fn() -> K>,
}
impl<K> Clone for Column<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Column<K> {}

/// Amounts by resource type: `Amounts`.
pub type ResourcesColumn = Column<kind::Resources>;
/// A number: `i64`.
pub type NumberColumn = Column<kind::Number>;
/// A text: `Option<&str>`.
pub type TextColumn = Column<kind::Text>;
/// Texts by key: `TextMap`.
pub type TextMapColumn = Column<kind::TextMap>;
/// Four words: `[u64; 4]`.
pub type WordsColumn = Column<kind::Words>;
/// Numbers: `&[i64]`.
pub type NumbersColumn = Column<kind::Numbers>;
/// Texts: `TextList`.
pub type TextsColumn = Column<kind::Texts>;

/// How a value of a kind is read. Only the kinds of this crate are.
pub trait Readable<'a>: Holds {
    /// What reading gives.
    type Value;
    /// # Safety
    /// The column is of this kind and has a base, and the batch has the item.
    #[doc(hidden)]
    unsafe fn read(column: &'a tenon_column, batch: &'a tenon_batch, item: u32) -> Self::Value;
    /// Of a call that has no such context.
    #[doc(hidden)]
    fn absent() -> Self::Value;
}

/// The number of a kind in the ABI.
pub trait Holds {
    #[doc(hidden)]
    const KIND: u32;
}

/// # Safety
/// There is a `T`, aligned or not, so many bytes behind the base.
unsafe fn load<T: Copy>(column: &tenon_column, item: u32) -> T {
    let offset = column.item_stride * u64::from(item);
    unsafe { ((column.base as *const u8).add(offset as usize) as *const T).read_unaligned() }
}

macro_rules! readable {
    ($($kind:ident, $number:ident, $value:ty, $absent:expr, |$column:ident, $batch:ident, $item:ident| $read:expr;)*) => {
        $(
            impl Holds for kind::$kind {
                const KIND: u32 = $number;
            }
            impl<'a> Readable<'a> for kind::$kind {
                type Value = $value;
                unsafe fn read($column: &'a tenon_column, $batch: &'a tenon_batch, $item: u32) -> $value {
                    // SAFETY: the caller's promise, and the ABI's about what a column of this kind points to.
                    unsafe { $read }
                }
                fn absent() -> $value {
                    $absent
                }
            }
        )*
    };
}

readable! {
    Resources, TENON_COLUMN_RESOURCES, Amounts<'a>, Amounts::none(), |column, batch, item| Amounts::of(column, batch, item);
    Number, TENON_COLUMN_I64, i64, 0, |column, _batch, item| load(column, item);
    Text, TENON_COLUMN_TEXT, Option<&'a str>, None, |column, _batch, item| optional(&load(column, item));
    TextMap, TENON_COLUMN_TEXT_MAP, TextMap<'a>, TextMap::none(), |column, _batch, item| {
        let map: tenon_text_map = load(column, item);
        TextMap { keys: slice(map.keys, map.count), values: slice(map.values, map.count) }
    };
    Words, TENON_COLUMN_WORDS, [u64; 4], [0; 4], |column, _batch, item| load(column, item);
    Numbers, TENON_COLUMN_NUMBERS, &'a [i64], &[], |column, _batch, item| {
        let list: tenon_numbers = load(column, item);
        slice(list.values, list.count)
    };
    Texts, TENON_COLUMN_TEXTS, TextList<'a>, TextList { texts: &[] }, |column, _batch, item| {
        let list: tenon_texts = load(column, item);
        TextList { texts: slice(list.values, list.count) }
    };
}

/// # Safety
/// The text lives for `'a`.
unsafe fn optional<'a>(text: &tenon_text) -> Option<&'a str> {
    (!text.data.is_null()).then(|| unsafe { view(text) })
}

/// Resource amounts of one item, by type index.
#[derive(Clone, Copy)]
pub struct Amounts<'a> {
    base: *const u8,
    stride: u64,
    present: u64,
    of: PhantomData<&'a tenon_column>,
}

impl<'a> Amounts<'a> {
    fn none() -> Self {
        Amounts { base: std::ptr::null(), stride: 0, present: 0, of: PhantomData }
    }

    /// # Safety
    /// As `Readable::read`.
    unsafe fn of(column: &'a tenon_column, batch: &'a tenon_batch, item: u32) -> Self {
        let mut present = if batch.type_count >= 64 { u64::MAX } else { (1 << batch.type_count) - 1 };
        let item = u64::from(item);
        unsafe {
            if !column.present.is_null() {
                let mask = (column.present as *const u8).add((item * column.present_stride) as usize);
                present &= (mask as *const u64).read_unaligned();
            }
            let base = (column.base as *const u8).add((item * column.item_stride) as usize);
            Amounts { base, stride: column.type_stride, present, of: PhantomData }
        }
    }

    /// Bit t: type t is defined.
    pub fn present(&self) -> u64 {
        self.present
    }

    /// Is the type defined?
    pub fn has(&self, type_index: u32) -> bool {
        type_index < 64 && self.present >> type_index & 1 != 0
    }

    /// The amount of a type; 0 where it is undefined.
    pub fn amount(&self, type_index: u32) -> i64 {
        if !self.has(type_index) {
            return 0;
        }
        // SAFETY: a defined type of this item, by the ABI's strides.
        unsafe { (self.base.add((self.stride * u64::from(type_index)) as usize) as *const i64).read_unaligned() }
    }
}

/// Texts by key, ascending.
#[derive(Clone, Copy)]
pub struct TextMap<'a> {
    keys: &'a [tenon_text],
    values: &'a [tenon_text],
}

impl<'a> TextMap<'a> {
    fn none() -> Self {
        TextMap { keys: &[], values: &[] }
    }

    /// # Safety
    /// `count` texts each, which live for `'a`.
    pub(crate) unsafe fn new(keys: *const tenon_text, values: *const tenon_text, count: u64) -> Self {
        unsafe { TextMap { keys: slice(keys, count), values: slice(values, count) } }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.keys.len().min(self.values.len())
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key.
    pub fn find(&self, key: &str) -> Option<&'a str> {
        // SAFETY: the map's texts live for 'a.
        let at = self.keys.binary_search_by(|one| unsafe { view(one) }.cmp(key)).ok()?;
        self.values.get(at).map(|value| unsafe { view(value) })
    }

    /// Keys with their values, in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> + 'a {
        // SAFETY: the map's texts live for 'a.
        self.keys.iter().zip(self.values).map(|(key, value)| unsafe { (view(key), view(value)) })
    }
}

/// A list of texts, some of which may be none.
#[derive(Clone, Copy)]
pub struct TextList<'a> {
    texts: &'a [tenon_text],
}

impl<'a> TextList<'a> {
    /// How many, those that are none among them.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Is there not one?
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The text at a place.
    pub fn get(&self, at: usize) -> Option<&'a str> {
        // SAFETY: the list's texts live for 'a.
        unsafe { optional(&self.texts[at]) }
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = Option<&'a str>> + 'a {
        // SAFETY: the list's texts live for 'a.
        self.texts.iter().map(|text| unsafe { optional(text) })
    }
}

/// What one call of the host is about. Valid for the call.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    raw: &'a tenon_batch,
    kinds: &'a [u32],
}

impl<'a> Batch<'a> {
    /// Nothing where the host does not hand the columns that were declared, of these kinds.
    ///
    /// # Safety
    /// `raw` is null or a batch as the ABI says, for `'a`.
    pub(crate) unsafe fn new(raw: *const tenon_batch, kinds: &'a [u32]) -> Option<Self> {
        if raw.is_null() || !covers!(raw, world) {
            return None;
        }
        let raw = unsafe { &*raw };
        let wide = kinds.is_empty() || raw.column_stride as usize >= std::mem::size_of::<tenon_column>();
        if (raw.column_count as usize) < kinds.len() || !wide {
            return None;
        }
        let batch = Batch { raw, kinds };
        let as_declared = |(at, kind): (usize, &u32)| {
            let column = batch.column(at);
            column.base.is_null() || column.kind == *kind
        };
        kinds.iter().enumerate().all(as_declared).then_some(batch)
    }

    fn column(&self, index: usize) -> &'a tenon_column {
        assert!(index < self.kinds.len(), "a column that this policy did not declare");
        // SAFETY: `new` saw that there are that many, so far apart.
        unsafe {
            &*((self.raw.columns as *const u8).add(index * self.raw.column_stride as usize) as *const tenon_column)
        }
    }

    /// How many items.
    pub fn len(&self) -> u32 {
        self.raw.item_count
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at a position of the batch.
    pub fn row(&self, position: u32) -> Row<'a> {
        // SAFETY: the host gives that many indexes.
        let items = unsafe { slice(self.raw.items, u64::from(self.raw.item_count)) };
        Row { batch: *self, position, item: items[position as usize] }
    }

    /// All items, in the order of the batch.
    pub fn rows(&self) -> impl Iterator<Item = Row<'a>> + '_ {
        (0..self.len()).map(|position| self.row(position))
    }

    /// Where only context columns are read.
    pub(crate) fn context(&self) -> Row<'a> {
        Row { batch: *self, position: 0, item: 0 }
    }

    /// The journal's time, Unix milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.raw.now_ms
    }

    /// Names of the resource types, by index. A type keeps its index; new ones may come with every batch.
    pub fn types(&self) -> impl Iterator<Item = &'a str> + 'a {
        // SAFETY: the host gives that many names, which live for the call.
        unsafe { slice(self.raw.types, u64::from(self.raw.type_count)) }.iter().map(|name| unsafe { view(name) })
    }

    /// The index of a resource type; nothing where the partition has not met it.
    pub fn type_index(&self, name: &str) -> Option<u32> {
        self.types().position(|one| one == name).map(|at| at as u32)
    }
}

/// One item of a batch.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    batch: Batch<'a>,
    position: u32,
    item: u32,
}

impl<'a> Row<'a> {
    /// The value of a column that the policy declared.
    pub fn get<K: Readable<'a>>(&self, column: Column<K>) -> K::Value {
        let found = self.batch.column(column.index);
        assert!(self.batch.kinds[column.index] == K::KIND, "a column that another policy declared");
        if found.base.is_null() {
            return K::absent();
        }
        // SAFETY: the kind is what was declared, and the item is one of the batch's.
        unsafe { K::read(found, self.batch.raw, self.item) }
    }

    /// In the batch, from 0.
    pub fn position(&self) -> u32 {
        self.position
    }

    /// The batch.
    pub fn batch(&self) -> &Batch<'a> {
        &self.batch
    }
}

/// The columns of an instance, while it is made and afterwards.
#[derive(Default)]
pub(crate) struct Declared {
    ids: Vec<Box<str>>, // what the uses point to
    uses: Vec<tenon_column_use>,
    kinds: Vec<u32>,
}

// SAFETY: the pointers are to the texts beside them, which nobody changes.
unsafe impl Send for Declared {}

impl Declared {
    pub(crate) fn add<K: Holds>(&mut self, id: &str, scope: Scope) -> Column<K> {
        let size = std::mem::size_of::<tenon_column_use>() as u32;
        self.ids.push(id.into());
        let id = crate::error::text_of(&self.ids[self.ids.len() - 1]);
        self.uses.push(tenon_column_use { size, scope: scope as u32, id });
        self.kinds.push(K::KIND);
        Column { index: self.kinds.len() - 1, holds: PhantomData }
    }

    pub(crate) fn uses(&self) -> &[tenon_column_use] {
        &self.uses
    }

    pub(crate) fn kinds(&self) -> &[u32] {
        &self.kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{guarded, text};
    use std::ptr::null;

    const SIZE: u32 = std::mem::size_of::<tenon_column>() as u32;

    fn column(kind: u32, base: *const std::os::raw::c_void, item_stride: u64) -> tenon_column {
        tenon_column { size: SIZE, kind, base, present: null(), item_stride, type_stride: 8, present_stride: 0 }
    }

    fn batch(columns: &[tenon_column], items: &[u32]) -> tenon_batch {
        static TYPES: [&str; 2] = ["vcore", "memory"];
        let types = Box::leak(Box::new(TYPES.map(text)));
        tenon_batch {
            size: std::mem::size_of::<tenon_batch>() as u32,
            item_count: items.len() as u32,
            items: items.as_ptr(),
            columns: columns.as_ptr(),
            column_count: columns.len() as u32,
            column_stride: SIZE,
            types: types.as_ptr(),
            type_count: 2,
            reserved: 0,
            now_ms: 5,
            world: 0,
        }
    }

    #[test]
    fn values_are_read_by_item_and_type() {
        let mut declared = Declared::default();
        let free: ResourcesColumn = declared.add("node.free", Scope::Item);
        let zone: TextColumn = declared.add("node.attr:zone", Scope::Item);
        let priority: NumberColumn = declared.add("ask.priority", Scope::Context);
        let (amounts, masks) = ([[1i64, 2], [3, 4]], [0b11u64, 0b10]);
        let zones = [text("north"), tenon_text { data: null(), length: 0 }];
        let mut columns = [
            column(TENON_COLUMN_RESOURCES, amounts.as_ptr() as *const _, 16),
            column(TENON_COLUMN_TEXT, zones.as_ptr() as *const _, 16),
            column(TENON_COLUMN_I64, null(), 0),
        ];
        columns[0].present = masks.as_ptr();
        columns[0].present_stride = 8;
        let (raw, kinds) = (batch(&columns, &[1, 0]), declared.kinds());
        let batch = unsafe { Batch::new(&raw, kinds) }.unwrap();
        let (first, second) = (batch.row(0), batch.row(1));
        assert_eq!((first.get(free).amount(0), first.get(free).amount(1), first.get(free).amount(99)), (0, 4, 0));
        assert_eq!((second.get(free).amount(0), second.get(zone), first.get(zone)), (1, Some("north"), None));
        assert_eq!(first.get(priority), 0);
        assert_eq!((batch.type_index("memory"), batch.type_index("gpu")), (Some(1), None));
    }

    #[test]
    fn what_is_out_of_bounds_panics_and_reads_nothing() {
        let mut declared = Declared::default();
        let here: NumberColumn = declared.add("queue.priority", Scope::Item);
        let mut others = Declared::default();
        let _: NumberColumn = others.add("a", Scope::Item);
        let elsewhere: NumberColumn = others.add("b", Scope::Item);
        let values = [7i64];
        let columns = [column(TENON_COLUMN_I64, values.as_ptr() as *const _, 8)];
        let raw = batch(&columns, &[0]);
        let batch = unsafe { Batch::new(&raw, declared.kinds()) }.unwrap();
        assert_eq!(batch.row(0).get(here), 7);
        let status = |f: &dyn Fn() -> i64| guarded(|| Ok(f() as i32), |_| ());
        assert_eq!(status(&|| batch.row(0).get(elsewhere)), TENON_INTERNAL);
        assert_eq!(status(&|| batch.row(1).get(here)), TENON_INTERNAL);
        let mut texts = Declared::default();
        let as_text: TextColumn = texts.add("c", Scope::Item);
        assert_eq!(status(&|| batch.row(0).get(as_text).map_or(0, |_| 1)), TENON_INTERNAL);
    }

    #[test]
    fn a_host_that_hands_other_columns_is_no_batch() {
        let kinds = [TENON_COLUMN_I64];
        let values = [7i64];
        let columns = [column(TENON_COLUMN_TEXT, values.as_ptr() as *const _, 8)];
        let mut raw = batch(&columns, &[0]);
        assert!(unsafe { Batch::new(&raw, &kinds) }.is_none());
        assert!(unsafe { Batch::new(&raw, &[TENON_COLUMN_TEXT; 2]) }.is_none());
        raw.column_stride = SIZE - 8;
        assert!(unsafe { Batch::new(&raw, &[TENON_COLUMN_TEXT]) }.is_none());
        raw.column_stride = SIZE;
        raw.size = 56;
        assert!(unsafe { Batch::new(&raw, &[TENON_COLUMN_TEXT]) }.is_none());
    }
}
