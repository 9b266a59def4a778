import type { DifferenceClass } from '../../model/api/contract.ts';
import type { ParameterDescription, SchemaDescription } from '../description/description.ts';
import { integerBounds } from '../request/numbers.ts';
import type { Pair, Place } from './differences.ts';

/** Who writes a value: a client (`sent`), the service (`received`), or both. */
interface Direction {
  readonly sent: boolean;
  readonly received: boolean;
}

/** The place and use of a value. */
export interface ComparedValue {
  readonly place: Place;
  readonly direction: Direction;
}

type Change = 'same' | 'narrowed' | 'widened' | 'other';

/** Compares the allowed values: type, format, enumeration, pattern, bounds, default, deprecation. */
export function compareValue(at: ComparedValue, pair: Pair<SchemaDescription>): void {
  const { before, after } = pair;
  const typeChange = changeOfType(pair);
  if (typeChange !== 'same') {
    const widened = typeChange === 'widened' && !at.direction.received;
    note(at, 'type', 'type-changed', widened ? 'compatible' : 'breaking', before.type, after.type);
  } else compareFormats(at, pair);
  compareEnums(at, pair);
  comparePatterns(at, pair);
  compareBounds(at, pair);
  compareNullable(at, pair);
  if (before.default !== after.default) {
    note(at, 'default', 'default-changed', 'compatible', before.default, after.default);
  }
  compareDeprecation(at.place, { before: before.deprecated, after: after.deprecated });
}

/** Reports a change of deprecation. */
export function compareDeprecation(place: Place, { before, after }: Pair<boolean | undefined>): void {
  if (before === true && after !== true) {
    place.below('deprecated').add('undeprecated', 'compatible', 'is no longer deprecated');
  } else if (before !== true && after === true) {
    place.below('deprecated').add('deprecated', 'deprecating', 'became deprecated');
  }
}

function changeOfType({ before: { type: before }, after: { type: after } }: Pair<SchemaDescription>): Change {
  if (before === after) return 'same';
  const isAny = (type: string | undefined) => type === undefined || type === 'any';
  if (isAny(before) && isAny(after)) return 'same';
  // A narrower type is breaking for senders and receivers, like any other type.
  return isAny(after) || (before === 'integer' && after === 'number') ? 'widened' : 'other';
}

function compareFormats(at: ComparedValue, { before, after }: Pair<SchemaDescription>): void {
  const change = changeOfFormat(before.format, after.format);
  if (change === 'same') return;
  const { sent, received } = at.direction;
  // Larger integers may overflow in a reader; a looser text format can still be read.
  const breaking =
    change === 'other' ||
    (change === 'narrowed' && sent) ||
    (change === 'widened' && received && integerBounds(before.format) !== undefined);
  note(at, 'format', 'format-changed', breaking ? 'breaking' : 'compatible', before.format, after.format);
}

function changeOfFormat(before: string | undefined, after: string | undefined): Change {
  const same = (format: string | undefined) => (format === 'google-datetime' ? 'date-time' : format);
  if (same(before) === same(after)) return 'same';
  if (before === undefined) return 'narrowed';
  if (after === undefined || (before === 'float' && after === 'double')) return 'widened';
  if (before === 'double' && after === 'float') return 'narrowed';
  const [low, high] = integerBounds(before) ?? [];
  const [nextLow, nextHigh] = integerBounds(after) ?? [];
  if (low === undefined || high === undefined || nextLow === undefined || nextHigh === undefined)
    return 'other';
  if (nextLow <= low && nextHigh >= high) return 'widened';
  return nextLow >= low && nextHigh <= high ? 'narrowed' : 'other';
}

