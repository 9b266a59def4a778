import { isObject, type JsonObject } from '../../model/json-object.ts';
import type { Format, FormatFacts, LockfileInput } from '../format.ts';
import type { LineNode } from '../syntax/json-lines.ts';
import { CUT, type DraftParts, draftLockedPackage, type LockfileBuilder } from './lockfile-builder.ts';
import { connect, type PackageDraft } from './package-collector.ts';

/** An entry of a file that is a list of packages. */
export interface ListEntry extends Omit<DraftParts, 'ecosystem' | 'direct'> {
  /** The purl type, where it is not that of the format. */
  readonly ecosystem?: string;
  /** The key by which other entries need it: its name, where this is not set. */
  readonly key?: string | undefined;
  /** Keys of entries that it takes the place of, where the file has none of that key. */
  readonly provides?: readonly string[];
  /** Keys of the entries that it needs. Keys without an entry are platforms. `undefined`: the file does not state them. */
  readonly needs?: readonly string[] | undefined;
}

/** The content of a file that is a list of packages. */
export interface PlainList {
  readonly entries: readonly ListEntry[];
  /** Keys of the direct dependencies; `undefined` when they are not known. */
  readonly direct?: ReadonlySet<string> | undefined;
  /** The part that the file lacks, although its tool always writes it. */
  readonly lacks?: string | false;
}

type ReadList = (input: LockfileInput, builder: LockfileBuilder) => PlainList;

/** Returns the format of a list of packages. `facts`: those that its files contain. Its reader adds entries that it cannot read to the builder. */
export function plainListFormat(
  file: string,
  format: Pick<Format, 'companions' | 'mayBeEmpty'> & {
    readonly ecosystem: string;
    readonly facts: readonly (keyof FormatFacts)[];
    readonly head: RegExp;
    readonly readList: ReadList;
  },
): Format {
  const { ecosystem, facts, head, readList, ...rest } = format;
  const has = (fact: keyof FormatFacts) => facts.includes(fact);
  return {
    ...rest,
    name: file.toLowerCase().replace(/^\./, '').replaceAll('.', '-'),
    title: file,
    ecosystem,
    fileNames: [file],
    facts: { edges: has('edges'), groups: has('groups'), integrity: has('integrity'), lines: has('lines') },
    recognises: (text) => head.test(text),
    read: (input, builder) => addList(ecosystem, readList(input, builder), builder),
  };
}

function addList(ecosystem: string, { entries, direct, lacks }: PlainList, builder: LockfileBuilder): void {
  if (typeof lacks === 'string') builder.problem(undefined, `it has no ${lacks}: ${CUT}`);
  else if (entries.length === 0) builder.own(false);
  const added = entries.flatMap((entry) => {
    const { name, line, key = name } = entry;
    const stated = draftLockedPackage({ ecosystem, direct: direct?.has(key), ...entry });
    const draft = builder.add(stated, line, name);
    return draft === undefined ? [] : [{ entry, key, draft }];
  });
  const byKey = new Map<string, PackageDraft>();
  for (const { entry, draft } of added) for (const key of entry.provides ?? []) byKey.set(key, draft);
  for (const { key, draft } of added) byKey.set(key, draft);
  for (const { entry, draft } of added) {
    if (entry.needs === undefined) continue;
    const ids = new Set(entry.needs.flatMap((key) => byKey.get(key)?.id ?? []));
    ids.delete(draft.id);
    connect(draft, [...ids]);
  }
}

/** An object of a list or an object, and where it is. */
export interface Located {
  readonly key: string;
  readonly value: JsonObject;
  readonly line: number | undefined;
}

/** The objects of a list or an object of JSON. Any other element is a problem. */
export function objectsIn(
  value: unknown,
  node: LineNode | undefined,
  builder: LockfileBuilder,
): readonly Located[] {
  const elements = node?.elements?.values();
  return Object.entries(typeof value === 'object' && value !== null ? value : {}).flatMap(
    ([key, one]: [string, unknown]) => {
      const line = node?.members?.get(key)?.line;
      if (isObject(one)) return [{ key, value: one, line: line ?? elements?.next().value?.line }];
      builder.add('is not an object', line ?? node?.line, key);
      return [];
    },
  );
}
