import { isObject } from '../../model/json-object.ts';
import { jsonPath } from './json-path.ts';

/**
 * The expected structure of a JSON value. The fields of an object are optional, and other fields are accepted. A shape may
 * contain itself.
 */
export type Shape =
  | 'text'
  | 'flag'
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'map'; readonly of: Shape }
  | {
      readonly kind: 'object';
      readonly fields: ReadonlyMap<string, Shape>;
      /** Checks beyond types; called for objects only. */
      readonly visit?: (value: Fields, walk: ShapeWalk) => void;
    };

export type Fields = Readonly<Record<string, unknown>>;

/** The state of a walk through one value. */
export interface ShapeWalk {
  /** Keys from the root to the current value; one array, which changes. */
  readonly place: (string | number)[];
  readonly report: (path: string, message: string) => void;
  /** Deeper values are reported and not walked. */
  readonly maxDepth: number;
}

/** Reports everything in `value` that does not have its shape, by JSON path. Fast when everything fits. */
export function checkShape(shape: Shape, value: unknown, walk: ShapeWalk): void {
  if (shape === 'text') {
    if (typeof value !== 'string') refuse(walk, 'has to be text');
  } else if (shape === 'flag') {
    if (typeof value !== 'boolean') refuse(walk, 'has to be true or false');
  } else if (walk.place.length > walk.maxDepth) refuse(walk, 'is nested too deep');
  else if (shape.kind === 'list') checkList(shape.of, value, walk);
  else if (!isObject(value)) {
    refuse(walk, 'has to be an object');
  } else if (shape.kind === 'map') checkMap(shape.of, value, walk);
  else {
    checkFields(shape.fields, value, walk);
    shape.visit?.(value, walk);
  }
}

/** Reports a fault at `keys` below the place of the walk. */
export function refuse(walk: ShapeWalk, message: string, ...keys: readonly (string | number)[]): void {
  walk.report(jsonPath([...walk.place, ...keys]), message);
}

function checkList(of: Shape, value: unknown, walk: ShapeWalk): void {
  if (!Array.isArray(value)) refuse(walk, 'has to be a list');
  else
    for (let index = 0; index < value.length; index += 1) {
      walk.place.push(index);
      checkShape(of, value[index], walk);
      walk.place.pop();
    }
}

function checkMap(of: Shape, value: Fields, walk: ShapeWalk): void {
  for (const key in value) {
    walk.place.push(key);
    checkShape(of, value[key], walk);
    walk.place.pop();
  }
}

function checkFields(fields: ReadonlyMap<string, Shape>, value: Fields, walk: ShapeWalk): void {
  for (const key in value) {
    const shape = fields.get(key);
    // Most fields contain text, which needs no place in the walk.
    if (shape === undefined || (shape === 'text' && typeof value[key] === 'string')) continue;
    walk.place.push(key);
    checkShape(shape, value[key], walk);
    walk.place.pop();
  }
}
