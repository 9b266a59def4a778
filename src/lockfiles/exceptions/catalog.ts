import { posix } from 'node:path';
import { messageOf } from '../../model/errors.ts';
import type { Exception } from '../../model/scan/exception.ts';
import { LockfileError } from '../errors.ts';
import type { Companion } from '../format.ts';
import { cooldownsIn } from '../requirements/cooldown-settings.ts';
import { decodeText } from '../syntax/decode-text.ts';
import { type ExceptionReader, entryFinder, type Rule, shown, type Tree } from './text-file.ts';

/** A file that overrules tools. It is read, and never run. */
interface ExceptionFile {
  /** Formats of the lockfiles that it lies beside; absent for one in the root of the target. */
  readonly beside?: ReadonlySet<string>;
  readonly reader: (() => Promise<ExceptionReader>) | Tree;
}

const JAVASCRIPT = new Set(['npm-package-lock', 'yarn-lock', 'pnpm-lock', 'bun-lock']);
const PYTHON = new Set(['uv-lock', 'poetry-lock', 'pdm-lock', 'pylock-toml']);
const CARGO = new Set(['cargo-lock']);

const PNPM: readonly Rule[] = [
  ['override', 'pins', 'overrides'],
  ['source', 'pins', 'patchedDependencies'],
  ['peer-rule', 'pins', 'peerDependencyRules.allowedVersions'],
  ['peer-rule', 'names', 'peerDependencyRules.ignoreMissing'],
  ['peer-rule', 'names', 'peerDependencyRules.allowAny'],
  ['ignored-advisory', 'names', 'auditConfig.ignoreCves'],
  ['ignored-advisory', 'names', 'auditConfig.ignoreGhsas'],
  ['trust-exclude', 'names', 'trustPolicyExclude'],
];
const PACKAGE_JSON: readonly Rule[] = [
  ['override', 'pins', 'overrides'],
  ['override', 'pins', 'resolutions'],
  ...below('pnpm', PNPM),
  ...cooldownRules('package.json'),
];
const YARN: readonly Rule[] = [
  ...cooldownRules('.yarnrc.yml'),
  ['ignored-advisory', 'names', 'npmAuditIgnoreAdvisories'],
  ['ignored-package', 'names', 'npmAuditExcludePackages'],
  ['registry', 'url', 'npmRegistryServer'],
  ['registry', 'url', 'npmScopes.*.npmRegistryServer'],
];
const BUN: readonly Rule[] = [
  ...cooldownRules('bunfig.toml'),
  ['registry', 'url', 'install.registry'],
  ['registry', 'url', 'install.scopes.*'],
];
const UV: readonly Rule[] = [
  ['override', 'names', 'override-dependencies'],
  ['override', 'names', 'exclude-dependencies'],
  ['constraint', 'names', 'constraint-dependencies'],
  ['constraint', 'names', 'build-constraint-dependencies'],
  ['source', 'pins', 'sources'],
  ['registry', 'names', 'index'],
  ['registry', 'url', 'index-url'],
];
const PYPROJECT: readonly Rule[] = [
  ...below('tool.uv', UV),
  ...cooldownRules('pyproject.toml'),
  ['override', 'pins', 'tool.pdm.resolution.overrides'],
  ['registry', 'names', 'tool.pdm.source'],
  ['registry', 'names', 'tool.poetry.source'],
];
const CARGO_TOML: readonly Rule[] = [
  ['source', 'pins', 'patch.*'],
  ['source', 'pins', 'replace'],
  ['registry', 'url', 'source.*.replace-with'],
];
const CARGO_AUDIT: readonly Rule[] = [
  ['ignored-advisory', 'names', 'advisories.ignore'],
  ['ignored-package', 'names', 'licenses.exceptions'],
  ['ignored-package', 'names', 'bans.skip'],
  ['ignored-package', 'names', 'bans.skip-tree'],
];
const TRIVY: readonly Rule[] = [
  ['ignored-advisory', 'names', 'vulnerabilities'],
  ['ignored-package', 'names', 'misconfigurations'],
  ['ignored-package', 'names', 'secrets'],
  ['ignored-package', 'names', 'licenses'],
];
const OSV: readonly Rule[] = [
  ['ignored-advisory', 'names', 'IgnoredVulns'],
  ['ignored-package', 'names', 'PackageOverrides'],
];

