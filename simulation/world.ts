import { createHash } from 'node:crypto';
import {
  type AdvisoryFact,
  type IndexedPackage,
  type InsightsData,
  readBundledData,
} from '../src/embedded/insights/data-set.ts';
import { type LocalIndex, openLocalIndex } from '../src/embedded/insights/local-index.ts';
import { witnessesOf } from '../src/insights/losses/witnesses.ts';
import type { Answered, Asked } from './platform.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** How a service can answer while a fault lasts. */
export const SERVICE_FAULTS = [
  '401',
  '429',
  '500',
  'drop',
  'drop-answer',
  'garbage',
  'hang',
  'html',
  'slow',
  'wrong-schema',
] as const;

/** `410`: only of a receiver. */
export type ServiceFault = (typeof SERVICE_FAULTS)[number] | '410';

/** A client waits as long for the beginning of an answer, where nothing else limits it. */
const HEADERS_MS = 30_000;

export type ServiceName = 'files' | 'insights' | 'receiver';

export const URLS: Readonly<Record<ServiceName, string>> = {
  files: 'http://files.test',
  insights: 'http://insights.test',
  receiver: 'http://receiver.test',
};

const SERVICES = Object.keys(URLS) as readonly ServiceName[];

/** Time that an answer takes, in milliseconds. */
const LATENCY_MS = 20;
const SLOW_MS = 4_000;

/** A delivery that the receiver accepted, once for each `webhook-id`. */
export interface Received {
  readonly sentAt: number;
  readonly at: number;
  /** When it came last: it is sent again where its answer was lost, or its worker. */
  lastAt: number;
  readonly id: string;
  readonly path: string;
  readonly body: string;
}

/** Receives the id of a delivery that the receiver accepts, before it answers. `sentAt`: when it was sent, in virtual milliseconds. */
export type OnAccepted = (id: string, sentAt: number) => void;

/** An advisory of the world. */
export interface WorldAdvisory {
  readonly id: string;
  readonly name: string;
  readonly versions: readonly string[];
  readonly score: number;
}

export const VERSIONS: readonly string[] = ['1.0.0', '2.0.0', '3.0.0'];
const PUBLISHED = '2025-01-01T00:00:00Z';

export function packageOf(name: string, versions = VERSIONS): IndexedPackage {
  return {
    system: 'NPM',
    name,
    versions: versions.map((version) => ({ version, publishedAt: PUBLISHED, dependencies: {} })),
  };
}

export function advisoryOf({ id, name, versions, score }: WorldAdvisory): AdvisoryFact {
  const affected = [{ system: 'NPM' as const, name, range: versions.join(' || ') }];
  return { id, title: 'A flaw', aliases: [], score, affected, heldBack: false };
}

/** The well-known packages that every index has. While it states their advisories, the withdrawal of another one is believed. */
const WELL_KNOWN = await wellKnown();

async function wellKnown(): Promise<Pick<InsightsData, 'advisories' | 'packages'>> {
  const { packages, advisories } = await readBundledData();
  const names = new Set(witnessesOf('NPM').map(({ lookUp }) => lookUp.versionKey.name));
  return {
    packages: packages.filter(({ system, name }) => system === 'NPM' && names.has(name)),
    advisories: advisories.filter(({ affected }) =>
      affected.some(({ system, name }) => system === 'NPM' && names.has(name)),
    ),
  };
}

/** The services outside of Lockhound: the package-insights API over a small index, and the receiver of alerts. */
export class World {
  readonly received: Received[] = [];
  /** Texts of the service `files` by path. */
  readonly files = new Map<string, string>();
  onAccepted: OnAccepted = () => {};
  onRefused: (id: string) => void = () => {};
  /** Deliveries that the receiver refused because the next one was to be refused. */
  readonly refused = new Set<string>();
  #refusesNext = false;
  readonly insights: LocalIndex;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #faults: { readonly service: ServiceName; readonly fault: ServiceFault; readonly part: number }[] =
    [];
  readonly #accepted = new Map<string, Received>();
  /** Deliveries that the receiver got although it had accepted them. */
  #repeated = 0;

  private constructor(insights: LocalIndex, scheduler: Scheduler) {
    this.insights = insights;
    this.#scheduler = scheduler;
    this.#random = scheduler.random.fork();
  }

  static async create(packages: readonly IndexedPackage[], scheduler: Scheduler): Promise<World> {
    const data = {
      packages: [...packages, ...WELL_KNOWN.packages],
      advisories: WELL_KNOWN.advisories,
      projects: [],
      partial: false,
    };
    return new World(await openLocalIndex({ data: data as never, partial: false }), scheduler);
  }

