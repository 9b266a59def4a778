import { configSchema } from '../src/config/schema.ts';
import type { Advisory, ResolvedPackage } from '../src/model/scan/inventory.ts';
import { compareFindings } from '../src/policy/changes.ts';
import { judge } from '../src/policy/judge.ts';
import { routeChanges } from '../src/policy/routing/route-changes.ts';

const SIZES = [1_000, 10_000, 100_000, 500_000];
const AT = '2026-01-31T06:00:00Z';

/** Judges, compares and routes packages that all have a finding: the time per package must not grow with their number. */
export async function run(): Promise<void> {
  const { policy } = configSchema.parse({});
  const target = { id: 'bench', labels: {} };
  const rule = { name: 'default', mode: 'digest' as const, match: {}, rest: true };
  for (const size of SIZES) {
    const advisories = new Map(advisoriesFor(size).map((one) => [one.id, one]));
    const lockfile = {
      path: 'a.lock',
      sha256: '',
      format: 'bench',
      packages: packagesFor(size),
      problems: [],
    };
    const inventory = { lockfiles: [lockfile], unread: [] };
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const began = performance.now();
    const { findings } = await judge({ target, inventory, advisories, graphs: new Map(), policy });
    const scan = { scan: 's', requestedAt: AT, partial: false, paths: ['a.lock'] };
    const rules = { stillOpen: () => undefined, noteLimit: () => Number.POSITIVE_INFINITY };
    const { changes } = await compareFindings(undefined, findings, { ...scan, ...rules });
    await routeChanges({ take: 'all', firstScan: 'all', rules: [rule] }, target, changes);
    const took = performance.now() - began;
    clearInterval(timer);
    if (changes.length !== size) throw new Error(`${changes.length} changes of ${size} packages`);
    const each = ((took / size) * 1_000).toFixed(1).padStart(6);
    console.log(
      `${String(size).padStart(7)} findings: ${each} µs each, longest pause ${longest.toFixed(0)} ms`,
    );
  }
}

function advisoriesFor(size: number): readonly Advisory[] {
  return Array.from({ length: Math.ceil(size / 10) }, (_, index) => ({
    id: `GHSA-${index}`,
    url: '',
    title: `Issue ${index}`,
    aliases: [`CVE-${index}`],
    cvss3Score: (index % 100) / 10,
  }));
}

function packagesFor(size: number): readonly ResolvedPackage[] {
  return Array.from({ length: size }, (_, index) => {
    const name = `package-${index}`;
    return {
      id: `${name}@1.0.0`,
      ecosystem: 'npm',
      name,
      version: '1.0.0',
      purl: `pkg:npm/${name}@1.0.0`,
      direct: index === 0,
      groups: [],
      integrity: [],
      source: { kind: 'registry' as const },
      line: index,
      dependencies:
        2 * index + 2 < size ? [`package-${2 * index + 1}@1.0.0`, `package-${2 * index + 2}@1.0.0`] : [],
      resolution: {
        outcome: 'resolved' as const,
        record: {
          versionKey: { system: 'NPM' as const, name, version: '1.0.0' },
          isDefault: true,
          isDeprecated: false,
          licenses: [],
          advisoryIds: [`GHSA-${index % Math.ceil(size / 10)}`],
        },
      },
    };
  });
}
