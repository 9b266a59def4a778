import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { InsightsData } from '../../src/embedded/insights/data-set.ts';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { isMissing } from './missing-graphs.ts';
import { run } from './run.ts';

const change = z.object({
  name: z.string(),
  from: z.string(),
  to: z.string().optional(),
  how: z.enum(['re-lock', 'upgrade', 'override']),
});
const counted = z.object({ id: z.string(), findings: z.number() });

const step = z.object({ changes: z.array(change), clears: z.array(counted) });
const part = z.object({ steps: z.array(step), commands: z.array(z.string()) });

const plan = part.extend({
  breaking: part,
  stays: z.array(counted.extend({ kind: z.string(), reason: z.string() })),
});

const report = z.object({
  plans: z.array(plan).default([]),
  unadvised: z.array(z.object({ id: z.string(), reason: z.string() })).default([]),
  findings: z.array(
    z.object({
      package: z.object({ name: z.string(), version: z.string() }),
      advisory: z.object({ id: z.string() }).optional(),
    }),
  ),
  applied: z
    .object({
      plans: z.array(z.object({ path: z.string(), reason: z.string().optional() })),
      written: z.array(z.string()).default([]),
      failedCheck: z.string().optional(),
    })
    .optional(),
});

export type Step = z.infer<typeof step>;
export type Part = z.infer<typeof part>;
export type Report = z.infer<typeof report>;

/** Lockhound, with a local service that answers it. */
export interface Lockhound {
  /** The main file of the program. */
  readonly program: string;
  readonly data: InsightsData;
  /** A third of all graphs is missing, selected by this seed; `undefined`: none is. */
  readonly seed: string | undefined;
}

/** Runs a command that prints a report as JSON. The last argument is a lockfile. */
export async function lockhound(
  settings: Lockhound,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const folder = dirname(args.at(-1) ?? '.');
  const { out, err } = await withService(settings, (line) =>
    run(folder, process.execPath, [...line(args)], environment),
  );
  if (out === '') throw new Error(`lockhound ${args.join(' ')}: ${err}`);
  return report.parse(JSON.parse(out));
}

/** Calls `kill` at some time after a program was started. Returns a function that has it called no more. */
export type Moment = (kill: () => void) => () => void;

/**
 * Runs a command in a folder, and kills it with everything that it started at a moment. Returns whether it was killed: `false` when it had
 * ended before.
 */
export async function killedAt(
  moment: Moment,
  folder: string,
  settings: Lockhound,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  return await withService(settings, async (line) => {
    const options = { cwd: folder, env: { ...process.env, ...environment }, stdio: 'ignore' } as const;
    const child = spawn(process.execPath, [...line(args)], { ...options, detached: true });
    let isOver = false;
    const cancel = moment(() => {
      if (!isOver) process.kill(-(child.pid as number), 'SIGKILL');
    });
    const [, signal] = await once(child, 'close');
    isOver = true;
    cancel();
    return signal === 'SIGKILL';
  });
}

/** Gives a task the function that adds program and configuration to a command, for a local service that answers it until the task ends. */
async function withService<Result>(
  { program, data, seed }: Lockhound,
  task: (line: (args: readonly string[]) => readonly string[]) => Promise<Result>,
): Promise<Result> {
  const service = await startInsightsService({ data });
  if (seed !== undefined) {
    const when = ({ url }: { readonly url: string }) => isMissing(url, seed);
    service.faults.inject(
      { kind: 'answer', status: 404, body: 'dependencies not found' },
      { every: 1, when },
    );
  }
  const settings = await mkdtemp(join(tmpdir(), 'lockhound-settings-'));
  try {
    const config = join(settings, 'lockhound.yaml');
    await writeFile(config, `insights: { url: "${service.url}" }\n`);
    return await task((args) => [program, ...args, '--config', config]);
  } finally {
    await service.close();
    await rm(settings, { recursive: true });
  }
}

const parsed = z.object({ packages: z.array(z.object({ name: z.string(), version: z.string() })) });

export type Locked = z.infer<typeof parsed>['packages'][number];

/** The packages of a lockfile. */
export async function lockedIn(program: string, file: string): Promise<readonly Locked[]> {
  const { out } = await run(dirname(file), process.execPath, [program, 'parse', '--json', file]);
  return parsed.parse(JSON.parse(out)).packages;
}
