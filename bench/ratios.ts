import { readFile, writeFile } from 'node:fs/promises';
import type { Table } from './rows.ts';

const FILE = new URL('ratios.json', import.meta.url);

/**
 * A ratio may be worse than the recorded one by a half. Without a change of the code, the ratio of two short times moves by a
 * third between machines.
 */
const TOLERANCE = 1.5;

/** Recorded ratios by bench, title of the table, and name. */
type Recorded = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;

/**
 * Compares with the recorded ratios. Returns the rows that are worse, each with the reason. A row is worse when its median and
 * its shortest time both are: on a busy machine one of them may be by chance.
 */
export async function worseThanRecorded(
  bench: string,
  tables: readonly Table[],
): Promise<ReadonlyMap<string, string>> {
  const recorded = await readRecorded();
  const worse = new Map<string, string>();
  for (const { title, rows } of tables) {
    for (const [name, ratio] of ratiosOf(rows)) {
      const known = recorded[bench]?.[title]?.[name];
      if (known !== undefined && ratio <= known * TOLERANCE) continue;
      const reason =
        known === undefined
          ? `no ratio is recorded; run \`npm run bench -- ${bench} --check --record\``
          : `${ratio.toFixed(2)} is more than a half worse than ${known}`;
      worse.set(`${title}: ${name}`, reason);
    }
  }
  return worse;
}

export async function recordRatios(bench: string, tables: readonly Table[]): Promise<void> {
  const own = Object.fromEntries(
    tables.map(({ title, rows }) => [
      title,
      Object.fromEntries(ratiosOf(rows).map(([name, ratio]) => [name, Number(ratio.toFixed(2))])),
    ]),
  );
  await writeFile(FILE, `${JSON.stringify({ ...(await readRecorded()), [bench]: own }, null, 2)}\n`);
}

/** The better ratio of each row that is checked. */
function ratiosOf(rows: Table['rows']): readonly (readonly [name: string, ratio: number])[] {
  return rows.flatMap(({ name, isChecked, ratio, leastRatio }) =>
    isChecked !== true || ratio === undefined || leastRatio === undefined
      ? []
      : [[name, Math.min(ratio, leastRatio)] as const],
  );
}

async function readRecorded(): Promise<Recorded> {
  return JSON.parse(await readFile(FILE, 'utf8')) as Recorded;
}
