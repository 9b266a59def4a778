/*
 * A process of `hunt.ts`: runs histories until one fails, or all of them for their coverage.
 *
 * Arguments: the planted files (JSON), the number of histories, and `coverage` to send what ran of the sources.
 */
import { Session } from 'node:inspector/promises';
import { engineLog } from '../engine.ts';
import { planOf } from '../plan.ts';
import { prepare } from '../prepare.ts';
import { type PlantedFile, plant, ROOT } from './plant.ts';
import { markedIn } from './script-mutants.ts';

/** What the process sends. */
export type Message =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'ended'; readonly seed: number; readonly failure: string | undefined }
  /** `marked`: the places of scripts that Redis came to. */
  | { readonly kind: 'coverage'; readonly coverage: Coverage; readonly marked: readonly string[] };

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

const [planted = '[]', count = '1', wanted] = process.argv.slice(2);
const marked = new Set<string>();

const session = new Session();
if (wanted === 'coverage') {
  engineLog.read = (log) => {
    for (const place of markedIn(log)) marked.add(place);
  };
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}
plant(JSON.parse(planted) as readonly PlantedFile[]);
const run = await prepare({ onLoaded: () => process.send?.({ kind: 'loaded' } satisfies Message) });
for (const seed of seedsOf(Number(count))) {
  const { failure } = await run(planOf(seed));
  await send({ kind: 'ended', seed, failure });
  if (failure !== undefined && wanted !== 'coverage') break;
}
if (wanted === 'coverage') await send({ kind: 'coverage', coverage: await coverage(), marked: [...marked] });
process.exit();

/** Seeds from 1 on, in another order: of each three, one is of a large installation, which runs code that others do not. */
function seedsOf(length: number): readonly number[] {
  const all = Array.from({ length: 60 * length }, (_, index) => index + 1);
  const { true: large = [], false: small = [] } = Object.groupBy(all, (seed) => `${planOf(seed).isLarge}`);
  return Array.from({ length }, (_, index) => (index % 3 === 1 ? large : small).shift() ?? 0);
}

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
