import type { LoadedConfig } from '../src/config/load.ts';
import { resumeRoute } from '../src/operations/deliveries/resume.ts';
import { retryDeliveries } from '../src/operations/deliveries/retry.ts';
import { openLocalContext } from '../src/operations/local-context.ts';
import { LOCAL_OPERATOR } from '../src/operations/principal.ts';
import { Refusal } from '../src/operations/refusal.ts';
import { dropAllRejected } from '../src/operations/rejected/drop-all.ts';
import { MODES } from './plan.ts';

type Context = Awaited<ReturnType<typeof openLocalContext>>;

const CALLER = { principal: LOCAL_OPERATOR, signal: new AbortController().signal };

const ROUTES: readonly string[] = ['default', ...MODES.map((mode) => `by-${mode}`)];

/** Resumes the routes of alerts that are stopped, and sends what it held or what has failed. Resolves to the number of these deliveries. */
export async function repairDeliveries(config: LoadedConfig): Promise<number> {
  return await withContext(config, async (context) => {
    for (const route of ROUTES)
      await resumeRoute({ ...CALLER, params: { route }, body: undefined }, context).catch(unlessRefused);
    const params = { state: ['held' as const, 'failed' as const] };
    const { deliveries = [] } = await retryDeliveries({ ...CALLER, params, body: undefined }, context);
    return deliveries.length;
  });
}

/** Deletes the rejected payloads. Resolves to their number. */
export async function dropRejected(config: LoadedConfig): Promise<number> {
  return await withContext(config, async (context) => {
    const { dropped = 0 } = await dropAllRejected({ ...CALLER, params: {}, body: undefined }, context);
    return dropped;
  });
}

async function withContext<Result>(
  config: LoadedConfig,
  use: (context: Context) => Promise<Result>,
): Promise<Result> {
  const context = await openLocalContext(config);
  try {
    return await use(context);
  } finally {
    await context.close();
  }
}

/** The route is not stopped. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}
