/*
 * A process of `hunt.ts`: runs histories of successive seeds until one fails.
 *
 * Arguments: the planted files (JSON), the first seed, the number of histories, and `coverage` to send what ran of the sources.
 */
import { Session } from 'node:inspector/promises';
import { planOf } from '../plan.ts';
import { prepare } from '../prepare.ts';
import { type PlantedFile, plant, ROOT } from './plant.ts';

/** What the process sends. */
export type Message =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'ended'; readonly seed: number; readonly failure: string | undefined }
  | { readonly kind: 'coverage'; readonly coverage: Coverage };

/** How often a part of a source ran. The innermost part that has a place counts. */
interface CoveredPart {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** By file, relative to the root of the project. */
export type Coverage = Readonly<Record<string, readonly CoveredPart[]>>;

// Nobody waits for it any more.
process.on('disconnect', () => process.exit());

const [planted = '[]', from = '1', count = '1', wanted] = process.argv.slice(2);

const session = new Session();
if (wanted === 'coverage') {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}
plant(JSON.parse(planted) as readonly PlantedFile[]);
const run = await prepare({ onLoaded: () => process.send?.({ kind: 'loaded' } satisfies Message) });
for (let seed = Number(from); seed < Number(from) + Number(count); seed += 1) {
  const { failure } = await run(planOf(seed));
  await send({ kind: 'ended', seed, failure });
  if (failure !== undefined) break;
}
if (wanted === 'coverage') await send({ kind: 'coverage', coverage: await coverage() });
process.exit();

function send(message: Message): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

async function coverage(): Promise<Coverage> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const own = result.filter(({ url }) => url.startsWith(`${ROOT}src/`));
  return Object.fromEntries(
    own.map(({ url, functions }) => [url.slice(ROOT.length), functions.flatMap(({ ranges }) => ranges)]),
  );
}
