import type { LoadedConfig } from '../config/load.ts';
import type { ObjectStorage } from '../model/ports/object-storage.ts';
import type { Secret } from '../model/secret.ts';

/** A block of 16 entries has some kilobytes. */
const MAX_BYTES = 64 * 1024 * 1024;
/** After a failure, other reads fail at once for this long: a question may read thousands of blocks. */
const PAUSE_MS = 5_000;
const TIMES = { headersTimeoutMs: 5_000, bodyTimeoutMs: 5_000, totalTimeoutMs: 15_000, connections: 32 };

/** The storage that `ledger.storage` names, opened on first use; `undefined` when it is not set. */
export function openLedgerStorage(
  loaded: LoadedConfig,
  now: () => number = Date.now,
): (ObjectStorage & { close(): Promise<void> }) | undefined {
  if (loaded.config.ledger.storage === undefined) return undefined;
  let opened: ReturnType<typeof open> | undefined;
  let failed: { readonly at: number; readonly error: unknown } | undefined;
  const storage = async () => {
    opened ??= open(loaded);
    return (await opened).storage;
  };
  return {
    put: async (name, content) => await (await storage()).put(name, content),
    async get(name) {
      if (failed !== undefined && now() - failed.at < PAUSE_MS) throw failed.error;
      try {
        return await (await storage()).get(name);
      } catch (error) {
        failed = { at: now(), error };
        throw error;
      }
    },
    remove: async (name) => await (await storage()).remove(name),
    close: async () => await (await opened)?.close(),
  };
}

async function open({ config, secrets }: LoadedConfig) {
  const { folder, s3 } = config.ledger.storage ?? {};
  if (s3 === undefined) {
    const { createFolderStorage } = await import('../storage/folder-storage.ts');
    return { storage: createFolderStorage(folder ?? '', MAX_BYTES), close: async () => {} };
  }
  const { createS3Storage } = await import('../storage/s3-storage.ts');
  const { createHttpClient } = await import('../http/undici-client.ts');
  const http = createHttpClient({ ...TIMES, maxResponseBytes: MAX_BYTES });
  const { ledgerAccessKeyId, ledgerSecretAccessKey, ledgerSessionToken: sessionToken } = secrets;
  const keys = {
    accessKeyId: ledgerAccessKeyId as Secret,
    secretAccessKey: ledgerSecretAccessKey as Secret,
    sessionToken,
  };
  return { storage: createS3Storage({ ...s3, ...keys }, http), close: http.close };
}
