import { isObject } from '../../model/json-object.ts';
import { requirementName } from '../ecosystems/python.ts';
import { durationIn } from '../requirements/cooldown.ts';
import { pinnedName } from '../requirements/package-json.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { isTable, membersOf, parseToml, tableIn, textIn, textsIn } from '../syntax/parse-toml.ts';
import { parseYaml } from '../syntax/parse-yaml.ts';
import type { EntryFinder, Rule, StatedException, Tree } from './text-file.ts';

/** npm's overrides that nest deeper are one entry. */
const MAX_DEPTH = 16;

/** Throws `LockfileError`. */
export function parseTree(syntax: Tree['syntax'], { text, path }: { text: string; path: string }): unknown {
  if (syntax === 'json') return parseJsonObject(text, path, 'a package.json');
  return syntax === 'toml' ? parseToml(text, path) : parseYaml(text, path)[0]?.content;
}

/** The entries of a tree by rules, with the purl type of their packages. */
export function settingsIn(
  root: unknown,
  rules: readonly Rule[],
  ecosystem: string | undefined,
  finder: EntryFinder,
): StatedException[] {
  return rules.flatMap((rule) =>
    valuesAt(root, rule[2].split('.')).flatMap(([setting, value]) =>
      entriesOf(value, rule, { setting, ecosystem, finder }),
    ),
  );
}

interface Place {
  readonly setting: string;
  readonly ecosystem: string | undefined;
  readonly finder: EntryFinder;
}

function entriesOf(value: unknown, [kind, form, , unit = 1]: Rule, place: Place): StatedException[] {
  const { setting, ecosystem, finder } = place;
  const key = setting.slice(setting.lastIndexOf('.') + 1);
  finder.section(setting);
  if (form === 'pins') return pinsIn(value, kind, place);
  if (form === 'names') {
    // Composer has ids with their reasons, too.
    const isById = setting === 'config.audit.ignore' && isObject(value);
    const stated = isById ? Object.entries(value).map(([id, reason]) => ({ id, reason })) : value;
    const list: readonly unknown[] = Array.isArray(stated) ? stated : [stated];
    return list.flatMap((one) => namedEntry(one, kind, place));
  }
  const text = scalarIn(value);
  if (text === undefined) return [];
  const scope = /(?:npmScopes|scopes)\.@?([^.]+)/.exec(setting)?.[1];
  const about = { ecosystem, package: scope === undefined ? undefined : `@${scope}/*` };
  const stated = form === 'age' ? ageText(text, unit) : text;
  return [finder.entry({ kind, setting, subject: key, ...about, value: stated })];
}

/** A member of a list: a text, or a table that names an advisory or a package. */
function namedEntry(stated: unknown, kind: StatedException['kind'], place: Place): StatedException[] {
  const { setting, ecosystem, finder } = place;
  const table = tableIn(stated);
  const inner = tableIn(table['package']);
  const id = textIn(stated) ?? textIn(table['id']) ?? textIn(table['vulnerability']);
  const name = textIn(table['name']) ?? textIn(table['crate']) ?? textIn(inner['name']);
  // Grype's entries may have other selectors alone.
  const selectors = membersOf({ ...table, ...inner }).flatMap(([key, value]) =>
    textIn(value) === undefined ? [] : `${key}: ${value}`,
  );
  const subject = id ?? name ?? textIn(table['ecosystem']) ?? textIn(table['url']) ?? selectors.join(', ');
  if (subject === '') return [];
  const until = ['ignoreUntil', 'effectiveUntil', 'expired_at'].map((key) => scalarIn(table[key]));
  const more = {
    ...{ setting, subject, until: until.find(isDate) },
    reason: textIn(table['reason']) ?? textIn(table['statement']),
  };
  if (kind === 'ignored-advisory' && id !== undefined)
    return [finder.entry({ ...more, kind, advisory: id, package: name })];
  const type = ecosystem ?? textIn(table['ecosystem']) ?? '';
  // The id of a licence or of a check, and a path, are no packages.
  const named = kind === 'registry' || setting.endsWith('Paths') ? undefined : (name ?? textIn(stated));
  const about = named === undefined ? { ecosystem } : packageOf(named, type);
  const version = textIn(table['version']) ?? textIn(inner['version']);
  const value = textIn(table['url']) ?? textsIn(table['allow']).join(', ');
  const own = kind === 'ignored-advisory' ? 'ignored-package' : kind;
  const others = { ...(version && { range: version }), ...(value && { value }) };
  return [finder.entry({ ...more, kind: own, ...about, ...others })];
}

function pinsIn(
  pins: unknown,
  kind: StatedException['kind'],
  place: Place,
  parents: readonly string[] = [],
): StatedException[] {
  const { setting, ecosystem = '', finder } = place;
  if (!isObject(pins)) return [];
  return Object.entries(pins).flatMap(([key, value]) => {
    // npm writes the package itself, beside what it requires, as `.`.
    const path = key === '.' && parents.length > 0 ? parents : [...parents, key];
    if (kind === 'override' && isTable(value) && path.length <= MAX_DEPTH)
      return pinsIn(value, kind, place, path);
    // Cargo's name of an entry may be another one than that of its crate.
    const crate = kind === 'source' && ecosystem === 'cargo' ? textIn(tableIn(value)['package']) : undefined;
    const about = packageOf(crate ?? path.at(-1) ?? key, ecosystem);
    const subject = path.join('>');
    return finder.entry({ kind, setting, subject, token: key, ...about, value: scalarIn(value) });
  });
}

/** The package of an entry in the notation of its tool: `parent>name@range`, `name>=1; marker`, `name@1`. */
export function packageOf(subject: string, ecosystem: string) {
  if (ecosystem === 'pypi') {
    const value = subject.replace(/^\s*[\w.-]+\s*(?:\[[^\]]*\])?/, '').trim();
    return { ecosystem, package: requirementName(subject), value };
  }
  const name = ecosystem === 'npm' ? pinnedName(subject) : (subject.split(/[@:]/, 1)[0] ?? subject);
  const at = subject.lastIndexOf(name) + name.length;
  return { ecosystem, package: name, range: subject.slice(at + 1) };
}

/** A value as text; of a table, the place of a package that it names. */
function scalarIn(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const table = tableIn(value);
  return textIn(value) ?? ['git', 'url', 'path', 'version'].map((key) => textIn(table[key])).find(Boolean);
}

export function isDate(text: string | undefined): boolean {
  return text !== undefined && !Number.isNaN(Date.parse(text));
}

/** `4320` minutes are `3 days`. A date stays as it is. */
export function ageText(stated: string, unit: number): string {
  const minutes = /^\d+(?:\.\d+)?$/.test(stated) ? Number(stated) * unit : durationIn(stated);
  if (minutes === undefined || Number.isNaN(minutes)) return stated;
  const units: readonly [number, string][] = [
    [1_440, 'day'],
    [60, 'hour'],
  ];
  const [size, name] = units.find(([one]) => minutes % one === 0) ?? [1, 'minute'];
  return `${minutes / size} ${name}${minutes === size ? '' : 's'}`;
}

/** The values at a path, each with its own path. `*` is each member of a mapping. */
function valuesAt(root: unknown, [key, ...keys]: readonly string[]): readonly (readonly [string, unknown])[] {
  if (key === undefined) return [['', root]];
  const members = membersOf(root).filter(([name]) => key === '*' || name === key);
  return members.flatMap(([name, member]) =>
    valuesAt(member, keys).map(([path, value]) => [path === '' ? name : `${name}.${path}`, value] as const),
  );
}
