import type { AppliedObject } from '../../model/ports/applied-objects.ts';
import type { Resource } from './resource.ts';

/** An object that was applied before and is no longer configured. */
export interface Orphan {
  readonly id: string;
  readonly kind: Resource['kind'];
  readonly name: string;
  /** A configured object has the same name now, so this one must not be deleted. */
  readonly reused: boolean;
}

/** The orphans, webhooks before the variables that they use. */
export function orphansIn(
  resources: readonly Resource[],
  remembered: ReadonlyMap<string, AppliedObject>,
): readonly Orphan[] {
  const wanted = new Set(resources.map(({ id }) => id));
  const orphans = [...remembered].flatMap(([id, { name }]): Orphan[] => {
    if (wanted.has(id)) return [];
    const kind = kindOf(id);
    return [{ id, kind, name, reused: isTakenBy(resources, kind, id)(name) }];
  });
  return [
    ...orphans.filter(({ kind }) => kind === 'webhook'),
    ...orphans.filter(({ kind }) => kind === 'variable'),
  ];
}

export function kindOf(id: string): Resource['kind'] {
  return id.startsWith('webhook/') ? 'webhook' : 'variable';
}

/** Returns whether another resource than `own` is configured under a name. */
export function isTakenBy(
  resources: readonly Resource[],
  kind: Resource['kind'],
  own: string,
): (name: string) => boolean {
  const names = new Set(
    resources.filter((one) => one.kind === kind && one.id !== own).map((one) => one.name),
  );
  return (name) => names.has(name);
}
