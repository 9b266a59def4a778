import type { ParameterDescription } from '../description/description.ts';
import { below, type Differences, type Place } from './differences.ts';
import { compareValue } from './values.ts';

type Parameters = ReadonlyMap<string, ParameterDescription>;

/** Compares the parameters of one method, or the common ones. `place` is that of the method or document. */
export function compareParameters(
  found: Differences,
  place: Place,
  { before, after }: { readonly before: Parameters; readonly after: Parameters },
): void {
  for (const [name, parameter] of before) {
    const at = below(place, 'parameters', name);
    const next = after.get(name);
    if (next === undefined) found.add('parameter-removed', 'breaking', at, `${name} is no longer accepted`);
    else compareParameter(found, at, parameter, next);
  }
  for (const [name, { required }] of after) {
    if (before.has(name)) continue;
    const at = below(place, 'parameters', name);
    if (required === true) found.add('parameter-required', 'breaking', at, `${name} is new and required`);
    else found.add('parameter-added', 'compatible', at, `${name} is new`);
  }
}

function compareParameter(
  found: Differences,
  place: Place,
  before: ParameterDescription,
  after: ParameterDescription,
): void {
  const [wasRequired, isRequired] = [before.required === true, after.required === true];
  if (!wasRequired && isRequired) {
    found.add('parameter-required', 'breaking', below(place, 'required'), 'is required now');
  } else if (wasRequired && !isRequired) {
    found.add('parameter-optional', 'compatible', below(place, 'required'), 'is no longer required');
  }
  const [wasRepeated, isRepeated] = [before.repeated === true, after.repeated === true];
  if (wasRepeated !== isRepeated) {
    const message = isRepeated ? 'may be given more than once now' : 'may be given only once now';
    const severity = isRepeated ? 'compatible' : 'breaking';
    found.add('repetition-changed', severity, below(place, 'repeated'), message);
  }
  if ((before.location ?? 'query') !== (after.location ?? 'query')) {
    const message = `belongs in the ${after.location ?? 'query'} now`;
    found.add('location-changed', 'breaking', below(place, 'location'), message);
  }
  compareValue({ found, place, direction: { sent: true, received: false } }, before, after);
}
