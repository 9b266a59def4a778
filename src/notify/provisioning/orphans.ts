import type { AppliedObject } from '../../model/ports/applied-objects.ts';
import type { Resource } from './resource.ts';

/** Something that was applied once and that the configuration does not name any more. */
export interface Orphan {
  readonly id: string;
  readonly kind: Resource['kind'];
  readonly name: string;
}

/**
 * What was applied and is not wanted any more: webhooks before the variables that they use. A name that something else
 * is wanted under is left alone.
 */
export function orphansIn(
  resources: readonly Resource[],
  remembered: ReadonlyMap<string, AppliedObject>,
): readonly Orphan[] {
  const wanted = new Set(resources.map(({ id }) => id));
  const gone = [...remembered].flatMap(([id, { name }]): Orphan[] => {
    const kind = id.startsWith('webhook/') ? 'webhook' : 'variable';
    return wanted.has(id) ? [] : [{ id, kind, name }];
  });
  return [
    ...gone.filter(({ kind }) => kind === 'webhook'),
    ...gone.filter(({ kind }) => kind === 'variable'),
  ];
}

/** Whether one of the resources, other than `own`, is wanted under this name. */
export function takenBy(
  resources: readonly Resource[],
  kind: Resource['kind'],
  own: string,
): (name: string) => boolean {
  const names = new Set(
    resources.filter((one) => one.kind === kind && one.id !== own).map((one) => one.name),
  );
  return (name) => names.has(name);
}
