import { isObject, type JsonObject } from '../../model/json-object.ts';
import { parseIntegrity, sourceOf } from '../ecosystems/npm-source.ts';
import { shownValue, unsupported } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { draftLockedPackage, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import type { LineNode } from '../syntax/json-lines.ts';
import { parseJsonLines } from '../syntax/parse-json.ts';
import { membersOf, tableIn, textIn, textsIn } from '../syntax/parse-toml.ts';

/** Deno's lockfile. Packages of JSR are read, too; no index has them. */
export const denoLock: Format = {
  name: 'deno-lock',
  title: 'deno.lock (version 2 to 5)',
  ecosystem: 'npm',
  fileNames: ['deno.lock'],
  facts: { edges: true, groups: false, integrity: true, lines: true },
  recognises: (head) =>
    /^\s*\{\s*"version"\s*:\s*"\d+"\s*,\s*"(?:specifiers|packages|npm|jsr|redirects|remote|workspace)"/.test(
      head,
    ),
  read: readDenoLock,
};

const OLDEST_VERSION = 2;
const NEWEST_VERSION = 5;

const LISTS = { npm: { each: {}, members: { packages: { each: {} } } }, jsr: { each: {} } };
const WANTED = { members: { ...LISTS, packages: { members: LISTS } } };

/** The kinds of packages, as they stand before the specifiers of packages. */
type Registry = 'npm' | 'jsr';

/** An entry, and the package that it is about. */
interface Entry {
  readonly draft: PackageDraft;
  readonly stated: JsonObject;
  readonly registry: Registry;
}

function readDenoLock(input: LockfileInput, builder: LockfileBuilder): void {
  const { root, lines } = parseJsonLines(input, 'a deno.lock', WANTED);
  const version = Number(root['version']);
  if (!(version >= OLDEST_VERSION)) {
    const stated = `version ${shownValue(root['version'])}`;
    throw unsupported(input.path, stated, `${OLDEST_VERSION} to ${NEWEST_VERSION}`);
  }
  builder.checkVersion(root['version'], NEWEST_VERSION);
  const { specifiers, npm, jsr } = listsOf({ value: root, lines }, version);
  const found = new Map<string, Entry>();
  readList('npm', npm, found, builder);
  readList('jsr', jsr, found, builder);
  connectAll(found, idsOf(specifiers.value), root['workspace']);
  if (version >= NEWEST_VERSION) builder.state({ statesScripts: true });
  const needed = directSpecifiers(root['workspace']);
  if (isObject(root['workspace'])) builder.own(needed.length > 0);
  const modules = membersOf(root['remote']).length;
  if (modules > 0) {
    const what = modules === 1 ? 'one module is' : `${modules} modules are`;
    builder.problem(undefined, `${what} locked by URL: no index has advisories about modules`, 'unclear');
  }
}

/** A part of the file, and where it is. */
interface Part {
  readonly value: unknown;
  readonly lines: LineNode | undefined;
}

function partIn({ value, lines }: Part, name: string): Part {
  return { value: tableIn(value)[name], lines: lines?.members?.get(name) };
}

/** Version 2 has the lists of npm in `npm`, and version 3 has all of them in `packages`. */
function listsOf(root: Part, version: number): Readonly<Record<'specifiers' | Registry, Part>> {
  const packages = partIn(root, 'packages');
  const listed = isObject(packages.value) ? packages : root;
  const [npm, jsr] = [partIn(listed, 'npm'), partIn(listed, 'jsr')];
  return version === OLDEST_VERSION
    ? { specifiers: partIn(npm, 'specifiers'), npm: partIn(npm, 'packages'), jsr }
    : { specifiers: partIn(listed, 'specifiers'), npm, jsr };
}

function readList(
  registry: Registry,
  { value, lines }: Part,
  found: Map<string, Entry>,
  builder: LockfileBuilder,
): void {
  for (const [key, stated] of membersOf(value)) {
    const line = lines?.members?.get(key)?.line;
    const draft = builder.add(
      isObject(stated) ? draftOf(registry, key, stated, line) : 'is not an object',
      line,
      key,
    );
    if (draft !== undefined && isObject(stated)) found.set(`${registry}:${key}`, { draft, stated, registry });
  }
}

/** The package of `name@version`, which the versions of its peers may follow: `a@1.0.0_b@2.0.0`. */
function draftOf(
  registry: Registry,
  key: string,
  stated: JsonObject,
  line: number | undefined,
): PackageDraft | string {
  const at = key.indexOf('@', 1);
  if (at < 0) return 'has no version';
  const digest = textIn(stated['integrity']);
  return draftLockedPackage({
    ecosystem: registry,
    name: key.slice(0, at),
    version: key.slice(at + 1).replace(/_.*$/s, ''),
    line,
    direct: false,
    installScript: stated['scripts'] === true,
    ...(registry === 'npm'
      ? { source: sourceOf(textIn(stated['tarball']), undefined), integrity: parseIntegrity(digest) }
      : digest === undefined
        ? {}
        : { integrity: [{ algorithm: 'sha256', value: digest, encoding: 'hex' }] }),
  });
}

/** The keys of entries by specifier, such as `npm:a@^1` and `npm:a@1.0.0`, both with their registry. */
function idsOf(specifiers: unknown): ReadonlyMap<string, string> {
  return new Map(
    membersOf(specifiers).flatMap(([specifier, value]): [string, string][] => {
      if (typeof value !== 'string') return [];
      const own = /^(?:npm|jsr):/.test(specifier) ? specifier : `npm:${specifier}`;
      // From version 4 on, the value is the version alone.
      const isVersion = /^\d/.test(value);
      const id = isVersion ? `${nameIn(own)}@${value}` : value;
      return [[own, /^(?:npm|jsr):/.test(id) ? id : `npm:${id}`]];
    }),
  );
}

/** `npm:@a/b` of `npm:@a/b@^1`. */
function nameIn(specifier: string): string {
  const at = specifier.indexOf('@', 'npm:@'.length);
  return at < 0 ? specifier : specifier.slice(0, at);
}

function connectAll(
  found: ReadonlyMap<string, Entry>,
  ids: ReadonlyMap<string, string>,
  workspace: unknown,
): void {
  // A dependency without a version is the only one of its name.
  const byName = new Map([...found].map(([id, { draft }]) => [nameIn(id), draft]));
  const find = (specifier: string): PackageDraft | undefined =>
    found.get(ids.get(specifier) ?? specifier)?.draft ?? byName.get(specifier);
  const ofPackages = new Set<string>();
  for (const { draft, stated, registry } of found.values()) {
    const needed = [stated['dependencies'], stated['optionalDependencies']].flatMap((list) =>
      requiredBy(list, registry),
    );
    if (registry === 'jsr') for (const one of needed) ofPackages.add(one);
    connect(draft, [...new Set(needed.flatMap((one) => find(one)?.id ?? []))]);
  }
  // Code names packages, too, without the workspace.
  const inCode = [...ids.keys()].filter((one) => !ofPackages.has(one) && !ofPackages.has(nameIn(one)));
  for (const one of [...directSpecifiers(workspace), ...inCode]) {
    const draft = find(one);
    if (draft !== undefined) draft.direct = true;
  }
}

/** The dependencies of an entry: by their keys, or by alias, or as a list of keys, names and `alias@npm:key`. Those of JSR are specifiers. */
function requiredBy(list: unknown, registry: Registry): readonly string[] {
  if (registry === 'jsr') return textsIn(list);
  const keys = isObject(list) ? textsIn(Object.values(list)) : textsIn(list);
  return keys.map((key) => `npm:${key.replace(/^.[^@]*@npm:/, '')}`);
}

/** Returns the specifiers that the target and its members need. */
function directSpecifiers(workspace: unknown): readonly string[] {
  const { dependencies, packageJson, members } = tableIn(workspace);
  return [
    ...textsIn(dependencies),
    ...textsIn(tableIn(packageJson)['dependencies']),
    ...membersOf(members).flatMap(([, member]) => directSpecifiers(member)),
  ];
}