function below(prefix: string, rules: readonly Rule[]): readonly Rule[] {
  return rules.map(([kind, form, at, ...unit]) => [kind, form, `${prefix}.${at}`, ...unit]);
}

function cooldownRules(file: string): readonly Rule[] {
  return cooldownsIn(file).flatMap(([, at, unit, except]): readonly Rule[] => [
    ['cooldown', 'age', at, unit],
    ['cooldown-exclude', except.endsWith('-package') ? 'pins' : 'names', except],
  ]);
}

function tree(
  syntax: Tree['syntax'],
  rules: readonly Rule[],
  [ecosystem, beside]: readonly [string, ReadonlySet<string>] | readonly [] = [],
): ExceptionFile {
  return { reader: { syntax, ecosystem, rules }, ...(beside === undefined ? {} : { beside }) };
}

const lists = () => import('./lists.ts');
const updates = () => import('./update-rules.ts');
const dependabot: ExceptionFile = { reader: async () => (await updates()).readDependabot };
const renovate: ExceptionFile = { reader: async () => (await updates()).readRenovate };
const cargoToml = tree('toml', CARGO_TOML, ['cargo', CARGO]);
const cargoAudit = tree('toml', CARGO_AUDIT, ['cargo', CARGO]);

/** All files of exceptions by their names, with their readers. */
const EXCEPTION_FILES: ReadonlyMap<string, ExceptionFile> = new Map<string, ExceptionFile>([
  ['package.json', tree('json', PACKAGE_JSON, ['npm', JAVASCRIPT])],
  [
    'pnpm-workspace.yaml',
    tree('yaml', [...PNPM, ...cooldownRules('pnpm-workspace.yaml')], ['npm', JAVASCRIPT]),
  ],
  ['.yarnrc.yml', tree('yaml', YARN, ['npm', JAVASCRIPT])],
  ['bunfig.toml', tree('toml', BUN, ['npm', JAVASCRIPT])],
  ['.npmrc', { beside: JAVASCRIPT, reader: async () => (await lists()).readNpmrc }],
  ['pyproject.toml', tree('toml', PYPROJECT, ['pypi', PYTHON])],
  ['uv.toml', tree('toml', [...UV, ...cooldownRules('uv.toml')], ['pypi', PYTHON])],
  [
    'constraints.txt',
    { beside: new Set(['requirements-txt']), reader: async () => (await lists()).readConstraints },
  ],
  ['Cargo.toml', cargoToml],
  ['.cargo/config.toml', cargoToml],
  ['.cargo/audit.toml', cargoAudit],
  ['deny.toml', cargoAudit],
  ['go.mod', { beside: new Set(['go-mod']), reader: async () => (await lists()).readGoMod }],
  [
    'composer.json',
    tree(
      'json',
      [['ignored-advisory', 'names', 'config.audit.ignore']],
      ['composer', new Set(['composer-lock'])],
    ),
  ],
  [
    '.bundler-audit.yml',
    tree('yaml', [['ignored-advisory', 'names', 'ignore']], ['gem', new Set(['gemfile-lock'])]),
  ],
  ['.trivyignore', { reader: async () => (await lists()).readTrivyIgnore }],
  ['.trivyignore.yaml', tree('yaml', TRIVY)],
  ['osv-scanner.toml', tree('toml', OSV)],
  ['.grype.yaml', tree('yaml', [['ignored-advisory', 'names', 'ignore']])],
  ['.snyk', { reader: async () => (await updates()).readSnyk }],
  ['.github/dependabot.yml', dependabot],
  ['.github/dependabot.yaml', dependabot],
  ...['', '.github/', '.gitlab/'].flatMap((folder) =>
    ['renovate.json', 'renovate.json5'].map((name) => [folder + name, renovate] as const),
  ),
  ...['', '.json', '.json5'].map((end) => [`.renovaterc${end}`, renovate] as const),
]);

