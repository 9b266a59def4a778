import { createDeferredLog } from '../compose/deferred-log.ts';
import { openLookUpCache } from '../compose/look-up-cache.ts';
import { openScanner } from '../compose/scanner.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { PackageChecks, PackageQuestion } from '../model/api/lockhound-api.generated.ts';
import { checkPackages } from '../operations/packages/check-packages.ts';
import { Refusal } from '../operations/refusal.ts';

/** The answer of the gate without a fleet: from the API, or from imported advisories, with the look-ups of earlier commands. Throws `Refusal`. */
export async function checkAlone(
  loaded: LoadedConfig,
  question: PackageQuestion,
  signal: AbortSignal = new AbortController().signal,
): Promise<PackageChecks> {
  if (question.target !== undefined)
    throw new Refusal(
      400,
      'target-unknown',
      'a target needs redis.url or a server: nothing is known of it here',
    );
  const kept = openLookUpCache(loaded, { onFault: () => {} });
  const scanner = await openScanner(loaded, {
    log: createDeferredLog(loaded),
    cache: kept?.cache,
    signal,
    onProgress: () => {},
    onWait: () => {},
  });
  const { insights, exploits, rules } = scanner;
  try {
    return await checkPackages(question, {
      gate: {
        insights: () => insights,
        policy: rules.policy,
        suppressions: async () => rules.suppressions,
        exploits: async () => exploits,
        inspections: { read: async (identities) => identities.map(() => undefined) },
        isInspecting: loaded.config.insights.sources.includes('api'),
        close: scanner.close,
      },
      ...{ target: { id: '', labels: {} }, seesAll: true, signal, now: Date.now() },
      usesOf: async () => new Map(),
      nearNames: async () => [],
    });
  } finally {
    await scanner.close();
    await kept?.cache.flush();
  }
}
