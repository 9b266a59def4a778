import { readFile, writeFile } from 'node:fs/promises';
import type { Row } from './cold.ts';

const FILE = new URL('cold-ratios.json', import.meta.url);

/** A ratio may be worse than the recorded one by a quarter. */
const TOLERANCE = 1.25;

/**
 * Compares with the recorded ratios and sets the exit code, or records. A row is worse when its median and its shortest time both
 * are: on a busy machine one of them may be by chance.
 */
export async function checkRatios(rows: readonly Row[], action: 'compare' | 'record'): Promise<void> {
  const ratios = rows.flatMap(({ name, limit, ratio, leastRatio }) =>
    limit === undefined || ratio === undefined || leastRatio === undefined
      ? []
      : [{ name, better: Math.min(ratio, leastRatio) }],
  );
  if (action === 'record') {
    const recorded = Object.fromEntries(ratios.map(({ name, better }) => [name, Number(better.toFixed(2))]));
    return await writeFile(FILE, `${JSON.stringify(recorded, null, 2)}\n`);
  }
  const recorded = JSON.parse(await readFile(FILE, 'utf8')) as Readonly<Record<string, number>>;
  for (const { name, better } of ratios) {
    const known = recorded[name];
    if (known !== undefined && better <= known * TOLERANCE) continue;
    console.error(
      known === undefined
        ? `${name}: no ratio is recorded; run \`npm run bench -- cold --record\``
        : `${name}: ${better.toFixed(2)} is more than a quarter worse than the recorded ${known}`,
    );
    process.exitCode = 1;
  }
}
