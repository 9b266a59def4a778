import type { ParameterDescription } from '../description/description.ts';
import type { Pair, Place } from './differences.ts';
import { compareValue } from './values.ts';

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
