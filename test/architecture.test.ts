import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JOBS } from '../src/jobs/catalog.ts';

const SRC = join(import.meta.dirname, '..', 'src');

/** The folders that each folder may import; ARCHITECTURE.md explains why. `*`: all; `!folder`: except that one. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  files: ['model'],
  config: ['files', 'http', 'lockfiles', 'model', 'notify', 'policy'],
  http: ['model'],
  lockfiles: ['files', 'model'],
  versions: ['model'],
  advice: ['model', 'versions'],
  sources: ['files', 'http', 'lockfiles', 'model'],
  exploits: ['files', 'http', 'model'],
  advisories: ['files', 'http', 'model', 'versions'],
  policy: ['model', 'versions'],
  fleet: ['model', 'policy', 'store'],
  storage: ['files', 'http', 'model'],
  store: ['fleet', 'model'],
  report: ['discovery', 'files', 'model', 'notify', 'policy'],
  discovery: ['files', 'http', 'model'],
  insights: ['discovery', 'files', 'http', 'model'],
  notify: ['discovery', 'http', 'model'],
  scan: ['fleet', 'lockfiles', 'model', 'policy', 'versions'],
  jobs: ['advice', 'fleet', 'lockfiles', 'model', 'policy', 'scan', 'versions'],
  workers: ['jobs', 'model', 'scan'],
  operations: [
    'advice',
    'compose',
    'config',
    'discovery',
    'fleet',
    'jobs',
    'lockfiles',
    'model',
    'policy',
    'report',
    'scan',
    'sources',
    'store',
    'versions',
    'workers',
  ],
  server: [
    'compose',
    'config',
    'discovery',
    'files',
    'fleet',
    'http',
    'jobs',
    'model',
    'operations',
    'policy',
    'store',
    'workers',
  ],
  tracing: ['model'],
  embedded: ['discovery', 'files', 'model'],
  cli: [
    'commands',
    'compose',
    'config',
    'discovery',
    'files',
    'http',
    'model',
    'operations',
    'report',
    'server',
  ],
  'lockhound.ts': ['compose', 'config', 'embedded', 'lockfiles', 'model'],
  'producer.ts': ['jobs', 'model', 'scan', 'store'],
  'insights-client.ts': ['insights', 'discovery', 'http', 'model'],
  'testing.ts': ['embedded', 'discovery'],
  compose: ['*', '!cli', '!commands', '!operations'],
  commands: ['*', '!cli'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...found].map(([, specifier = '']) => ({
    from: file,
    to: relative(SRC, resolve(dirname(join(SRC, file)), specifier)),
  }));
}

function folderOf(file: string): string {
  return file.split(sep)[0] ?? file;
}

const imports = sources.flatMap(importsOf);

describe('the import table', () => {
  it('knows every folder of src', () => {
    const folders = new Set(sources.map(folderOf));
    expect([...folders].filter((folder) => !(folder in MAY_IMPORT))).toEqual([]);
  });

  it('is kept by every file', () => {
    const broken = imports.filter(({ from, to }) => {
      const [own, other] = [folderOf(from), folderOf(to)];
      const allowed = MAY_IMPORT[own] ?? [];
      if (allowed.includes(`!${other}`)) return true;
      return own !== other && !allowed.includes('*') && !allowed.includes(other);
    });
    expect(broken).toEqual([]);
  });

  it('has no cycles between files', () => {
    const graph = Map.groupBy(imports, ({ from }) => from);
    const done = new Set<string>();
    const cycles: string[] = [];
    function visit(file: string, path: readonly string[]): void {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const { to } of graph.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    }
    for (const file of sources) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('allows only config to read the environment', () => {
    const readers = sources.filter((file) => /process\.env\b/.test(readFileSync(join(SRC, file), 'utf8')));
    expect(readers.filter((file) => folderOf(file) !== 'config')).toEqual([]);
  });
});

describe('a scan from the command line', () => {
  it('loads no queue, no Redis, no server, and starts no process', () => {
    const ofWorkers = ['bullmq', 'fastify', 'ioredis', 'node:child_process'];
    const usedBy = (command: string) => {
      const packages = packagesLoadedBy(join('cli', command));
      return ofWorkers.filter((name) => packages.has(name));
    };
    expect(usedBy('demo.ts')).toEqual(ofWorkers);
    // `--since` loads git, and `policy.sharedSuppressions` loads Redis.
    expect(usedBy('scan.ts')).toEqual(['ioredis', 'node:child_process']);
    const atOnce = ['cli/scan.ts', 'commands/scan.ts'].flatMap((file) => [
      ...filesLoadedBy(file, loadedAtOnceBy),
    ]);
    const loads = (file: string) => loadedAtOnceBy(file).some((name) => ofWorkers.includes(name));
    expect(atOnce.filter(loads)).toEqual([]);
  });

  it.each(['cli/scan.ts', 'commands/scan.ts', 'cli/parse.ts', 'commands/parse.ts'])(
    'builds no schema when it loads %s',
    (start) => {
      // Those of jobs are built on first use.
      const isSchema = (file: string) => folderOf(file) !== 'jobs' && loadedAtOnceBy(file).includes('zod');
      expect([...filesLoadedBy(start, loadedAtOnceBy)].filter(isSchema)).toEqual([]);
    },
  );
});

/** What a file imports when it is loaded. Types are not loaded. */
function loadedAtOnceBy(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)'/gm);
  return [...found].map(([, specifier = '']) => specifier);
}