/** Readers of some formats read these, too. */
const SHARED: ReadonlySet<string> = new Set([
  ...['package.json', 'pyproject.toml', 'constraints.txt', 'composer.json'],
]);

/**
 * The names that may have exceptions for a lockfile of a format, from its folder. `depth`: that of its folder below the root. Without a format:
 * those of all formats.
 */
export function exceptionNames(format: string, depth: number): readonly string[] {
  return [...EXCEPTION_FILES].flatMap(([name, { beside }]) => {
    if (beside === undefined) return '../'.repeat(depth) + name;
    // A go.mod is the lockfile itself.
    return (beside.has(format) || format === '') && name !== 'go.mod' ? name : [];
  });
}

/** The entry of a companion in the catalog, by its path from the lockfile; `undefined` for one that has no exceptions. */
export function exceptionFile(name: string): ExceptionFile | undefined {
  const known = EXCEPTION_FILES.get(name.replace(/^(?:\.\.\/)+/, ''));
  const isConstraints = /constraints.{0,40}\.txt$/.test(posix.basename(name).slice(-60));
  return known ?? (isConstraints ? EXCEPTION_FILES.get('constraints.txt') : undefined);
}

/** Whether a companion is read for its exceptions alone, and by no format. */
export function isOnlyForExceptions(name: string): boolean {
  return exceptionFile(name) !== undefined && !SHARED.has(posix.basename(name));
}

/** Exceptions of one file that are read. More are an entry of their own, which says so. */
const MAX_ENTRIES = 2_000;
const MAX_BYTES = 1_048_576;

/**
 * The exceptions in a companion of a lockfile. `path`: below the root of the target; each exception has it. One that cannot be read, or has too
 * many, is an exception of the kind `unread`, which says why. `decode`: for a caller that needs the text, too.
 */
export async function readExceptions(
  path: string,
  file: Companion,
  decode = decodeText,
): Promise<readonly Exception[]> {
  const { name, content } = file;
  const reader = exceptionFile(name)?.reader;
  const unread = (why: string): Exception => {
    return { kind: 'unread', path, setting: '', subject: posix.basename(path), reason: shown(why) };
  };
  if (content === undefined) return [unread(file.error.message)];
  if (content.length > MAX_BYTES) return [unread(`larger than ${MAX_BYTES} bytes`)];
  try {
    const text = decode(content, path);
    if (reader === undefined || text.trim() === '') return [];
    const read = typeof reader === 'function' ? await reader() : await treeReader(reader, text);
    const found = read({ path, text });
    const kept = found.slice(0, MAX_ENTRIES).map((one): Exception => ({ path, ...one }));
    const rest = found.length - kept.length;
    return rest === 0 ? kept : [...kept, unread(`${rest} more exceptions than are read`)];
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    return [unread(messageOf(error))];
  }
}

/** Most manifests of npm have no exceptions, and nothing more is loaded for them. */
async function treeReader({ syntax, ecosystem, rules }: Tree, text: string): Promise<ExceptionReader> {
  // A name with escapes is not found in the text.
  const isSettled = syntax === 'json' && text.trimEnd().endsWith('}') && !text.includes('\\u');
  if (isSettled && !rules.some(([, , at]) => text.includes(`"${at.split('.', 1)[0]}"`))) return () => [];
  const { parseTree, settingsIn } = await import('./settings.ts');
  const finder = entryFinder(text, syntax === 'json' ? 'none' : '#');
  return (file) => settingsIn(parseTree(syntax, file), rules, ecosystem, finder);
}
