import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRegistry, type Registry } from './registry.ts';
import { run, succeed } from './run.ts';
import { installTools, type Tools } from './tools.ts';

/** What managers download and the registry answers is kept for other runs of the same day. */
const CACHE = join(tmpdir(), `lockhound-check-fixes-${new Date().toISOString().slice(0, 10)}`);

/** The things with which projects are built and checked. */
export interface Bench {
  readonly tools: Tools;
  readonly registry: Registry;
  /** URL of the registry that npm is configured for. */
  readonly upstream: string;
  /** An empty folder for projects. */
  readonly folder: string;
}

/**
 * Opens a bench for `work`, and removes its folder afterwards unless `keep` is set, which prints its path. Resolves to what `work` returns, or
 * to 0 after a line of text when the registry that npm is configured for does not answer.
 */
export async function withBench(
  work: (bench: Bench) => Promise<number>,
  { keep = false }: { readonly keep?: boolean } = {},
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'lockhound-fixes-'));
  if ((await run(folder, 'npm', ['ping'])).code !== 0) {
    console.log('skipped: the registry that npm is configured for does not answer `npm ping`');
    return 0;
  }
  const upstream = (await succeed(folder, 'npm', ['config', 'get', 'registry'])).trim();
  await mkdir(CACHE, { recursive: true });
  const registry = await openRegistry(upstream, join(CACHE, 'packuments'));
  try {
    const tools = await installTools(join(CACHE, 'tools'), CACHE, join(folder, 'answers'));
    return await work({ tools, registry, upstream, folder });
  } finally {
    await registry.close();
    if (keep) console.log(folder);
    else await rm(folder, { recursive: true });
  }
}
