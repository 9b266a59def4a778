import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { openInsights } from '../src/compose/insights.ts';
import { loadConfig } from '../src/config/load.ts';
import { lockedPackageOf } from '../src/fleet/identity.ts';
import { createMemoryCache } from '../src/insights/disk-cache/memory-cache.ts';
import { affectedVersions } from '../src/insights/losses/witnesses.ts';
import { OSV_ECOSYSTEMS, osvSystem } from '../src/model/advisories/osv-record.ts';
import type { System } from '../src/model/lockfile/ecosystem.ts';
import { median } from './median.ts';
import { cpuSecondsOf, memoryOf } from './process-usage.ts';
import { timeProcesses } from './processes.ts';

const ROOT = join(import.meta.dirname, '..');
const MAIN = process.env['LOCKHOUND_MAIN'] ?? join(ROOT, 'bin', 'lockhound.js');
const LOCKFILE = join(ROOT, 'examples', 'shop', 'package-lock.json');
const LIMITS = { importSeconds: 90, importMebibytes: 300, scanMs: 300, packagesPerSecond: 100_000 } as const;
const NOTHING = 'node -e 0';
const ROUNDS = 9;
const MATCHED = 100_000;
/** Most advisories are of npm. */
const DRAWN = [...Array.from({ length: 6 }, () => 'npm' as const), ...OSV_ECOSYSTEMS.slice(1)];

/**
 * Imports [records] advisories, scans the example against them in a new process, and matches packages of all ecosystems with them in this one.
 * `npm run bench -- advisories [records]`, after `npm run build`.
 */
export async function run([records = '200000']: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'advisories-'));
  try {
    const config = join(folder, 'lockhound.yaml');
    await writeFile(config, `insights: { sources: [osv] }\ndata: { folder: "${folder}" }\n`);
    const file = join(folder, 'all.ndjson');
    await pipeline(Readable.from(recordsOf(Number(records))), createWriteStream(file));
    const imported = await timeImport(file, config);
    print(`import of ${records} records`, imported.seconds, 's', LIMITS.importSeconds);
    print('its memory at most', imported.mebibytes, 'MiB', LIMITS.importMebibytes);
    print('its processor time', imported.processor, 's');
    const scan = ['scan', LOCKFILE, '--cache-dir', folder, '--json', '--fail-on', 'never'];
    const env = { LOCKHOUND_INSIGHTS_SOURCES: 'osv', LOCKHOUND_DATA_FOLDER: folder };
    const commands = [
      { name: NOTHING, args: ['-e', '0'] },
      { name: 'scan of 616 packages, a new process', args: [MAIN, ...scan], env },
      { name: 'the same with a configuration file', args: [MAIN, ...scan, '--config', config] },
    ];
    const times = await timeProcesses(commands, ROUNDS);
    for (const { name } of commands)
      print(name, median(times.get(name) ?? []), 'ms', name === NOTHING ? undefined : LIMITS.scanMs);
    const rate = await matchRate(config);
    console.log(`matched ${Math.round(rate)} packages/s (at least ${LIMITS.packagesPerSecond})`);
    if (rate < LIMITS.packagesPerSecond) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function print(what: string, value: number, unit: string, limit?: number): void {
  console.log(`${what}: ${value.toFixed(1)} ${unit}${limit === undefined ? '' : ` (limit ${limit})`}`);
  if (limit !== undefined && value > limit) process.exitCode = 1;
}

async function timeImport(file: string, config: string) {
  const began = performance.now();
  const child = spawn(process.execPath, [MAIN, 'data', 'import', 'osv', file, '--config', config], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  let [mebibytes, processor] = [0, 0];
  while (child.exitCode === null) {
    mebibytes = Math.max(mebibytes, (await memoryOf(child).catch(() => undefined))?.peak ?? 0);
    processor = Math.max(processor, await cpuSecondsOf(child).catch(() => 0));
    await Promise.race([ended, sleep(50)]);
  }
  if (child.exitCode !== 0) throw new Error(`the import ended with ${child.exitCode}`);
  return { seconds: (performance.now() - began) / 1_000, mebibytes, processor };
}

/** Packages a second: from look-ups to resolutions, as a worker does it. One in three has an advisory, which affects half of them. */
async function matchRate(config: string): Promise<number> {
  const { insights, close } = await openInsights(
    loadConfig({ file: config, environment: {} }),
    createMemoryCache(),
  );
  const packages = Array.from({ length: MATCHED }, (_, index) => {
    const ecosystem = ecosystemOf(index);
    const name = nameOf(ecosystem, index % 3 === 0 ? index : -index);
    return lockedPackageOf(`${osvSystem(ecosystem)}:${name}@${index % 4}.${index % 7}.0`);
  });
  const { signal } = new AbortController();
  const rates: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const began = performance.now();
    const { resolutions } = await insights.resolve(packages, { signal });
    const affected = resolutions.filter(({ record }) => (record?.advisoryIds.length ?? 0) > 0);
    if (affected.length === 0 || resolutions.some(({ record }) => record === undefined))
      throw new Error('packages were not matched');
    if (round > 0) rates.push(MATCHED / ((performance.now() - began) / 1_000));
  }
  await close();
  return median(rates);
}

function ecosystemOf(index: number): (typeof DRAWN)[number] {
  return DRAWN[index % DRAWN.length] ?? 'npm';
}

function nameOf(ecosystem: string, index: number): string {
  return `${ecosystem === 'Maven' ? 'org.example:' : ''}package-${index}`;
}

/** One a line. Some hundred are about the packages of the example, of which few are affected; ranges, lists of versions, and both. */
function* recordsOf(count: number): Generator<string> {
  const { packages } = JSON.parse(readFileSync(LOCKFILE, 'utf8')) as { readonly packages: object };
  const locked = Object.keys(packages).flatMap((path) => path.split('node_modules/').at(-1) || []);
  // Without the advisories of well-known versions, a database counts as one that has lost some.
  for (const ecosystem of OSV_ECOSYSTEMS) {
    for (const { name, version } of affectedVersions(osvSystem(ecosystem) as System)) {
      const affected = [{ package: { ecosystem, name }, versions: [version] }];
      yield `${JSON.stringify({ id: `GHSA-${ecosystem}-${name.replaceAll(/\W/g, '-')}`, modified: '2026-01-01T00:00:00Z', affected })}\n`;
    }
  }
  for (let index = 0; index < count; index += 1) {
    const ecosystem = ecosystemOf(index);
    const isLocked = index < 1_000 && ecosystem === 'npm';
    const name = isLocked ? locked[(index * 7) % locked.length] : nameOf(ecosystem, index);
    const versions = Array.from({ length: index % 3 === 0 ? 0 : 40 }, (_, at) => `0.${at}.0`);
    const fixed = index < 1_000 && index % 20 !== 0 ? '0.40.0' : '2.0.0';
    const ranges = index % 3 === 1 ? [] : [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }];
    yield `${JSON.stringify({
      id: `GHSA-${index}`,
      modified: '2026-01-01T00:00:00Z',
      summary: `Issue ${index}`,
      details: 'What an attacker can do, and how. '.repeat(10),
      aliases: [`CVE-2026-${index}`],
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      affected: [{ package: { ecosystem, name }, ranges, versions }],
    })}\n`;
  }
}
