import { readFileSync } from 'node:fs';
import { compareDescriptions } from '../src/discovery/compare/descriptions.ts';
import { parseDescription } from '../src/discovery/description/description.ts';
import { countMethods, methodsOf } from '../src/discovery/description/methods.ts';
import { validateDescription } from '../src/discovery/description/validate-description.ts';
import { compileRequest } from '../src/discovery/request/compile.ts';
import { median } from './median.ts';
import { syntheticDescription } from './synthetic-description.ts';

const ROUNDS = 31;
const WARM_UP = 5;

/** Compares alternately in one process, so that load on the machine affects all subjects. Argument: a real file. */
export async function run([file]: readonly string[]): Promise<void> {
  const text = file === undefined ? syntheticDescription(1_000_000) : readFileSync(file, 'utf8');
  const load = () => {
    const document = parseDescription(text, 'bench');
    countMethods(document);
    return document;
  };
  const other = load();
  const subjects: Readonly<Record<string, () => unknown>> = {
    'JSON.parse': () => JSON.parse(text),
    'load and index': load,
    'load, index and read every method': () => methodsOf(load()),
    'load, index and validate every field': () => validateDescription(load()),
    'load, index and compare with another': () => compareDescriptions(other, load()),
  };
  const times = new Map(Object.keys(subjects).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    for (const [name, work] of Object.entries(subjects)) {
      const began = performance.now();
      work();
      if (round >= WARM_UP) times.get(name)?.push(performance.now() - began);
    }
  }
  const [floor = []] = [...times.values()];
  console.log(
    `${countMethods(other)} methods, ${(text.length / 1e6).toFixed(2)} MB, medians of ${ROUNDS} rounds (aim: load and index under 3 ×)`,
  );
  for (const [name, all] of times) {
    const ratio = median(all.map((time, index) => time / (floor[index] ?? Number.NaN)));
    console.log(
      `${name.padEnd(40)} ${median(all).toFixed(1).padStart(7)} ms   ${ratio.toFixed(2)} × JSON.parse`,
    );
  }
  benchUrls();
}

const URLS = 35_000;

function benchUrls(): void {
  const document = parseDescription(syntheticDescription(100_000), 'bench');
  const ids = methodsOf(document).map(({ id }) => id);
  const began = performance.now();
  for (let index = 0; index < URLS; index += 1) {
    compileRequest(document, ids[index % ids.length] ?? '', {
      params: { name: `things/${index}`, pageSize: 50, pageToken: 'ü/ñ' },
    });
  }
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${URLS} URLs in ${seconds.toFixed(2)} s (${Math.round(URLS / seconds)} a second)`);
}
