import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releaseNotes } from './release-notes.ts';

const ROOT = join(import.meta.dirname, '..');

/** The parts of package.json that a release depends on. */
export interface Manifest {
  readonly version: string;
  readonly repository?: { readonly url?: string };
  readonly homepage?: string;
  readonly bugs?: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

/**
 * Returns what is wrong with the addresses of a manifest. `repository.url` is the one setting: `homepage` and `bugs` follow from it.
 * `published` is the repository that the release runs in (`owner/name`), where one is known: publishing with provenance
 * refuses any other one.
 */
export function addressProblems(manifest: Manifest, published: string | undefined): readonly string[] {
  const { repository, homepage, bugs } = manifest;
  const [, base, name] = /^git\+(https:\/\/[^/]+\/([^/]+\/[^/]+))\.git$/.exec(repository?.url ?? '') ?? [];
  if (base === undefined) return ['repository.url is not of the form git+https://<host>/<owner>/<name>.git'];
  return [
    ...(homepage === `${base}#readme` ? [] : [`homepage is not ${base}#readme`]),
    ...(bugs === `${base}/issues` ? [] : [`bugs is not ${base}/issues`]),
    ...(published === undefined || published === name
      ? []
      : [`repository.url names ${name}, but the release runs in ${published}`]),
  ];
}

/** Returns what is wrong with the files of a package: what it promises is in it, and nothing that belongs to the repository alone. */
export function fileProblems({ bin, exports }: Manifest, files: ReadonlySet<string>): readonly string[] {
  const promised = [
    ...Object.values(bin),
    ...Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : [entry.types, entry.default],
    ),
  ].filter((path) => !path.includes('*'));
  const missing = promised.map((path) => path.replace(/^\.\//, '')).filter((path) => !files.has(path));
  const stray = [...files].filter((path) =>
    /^(?:src|test|scripts|simulation|bench|web)\/|(?:^|\/)(?:secrets\.env|\.npmrc|\.env)$|\.map$/.test(path),
  );
  return [
    ...missing.map((path) => `${path} is missing`),
    ...stray.map((path) => `${path} does not belong into the package`),
  ];
}

/** Everything that the release workflow does before it uploads the package: no network is needed. */
function checkRelease(): readonly string[] {
  const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
  const manifest = JSON.parse(read('package.json')) as Manifest;
  const problems = [...addressProblems(manifest, process.env['GITHUB_REPOSITORY'])];
  try {
    releaseNotes(read('CHANGELOG.md'), manifest.version, `v${manifest.version}`);
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  if (run('git', ['status', '--porcelain']) !== '') problems.push('the working tree has changes');
  run('npm', ['run', 'build']);
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    const packed = run('npm', [
      'pack',
      '--json',
      '--ignore-scripts',
      '--offline',
      '--pack-destination',
      folder,
    ]);
    const [{ filename, files, size }] = JSON.parse(packed) as readonly [Packed];
    problems.push(...fileProblems(manifest, new Set(files.map(({ path }) => path))));
    run('tar', ['xzf', join(folder, filename), '-C', folder]);
    const program = join(folder, 'package', manifest.bin['lockhound'] ?? '');
    // The dependencies are those of this folder.
    const links = join(folder, 'package/node_modules');
    if (!existsSync(links)) run('ln', ['-s', join(ROOT, 'node_modules'), links]);
    const version = run(process.execPath, [program, '--version']).trim();
    if (version !== manifest.version) problems.push(`--version prints ${version}`);
    run(process.execPath, [program, 'scan', '--example', '--quiet', '--fail-on', 'never']);
    process.stdout.write(`${filename}: ${files.length} files, ${Math.ceil(size / 1024)} KiB\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return problems;
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

if (import.meta.main) {
  const problems = checkRelease();
  for (const problem of problems) process.stderr.write(`error: ${problem}\n`);
  if (problems.length === 0) process.stdout.write('ready to be released\n');
  process.exitCode = problems.length === 0 ? 0 : 1;
}
