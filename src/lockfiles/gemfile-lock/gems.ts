import type { Integrity, Source } from '../../model/scan/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';
import { indexByName } from '../packages/name-index.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import { Reading } from '../reading.ts';
import { type Line, readSections, type Section } from './sections.ts';
import { isSource, sourceOf } from './source.ts';

/** A gem with the names of what it depends on; without a draft it is the target's own, or cannot be read. */
interface Gem {
  readonly name: string;
  readonly own: boolean;
  readonly draft: PackageDraft | undefined;
  readonly needs: string[];
}

/** `name (version)`, or `name (version-platform)` for a gem that is built for a platform. */
const SPEC = /^(\S+) \(([^()\s-]+)(?:-([^()]+))?\)$/;
const NAME = /^([^\s(!]+)/;
const CHECKSUM = /^(\S+) \(([^()]+)\)\s+(.+)$/;
/** Sections besides those of the sources. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['PLATFORMS', 'DEPENDENCIES', 'CHECKSUMS', 'RUBY VERSION', 'BUNDLED WITH'],
]);
/** Depths at which Bundler writes the options of a source, its gems, and what these depend on. */
const [OPTION, GEM, DEPENDENCY] = [2, 4, 6];

/** Reads the gems of all sources. */
export function readGems({ text, path }: LockfileInput) {
  const reading = new Reading();
  const sections = readSections(text);
  if (!Array.isArray(sections)) {
    const { conflict } = sections as { readonly conflict: number };
    throw new LockfileError('syntax', `${path}:${conflict}: unresolved merge conflict`);
  }
  const known = sections as readonly Section[];
  for (const { heading, line } of known) {
    // Bundler passes over them: a file of nothing else is one without gems.
    if (!isSource(heading) && !OTHERS.has(heading))
      reading.problem(line, `${JSON.stringify(heading.slice(0, 200))} is no section of a Gemfile.lock`);
  }
  const checksums = checksumsIn(linesOf(known, 'CHECKSUMS'));
  const gems = known
    .filter(({ heading }) => isSource(heading))
    .flatMap((section) => gemsOf(section, checksums, reading));
  const named = indexByName(
    gems.flatMap(({ draft }) => draft ?? []),
    ({ name }) => name,
    reading,
  );
  for (const { draft, needs, own } of gems) {
    const needed = needs.flatMap(named);
    if (draft !== undefined) connect(draft, [...new Set(needed.map(({ id }) => id))]);
    if (own) for (const one of needed) one.direct = true;
  }
  for (const { text: stated } of linesOf(known, 'DEPENDENCIES')) {
    for (const draft of named(NAME.exec(stated)?.[1] ?? '')) draft.direct = true;
  }
  return reading.result();
}

function linesOf(sections: readonly Section[], heading: string): readonly Line[] {
  return sections.filter((section) => section.heading === heading).flatMap(({ lines }) => lines);
}

function gemsOf(
  { heading, lines }: Section,
  checksums: ReadonlyMap<string, readonly Integrity[]>,
  reading: Reading,
): readonly Gem[] {
  const options = new Map<string, string>();
  const gems: Gem[] = [];
  for (const { line, indent, text } of lines) {
    if (indent <= OPTION) {
      const colon = text.indexOf(':');
      const option = text.slice(0, colon);
      // Of several remotes in one section nothing says which one a gem is from.
      if (option === 'remote' && options.has(option)) options.set(option, '');
      else options.set(option, text.slice(colon + 1).trim());
    } else if (indent === DEPENDENCY) gems.at(-1)?.needs.push(NAME.exec(text)?.[1] ?? '');
    else if (indent === GEM)
      gems.push(readGem(text, line, { source: sourceOf(heading, options), checksums, reading }));
    else reading.problem(line, `"${text.slice(0, 200)}" stands at a depth where nothing is expected`);
  }
  return gems;
}

function readGem(
  text: string,
  line: number,
  context: {
    readonly source: Source | 'own';
    readonly checksums: ReadonlyMap<string, readonly Integrity[]>;
    readonly reading: Reading;
  },
): Gem {
  const { source, checksums, reading } = context;
  const spec = SPEC.exec(text);
  if (spec === null) {
    reading.problem(line, `"${text.slice(0, 200)}" is not \`name (version)\``);
    return { name: '', own: false, draft: undefined, needs: [] };
  }
  const [, name = '', version = '', platform] = spec;
  if (source === 'own') return { name, own: true, draft: undefined, needs: [] };
  const full = platform === undefined ? version : `${version}-${platform}`;
  const draft = draftPackage({
    ecosystem: 'gem',
    name,
    version,
    source,
    line,
    direct: false,
    integrity: checksums.get(`${name} ${full}`) ?? [],
  });
  return { name, own: false, draft: reading.take(draft, line, name), needs: [] };
}

function checksumsIn(lines: readonly Line[]): ReadonlyMap<string, readonly Integrity[]> {
  const found = new Map<string, readonly Integrity[]>();
  for (const { text } of lines) {
    const [, name, version, digests] = CHECKSUM.exec(text) ?? [];
    if (name === undefined || digests === undefined) continue;
    const integrity = digests.split(',').flatMap((one): readonly Integrity[] => {
      const [algorithm = '', value] = one.trim().split('=');
      return value === undefined ? [] : [{ algorithm: algorithm.toLowerCase(), value, encoding: 'hex' }];
    });
    found.set(`${name} ${version}`, integrity);
  }
  return found;
}
