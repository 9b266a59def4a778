import { statSync } from 'node:fs';
import { claimsAbout } from '../advisories/claims.ts';
import { type Advisories, advisoriesPath, openAdvisories, withChanges } from '../advisories/database.ts';
import { createAdvisoryModel } from '../embedded/insights/advisory-model.ts';
import { answersOf, type LocalIndex } from '../embedded/insights/local-index.ts';
import type { IndexModel } from '../embedded/insights/model.ts';
import { parsePurl } from '../embedded/insights/names.ts';
import type { HttpClient } from '../http/client.ts';
import { CLAIMS, SERVICE_LACKS } from '../model/api/extensions.ts';
import { isObject } from '../model/json-object.ts';
import type { VersionKey } from '../model/lockfile/ecosystem.ts';
import type { AdvisoryChanges } from '../store/advisory-changes.ts';
import { createLocalHttp } from './local-http.ts';

/** An index in this process answers at once, so that its pages may be as large as a batch. */
const PAGE_SIZE = 5_000;
/** Longer than a request takes. */
const CLOSE_AFTER_MS = 60_000;

interface Imported {
  readonly model: IndexModel;
  readonly advisories: Advisories;
}

/** The imported advisories as they are now. */
export interface AdvisoryIndex {
  current(): Promise<Pick<LocalIndex, 'answer'> & Imported>;
  close(): Promise<void>;
}

/** The imported advisories in a folder, with what changed since. Follows an import of another process. Throws `AdvisoryError`. */
export async function openAdvisoryIndex(
  folder: string,
  changes?: Pick<AdvisoryChanges, 'revision' | 'records'>,
): Promise<AdvisoryIndex> {
  const path = advisoriesPath(folder);
  const stampNow = async () => `${stampOf(path)} ${(await changes?.revision()) ?? ''}`;
  const open = async () => {
    const stamp = await stampNow();
    const imported = await openAdvisories(path);
    const advisories = withChanges(imported, (await changes?.records()) ?? []);
    const model = createAdvisoryModel(advisories);
    const { answer } = await answersOf(model, () => PAGE_SIZE);
    return { model, advisories, answer, stamp, close: imported.close };
  };
  let opened = open();
  await opened;
  return {
    async current() {
      for (;;) {
        const reading = opened;
        const before = await reading;
        if ((await stampNow()) === before.stamp) return before;
        // Another caller may be reading it already.
        if (opened === reading) opened = open();
        const next = await opened.catch(() => undefined);
        if (next === undefined) {
          // The file is damaged or gone: what was read of it stays.
          opened = reading;
          return before;
        }
        // Requests that began before may still read it.
        if (next !== before) setTimeout(before.close, CLOSE_AFTER_MS).unref();
      }
    },
    async close() {
      (await opened).close();
    },
  };
}

/** Another value after the file was replaced. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`;
}

/** Answers from the imported advisories alone. */
export function advisoriesAlone(index: AdvisoryIndex): HttpClient {
  return { ...createLocalHttp(index.current), close: index.close };
}

/** Adds the imported advisories to the answers of the service: to its versions, and for ids and versions that it does not have. */
export function withAdvisories(service: HttpClient, index: AdvisoryIndex): HttpClient {
  const alone = createLocalHttp(index.current);
  return {
    async send(request) {
      const answer = await service.send(request);
      if (answer.status === 404 && ADVISORY.test(request.url)) {
        const own = await alone.send(request);
        return own.status === 200 ? own : answer;
      }
      if (answer.status !== 200 || !VERSIONS.test(request.url)) return answer;
      return { ...answer, body: addedTo(answer.body, await index.current()) };
    },
    async close() {
      await index.close();
      await service.close();
    },
  };
}

const ADVISORY = /\/advisories\/[^/]+$/;
const VERSIONS = /\/(?:purlbatch|versionbatch)$/;

/** A page of a batch with the advisories of the model. An answer that is no such page is left as it is, for others to refuse. */
function addedTo(body: Buffer, imported: Imported): Buffer {
  let page: unknown;
  try {
    page = JSON.parse(body.toString('utf8'));
  } catch {
    return body;
  }
  if (!isObject(page) || !Array.isArray(page['responses'])) return body;
  return Buffer.from(
    JSON.stringify({ ...page, responses: page['responses'].map((one) => added(one, imported)) }),
  );
}

function added(response: unknown, { model, advisories }: Imported): unknown {
  if (!isObject(response) || !isObject(response['request'])) return response;
  const { request, result, version } = response;
  const [asked, isPurl] = [keyAsked(request), request['purl'] !== undefined];
  const stated = isPurl && isObject(result) ? result['version'] : version;
  const key = isObject(stated) ? (stated['versionKey'] as VersionKey | undefined) : asked;
  const own = key && model.version(key);
  if (key === undefined || own === undefined) return response;
  const known = JSON.parse(own) as { readonly advisoryKeys: readonly { readonly id: string }[] };
  // Nothing is known of the version: the miss of the service stays.
  if (stated === undefined && known.advisoryKeys.length === 0) return response;
  const joined = isObject(stated)
    ? { ...stated, ...joinedKeys(key, stated['advisoryKeys'], known.advisoryKeys, advisories) }
    : { ...known, [SERVICE_LACKS]: true };
  return isPurl
    ? { ...response, result: { ...(result as object), version: joined } }
    : { ...response, version: joined };
}

function keyAsked({ purl, versionKey }: Readonly<Record<string, unknown>>): VersionKey | undefined {
  if (typeof purl !== 'string') return versionKey as VersionKey | undefined;
  const parsed = parsePurl(purl);
  return parsed?.version === undefined ? undefined : { ...parsed, version: parsed.version };
}

/** The ids of both, and what each says where they differ. What the service states in another form stays as it is. */
function joinedKeys(
  key: VersionKey,
  stated: unknown,
  own: readonly { readonly id: string }[],
  advisories: Advisories,
): object {
  if (stated !== undefined && !Array.isArray(stated)) return { advisoryKeys: stated };
  const list: readonly unknown[] = stated ?? [];
  const service = list.flatMap((one) => (isObject(one) && typeof one['id'] === 'string' ? one['id'] : []));
  const claims = claimsAbout(key, { service, own: own.map(({ id }) => id) }, advisories);
  return {
    advisoryKeys: [...list, ...own.filter(({ id }) => !service.includes(id))],
    ...(claims.length === 0 ? {} : { [CLAIMS]: claims }),
  };
}