/** What a file imports when it is loaded or later. */
function loadedBy(file: string): readonly string[] {
  const lazy = readFileSync(join(SRC, file), 'utf8').matchAll(/import\('([^']+)'\)/g);
  return [...loadedAtOnceBy(file), ...[...lazy].map(([, specifier = '']) => specifier)];
}

/** The files that are loaded with a file. */
function filesLoadedBy(start: string, importsOf: (file: string) => readonly string[]): ReadonlySet<string> {
  const files = new Set([start]);
  for (const file of files) {
    const own = importsOf(file).filter((specifier) => specifier.startsWith('.'));
    for (const specifier of own) files.add(relative(SRC, resolve(dirname(join(SRC, file)), specifier)));
  }
  return files;
}

/** Packages that a file imports, itself or through others, when it is loaded or later. */
function packagesLoadedBy(start: string): ReadonlySet<string> {
  const all = [...filesLoadedBy(start, loadedBy)].flatMap(loadedBy);
  return new Set(all.filter((specifier) => !specifier.startsWith('.')));
}

describe('the catalogs', () => {
  function catalogText(folder: string): string {
    return readFileSync(join(SRC, folder, 'catalog.ts'), 'utf8');
  }

  it('list every lockfile format', () => {
    const shared = ['ecosystems', 'exceptions', 'packages', 'requirements', 'sbom', 'syntax', 'threads'];
    const formats = readdirSync(join(SRC, 'lockfiles'), { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !shared.includes(entry.name),
    );
    expect(formats.length).toBeGreaterThan(0);
    const text = catalogText('lockfiles');
    expect(formats.filter(({ name }) => !text.includes(`'./${name}/`)).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['policy', 'policy/rules', './rules/'],
    ['notify/presets', 'notify/presets', './'],
  ])('list every file of %s', (catalog, folder, prefix) => {
    const files = readdirSync(join(SRC, folder)).filter(
      (name) => name.endsWith('.ts') && name !== 'catalog.ts',
    );
    expect(files.length).toBeGreaterThan(0);
    const text = catalogText(catalog);
    expect(files.filter((name) => !text.includes(`'${prefix}${name}'`))).toEqual([]);
  });

  it('list every job, and each job is named after its file', () => {
    const files = sources.filter(
      (file) =>
        folderOf(file) === 'jobs' && /^export const \w+: Job</m.test(readFileSync(join(SRC, file), 'utf8')),
    );
    expect(files.length).toBeGreaterThanOrEqual(5);
    const text = catalogText('jobs');
    expect(files.filter((file) => !text.includes(`'./${relative('jobs', file)}'`))).toEqual([]);
    expect(JOBS.map(({ name }) => `${name}.ts`).sort()).toEqual(files.map((file) => basename(file)).sort());
  });

  it('list every report', () => {
    const files = readdirSync(join(SRC, 'report')).filter(
      (name) =>
        name.endsWith('.ts') &&
        /export function render\w+\(report: ScanReport|export function render\w+\(\{/.test(
          readFileSync(join(SRC, 'report', name), 'utf8'),
        ),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((name) => !catalogText('report').includes(`'./${name}'`))).toEqual([]);
  });
});

describe('tracing', () => {
  it('is loaded only when a collector is configured', () => {
    const loaded = [...filesLoadedBy('compose/worker.ts', loadedAtOnceBy)].flatMap(loadedAtOnceBy);
    expect(loaded.filter((name) => name.startsWith('@opentelemetry') || name === 'bullmq-otel')).toEqual([]);
    expect(packagesLoadedBy('compose/worker.ts').has('bullmq-otel')).toBe(true);
  });
});