  get repeated(): number {
    return this.#repeated;
  }

  /** Has a part of the answers of a service fail from now on. Of several faults the last one acts. Returns what ends it. */
  addFault(service: ServiceName, fault: ServiceFault, part: number): () => void {
    const one = { service, fault, part };
    this.#faults.push(one);
    return () => void this.#faults.splice(this.#faults.indexOf(one), 1);
  }

  /** Whether the receiver answers the next delivery with an error. Each delivery is refused at most once. */
  refuseNext(isRefused: boolean): void {
    this.#refusesNext = isRefused;
  }

  readonly request = async (asked: Asked): Promise<Answered> => {
    const service = SERVICES.find((name) => URLS[name] === asked.origin) ?? 'receiver';
    const sentAt = this.#scheduler.now;
    const planned = this.#faults.findLast((one) => one.service === service);
    const fault = planned !== undefined && this.#random.next() < planned.part ? planned.fault : undefined;
    await this.#wait(asked.signal, (fault === 'slow' ? SLOW_MS : LATENCY_MS) * (0.5 + this.#random.next()));
    if (fault === 'hang') {
      await this.#wait(asked.signal, HEADERS_MS);
      throw lost();
    }
    if (fault === 'drop') throw lost();
    if (fault === undefined || fault === 'slow' || fault === 'drop-answer') {
      const answer = this.#answer(service, asked, sentAt);
      if (fault === 'drop-answer') throw lost();
      await this.#wait(asked.signal, LATENCY_MS * this.#random.next());
      return answer;
    }
    return FAULTY[fault]();
  };

  #answer(service: ServiceName, asked: Asked, sentAt: number): Answered {
    if (service === 'insights') return this.#askInsights(asked);
    if (service === 'receiver') return this.#receive(asked, sentAt);
    const text = this.files.get(asked.path);
    if (text === undefined) return answered(404, 'not found', { 'content-type': 'text/plain' });
    const etag = `"${createHash('sha256').update(text).digest('hex')}"`;
    const isKnown = asked.headers['if-none-match'] === etag;
    return answered(isKnown ? 304 : 200, isKnown ? '' : text, { etag, 'content-type': 'application/json' });
  }

  #askInsights({ method, path, body }: Asked): Answered {
    const text = body === null ? undefined : typeof body === 'string' ? body : Buffer.from(body).toString();
    const { status, headers, body: answer } = this.insights.answer({ method, url: path, body: text });
    return answered(status, answer, headers);
  }

  #receive({ path, headers, body }: Asked, sentAt: number): Answered {
    const id = headers['webhook-id'] ?? '';
    if (this.#refusesNext && !this.#accepted.has(id) && !this.refused.has(id)) {
      this.#refusesNext = false;
      this.refused.add(id);
      this.onRefused(id);
      return FAULTY['500']();
    }
    const at = this.#scheduler.now;
    const known = this.#accepted.get(id);
    if (known !== undefined) {
      this.#repeated += 1;
      known.lastAt = at;
    } else {
      const delivery = { sentAt, at, lastAt: at, id, path, body: String(body) };
      this.#accepted.set(id, delivery);
      this.onAccepted(id, sentAt);
      this.received.push(delivery);
    }
    return answered(200, '{}');
  }

  /** Rejects as undici does when the request is aborted meanwhile. */
  #wait(signal: AbortSignal, ms: number): Promise<never> {
    return new Promise<never>((resolve, reject) => {
      const abort = (): void => {
        this.#scheduler.cancel(event);
        reject(signal.reason);
      };
      const event = this.#scheduler.after(ms, () => {
        signal.removeEventListener('abort', abort);
        resolve(undefined as never);
      });
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }
}

const FAULTY: Readonly<
  Record<Exclude<ServiceFault, 'drop' | 'drop-answer' | 'hang' | 'slow'>, () => Answered>
> = {
  '401': () => answered(401, 'unauthorized', { 'content-type': 'text/plain' }),
  '410': () => answered(410, 'gone', { 'content-type': 'text/plain' }),
  '429': () => answered(429, 'too many requests', { 'content-type': 'text/plain', 'retry-after': '2' }),
  '500': () => answered(500, 'internal error', { 'content-type': 'text/plain' }),
  garbage: () => answered(200, '{"responses":[{"req'),
  html: () => answered(200, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
  'wrong-schema': () => answered(200, '{"responses":"none","versionKey":7}'),
};

function answered(
  statusCode: number,
  text: string,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Answered {
  const bytes = Buffer.from(text);
  return {
    statusCode,
    headers,
    body: {
      arrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
      async *[Symbol.asyncIterator]() {
        yield bytes;
      },
    },
  };
}

function lost(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
}
