import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { z } from 'zod';

/**
 * Writes the npm advisories of a RetireJS database as OSV records with the published versions, for `test/advice/osv-corpus.test.ts`:
 * `node scripts/retire-to-osv.ts <RetireJsVulns.json> <folder> [packages]`. The packages with most advisories come first (default 40); versions
 * are those of `npm view`. Ranges whose bounds were never published are left out.
 */
const database = z.record(
  z.string(),
  z.looseObject({
    npmname: z.string().optional(),
    vulnerabilities: z
      .array(
        z.looseObject({
          below: z.string().optional(),
          atOrAbove: z.string().optional(),
          identifiers: z
            .looseObject({
              githubID: z.string().optional(),
              CVE: z.array(z.string()).optional(),
              summary: z.string().optional(),
            })
            .default({}),
        }),
      )
      .default([]),
  }),
);

const [, , file = '', folder = '', most = '40'] = argv;
const out = join(folder, 'osv');
mkdirSync(out, { recursive: true });
const libraries = Object.entries(database.parse(JSON.parse(readFileSync(file, 'utf8'))));
const byName = Map.groupBy(libraries, ([key, { npmname }]) => npmname ?? key);
const ranked = [...byName]
  .map(([name, all]) => ({ name, ranges: all.flatMap(([, { vulnerabilities }]) => vulnerabilities) }))
  .sort((left, right) => right.ranges.length - left.ranges.length)
  .slice(0, Number(most));
let records = 0;
for (const { name, ranges } of ranked) {
  const versions = publishedVersions(name);
  const published = new Set(versions).add('0');
  for (const { below: fixed, atOrAbove: introduced = '0', identifiers } of ranges) {
    if (fixed === undefined || !published.has(fixed) || !published.has(introduced)) continue;
    const { githubID, CVE = [], summary } = identifiers;
    const id = githubID ?? CVE[0] ?? summary ?? `${name} ${introduced}-${fixed}`;
    const events = [{ introduced }, { fixed }];
    const affected = [
      { package: { ecosystem: 'npm', name }, versions, ranges: [{ type: 'SEMVER', events }] },
    ];
    records += 1;
    writeFileSync(join(out, `${records}.json`), JSON.stringify({ id, affected }));
  }
}
process.stdout.write(`${records} ranges of ${ranked.length} packages\n`);

/** Empty for a package that the registry does not have. */
function publishedVersions(name: string): readonly string[] {
  try {
    const text = execFileSync('npm', ['view', name, 'versions', '--json'], { encoding: 'utf8' });
    return z.array(z.string()).parse(JSON.parse(text));
  } catch {
    process.stderr.write(`${name}: no versions\n`);
    return [];
  }
}