function compareEnums(at: ComparedValue, { before, after }: Pair<SchemaDescription>): void {
  const { place } = at;
  const where = place.below('enum');
  if (before.enum === undefined && after.enum === undefined) return;
  if (before.enum === undefined || after.enum === undefined) {
    const closed = before.enum === undefined;
    const values = (after.enum ?? before.enum ?? []).join(', ');
    if (closed) where.add('enum-narrowed', 'breaking', `takes only these values now: ${values}`);
    else where.add('enum-widened', 'compatible', `takes any value now, not only ${values}`);
    return;
  }
  const removed = before.enum.filter((value) => after.enum?.includes(value) !== true);
  const added = after.enum.filter((value) => before.enum?.includes(value) !== true);
  if (removed.length > 0) where.add('enum-narrowed', 'breaking', `values removed: ${removed.join(', ')}`);
  if (added.length > 0) where.add('enum-widened', 'compatible', `new values: ${added.join(', ')}`);
  for (const [index, value] of before.enum.entries()) {
    const next = after.enum.indexOf(value);
    if (next >= 0 && after.enumDeprecated?.[next] === true && before.enumDeprecated?.[index] !== true) {
      place.below('enumDeprecated').add('deprecated', 'deprecating', `value ${value} became deprecated`);
    }
  }
}

function comparePatterns(at: ComparedValue, { before, after }: Pair<SchemaDescription>): void {
  if (before.pattern === after.pattern) return;
  // Regular expressions cannot be compared, so a changed one counts as narrower.
  const breaking = at.direction.sent && after.pattern !== undefined;
  note(at, 'pattern', 'pattern-changed', breaking ? 'breaking' : 'compatible', before.pattern, after.pattern);
}

function compareBounds(at: ComparedValue, { before, after }: Pair<SchemaDescription>): void {
  for (const [name, sign] of [
    ['minimum', 1],
    ['maximum', -1],
  ] as const) {
    if (before[name] === after[name]) continue;
    const value = (text: string | undefined) => (text === undefined ? -Infinity : Number(text) * sign);
    const narrowed = !(value(after[name]) <= value(before[name]));
    const severity = narrowed && at.direction.sent ? 'breaking' : 'compatible';
    note(at, name, `${name}-changed`, severity, before[name], after[name]);
  }
}

function compareNullable(at: ComparedValue, { before, after }: Pair<SchemaDescription>): void {
  const [was, is] = [before.nullable === true, after.nullable === true];
  if (was === is) return;
  const breaking = is ? at.direction.received : at.direction.sent;
  note(at, 'nullable', 'nullable-changed', breaking ? 'breaking' : 'compatible', `${was}`, `${is}`);
}

function note(
  { place }: ComparedValue,
  field: string,
  kind: string,
  severity: DifferenceClass,
  before: string | undefined,
  after: string | undefined,
): void {
  const text = (value: string | undefined) => value ?? '(none)';
  place.below(field).add(kind, severity, `${field} changed from ${text(before)} to ${text(after)}`);
}

type Parameters = ReadonlyMap<string, ParameterDescription>;

/** Compares the parameters of one method, or the common ones. `place` is that of the method or document. */
export function compareParameters(place: Place, { before, after }: Pair<Parameters>): void {
  for (const [name, parameter] of before) {
    const at = place.below('parameters', name);
    const next = after.get(name);
    if (next === undefined) at.add('parameter-removed', 'breaking', `${name} is no longer accepted`);
    else compareParameter(at, { before: parameter, after: next });
  }
  for (const [name, { required }] of after) {
    if (before.has(name)) continue;
    const at = place.below('parameters', name);
    if (required === true) at.add('parameter-required', 'breaking', `${name} is new and required`);
    else at.add('parameter-added', 'compatible', `${name} is new`);
  }
}

function compareParameter(place: Place, { before, after }: Pair<ParameterDescription>): void {
  const [wasRequired, isRequired] = [before.required === true, after.required === true];
  if (!wasRequired && isRequired) {
    place.below('required').add('parameter-required', 'breaking', 'is required now');
  } else if (wasRequired && !isRequired) {
    place.below('required').add('parameter-optional', 'compatible', 'is no longer required');
  }
  const [wasRepeated, isRepeated] = [before.repeated === true, after.repeated === true];
  if (wasRepeated !== isRepeated) {
    const message = isRepeated ? 'may be given more than once now' : 'may be given only once now';
    const severity = isRepeated ? 'compatible' : 'breaking';
    place.below('repeated').add('repetition-changed', severity, message);
  }
  if ((before.location ?? 'query') !== (after.location ?? 'query')) {
    const message = `belongs in the ${after.location ?? 'query'} now`;
    place.below('location').add('location-changed', 'breaking', message);
  }
  compareValue({ place, direction: { sent: true, received: false } }, { before, after });
}
