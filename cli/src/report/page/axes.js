// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Numbers, durations and dates as a report shows them, and the ticks of its axes.

const MINUTE = 60, HOUR = 3600, DAY = 86400;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export const digits = (value, wanted) => String(Number(value.toPrecision(wanted)));
// Returns 0.681 as "68.1%", and "–" for a value that is missing.
export const percent = (part) => (part === null || part === undefined ? "–" : `${Number((part * 100).toFixed(1))}%`);
// Returns a whole number with thin spaces: "107 235".
export const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");

export function duration(seconds) {
  const [size, name] = seconds < 99.5 ? [1, "s"] : seconds < 99.5 * MINUTE ? [MINUTE, "min"] : seconds < 48 * HOUR ? [HOUR, "h"]
    : [DAY, "days"];
  return `${digits(seconds / size, 3)} ${name}`;
}

// Returns a step of 1, 2, 2.5 or 5 times a power of ten, so that about `wanted` steps make `most`.
function round_step(most, wanted) {
  const rough = most / wanted, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5].map((factor) => factor * power).find((step) => rough <= step * 1.0000001) ?? 10 * power;
}

const steps_to = (most, step) => Array.from({ length: Math.floor((most * 1.0000001) / step) + 1 }, (_, at) => at * step);

// Returns ticks from 0 to `most`; `scale` is 1 for plain numbers and 100 for percents.
export function number_ticks(most, wanted, scale = 1) {
  if (!(most > 0)) return [{ at: 0, text: "0" }];
  const step = round_step(most * scale, wanted);
  const [unit, name] = scale === 1 && step >= 1e6 ? [1e6, "M"] : scale === 1 && step >= 1e3 ? [1e3, "k"] : [1, ""];
  return steps_to(most * scale, step).map((shown) => ({ at: shown / scale, text: shown === 0 ? "0" : digits(shown / unit, 12) + name }));
}

export function percent_ticks(top) {
  return top === 1 ? [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: String(at * 100) })) : number_ticks(top, 5, 100);
}

// Returns the unit that suits so many seconds, which all ticks of an axis share.
export function time_unit(most) {
  if (most > 3 * DAY) return { name: "days", seconds: DAY };
  if (most > 3 * HOUR) return { name: "hours", seconds: HOUR };
  if (most > 3 * MINUTE) return { name: "minutes", seconds: MINUTE };
  return most > 1 ? { name: "seconds", seconds: 1 } : { name: "milliseconds", seconds: 0.001 };
}

// Steps that a clock or a calendar has.
const CLOCK_STEPS = { days: [1, 2, 7, 14, 28, 56], hours: [1, 2, 3, 6, 12, 24], minutes: [1, 2, 5, 10, 15, 30, 60], milliseconds: [] };

export function time_ticks(most_seconds, wanted) {
  const unit = time_unit(most_seconds), most = most_seconds / unit.seconds;
  const step = (CLOCK_STEPS[unit.name] ?? CLOCK_STEPS.minutes).find((one) => most / one <= wanted * 1.5) ?? round_step(most, wanted);
  return steps_to(most, step).map((value) => ({ at: value * unit.seconds, text: digits(value, 12) }));
}

const two_digits = (number) => String(number).padStart(2, "0");

// Returns ticks where hours, days, months or years begin, at most about `wanted`, in seconds from `begins` (Unix time, ms) on.
export function date_ticks(begins, most_seconds, wanted) {
  const ends = begins + most_seconds * 1000.0000001, days = most_seconds / DAY, ticks = [];
  const add = (date, text) => { if (date >= begins) ticks.push({ at: (date - begins) / 1000, text: String(text) }); };
  if (days > (31 * wanted) / 2) {
    const months = days / 30.4;
    const step = months <= wanted * 1.5 ? 1 : months <= wanted * 4.5 ? 3 : months <= wanted * 9 ? 6 : 12;
    const date = new Date(Date.UTC(new Date(begins).getUTCFullYear(), 0));
    for (; date <= ends; date.setUTCMonth(date.getUTCMonth() + step)) {
      add(date, date.getUTCMonth() === 0 || step === 12 ? date.getUTCFullYear() : MONTHS[date.getUTCMonth()]);
    }
    return ticks;
  }
  const step = 1000 * DAY * ([1 / 288, 1 / 96, 1 / 24, 1 / 8, 1 / 4, 1 / 2, 1, 2, 7].find((one) => days / one <= wanted * 1.25) ?? 14);
  for (let ms = Math.ceil(begins / step) * step; ms <= ends; ms += step) {
    const date = new Date(ms), hour = date.getUTCHours(), minute = date.getUTCMinutes();
    const midnight = (hour === 0 && minute === 0) || step >= 1000 * DAY;
    add(date, midnight ? `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}` : `${two_digits(hour)}:${two_digits(minute)}`);
  }
  return ticks;
}

// Where a logarithmic axis begins and ends, in parts of the width: seconds below 1 have a place of their own at the left.
const BELOW_ONE = 0.02, FROM_ONE = 0.08, END = 0.985;
const first_of = (axis) => (axis.seconds ? FROM_ONE : 0);

// Returns the place of a value on a logarithmic axis {most, seconds}, as a part of the width.
export function log_place(axis, value) {
  if (axis.seconds && value < 1) return BELOW_ONE;
  const part = value <= 1 ? 0 : Math.log(value) / Math.log(Math.max(axis.most, 1.001));
  return first_of(axis) + (END - first_of(axis)) * Math.min(part, 1);
}

// Returns the value at a place of a logarithmic axis; 0 is everything below 1.
export function log_value(axis, place) {
  const first = first_of(axis);
  return place < first ? 0 : Math.exp(Math.log(axis.most) * Math.min((place - first) / (END - first), 1));
}

const TIMES = [[1, "1 s"], [10, "10 s"], [MINUTE, "1 min"], [600, "10 min"], [HOUR, "1 h"], [6 * HOUR, "6 h"], [DAY, "1 day"],
  [7 * DAY, "7 days"], [30 * DAY, "30 days"], [365 * DAY, "1 year"]];

// Returns the ticks of a logarithmic axis, in parts of the width.
export function log_ticks(axis) {
  const last = axis.most * 1.0001, values = [];
  if (axis.seconds) {  // where the axis is long, "1 s" would stand on "< 1 s"
    values.push([0, "< 1 s"], ...TIMES.filter(([value]) => value <= last && (value > 1 || axis.most < MINUTE)));
  } else {
    for (let power = 1; power <= last; power *= 10) {
      for (const step of axis.most > 100 ? [1] : [1, 2, 5]) if (power * step <= last) values.push([power * step, String(power * step)]);
    }
  }
  return values.map(([value, text]) => ({ at: log_place(axis, value), text }));
}
