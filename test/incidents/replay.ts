import { openInsightsApi } from '../../src/compose/insights.ts';
import { configSchema } from '../../src/config/schema.ts';
import type { IndexedPackage, IndexedVersion } from '../../src/embedded/insights/data-set.ts';
import { type LocalIndex, openLocalIndex } from '../../src/embedded/insights/local-index.ts';
import { createMemoryCache } from '../../src/insights/disk-cache/memory-cache.ts';
import { createInsights } from '../../src/insights/insights.ts';
import { gatherFacts } from '../../src/jobs/signals/gather.ts';
import { createMemoryInspections } from '../../src/jobs/signals/inspect-now.ts';
import { createProjectLookUp } from '../../src/jobs/signals/project-scores.ts';
import type { VersionKey } from '../../src/model/lockfile/ecosystem.ts';
import { purlTypeOf, writePurl } from '../../src/model/lockfile/ecosystem.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { ResolvedPackage } from '../../src/model/scan/inventory.ts';
import type { Inspection } from '../../src/model/signal/inspection.ts';
import { judge } from '../../src/policy/judge.ts';
import { signalsOf } from '../../src/policy/signals/evaluate.ts';
import type { Event, Incident, Publication } from './incident.ts';

const CONFIG = configSchema.parse({});

/** What a target was shown at a moment; `vulnerability` is left out, because it is what the replay is compared with. */
export interface Moment {
  readonly at: string;
  readonly findings: readonly Finding[];
}

/** Replays an incident: the target that locked the version is judged whenever the registry changes, as re-inspections do. */
export async function replay(incident: Incident): Promise<readonly Moment[]> {
  const world = await createWorld(incident);
  const locked = Date.parse(incident.lock.at);
  const times = [...incident.events.map(({ at }) => Date.parse(at)), locked];
  const moments: Moment[] = [];
  let before: Inspection | undefined;
  for (const time of [...new Set(times)].sort((left, right) => left - right)) {
    for (const event of incident.events) if (Date.parse(event.at) === time) await world.apply(event);
    if (time < locked) continue;
    const seen = await world.judge(time, before);
    before = seen.inspection;
    moments.push({ at: new Date(time).toISOString(), findings: seen.findings });
  }
  return moments;
}

/** The first moment at which a target was alerted without an advisory. */
export function firstAlert(
  moments: readonly Moment[],
): { readonly at: string; readonly finding: Finding } | undefined {
  for (const { at, findings } of moments) {
    const finding = findings.find(({ level }) => level === 'alert');
    if (finding !== undefined) return { at, finding };
  }
  return undefined;
}

async function createWorld({ system, before, lock, similar = {}, dependents = {} }: Incident) {
  const index = await openLocalIndex({ data: { packages: [], advisories: [] } });
  const packages = new Map<string, IndexedPackage>();
  const put = (name: string, change: (known: IndexedPackage) => IndexedPackage): void => {
    const known = packages.get(name) ?? { system, name, versions: [], similar: [...(similar[name] ?? [])] };
    const changed = change(known);
    packages.set(name, changed);
    index.putPackage(changed);
  };
  const publish = (one: Publication): void =>
    put(one.name, (known) => ({
      ...known,
      default: one.version,
      versions: [...known.versions, versionOf(one)],
    }));
  for (const one of before) publish(one);
  for (const [name, count] of Object.entries(dependents)) {
    // They stand for the packages that require it.
    for (let at = 0; at < count; at += 1) {
      publish({
        name: `user-${at}-of-${name}`,
        version: '1.0.0',
        at: '2015-01-01',
        requires: { [name]: '*' },
      });
    }
  }
  const key: VersionKey = { system, name: lock.name, version: lock.version };
  const insights = await insightsOver(index);
  const scores = createMemoryInspections().projects;
  const { releases } = insights;
  /** What the fleet knows of projects, which it looks up at every refresh. */
  const lookUpProjects = (at: number) =>
    createProjectLookUp({ scores, releases, signal: new AbortController().signal, at });
  return {
    async apply(event: Event): Promise<void> {
      if ('publish' in event) for (const one of event.publish) publish({ ...one, at: event.at });
      else if ('deprecate' in event) {
        const marked = new Set(event.deprecate);
        put(event.of, (known) => ({
          ...known,
          default: event.default ?? known.default,
          versions: known.versions.map((one) =>
            marked.has(one.version) ? { ...one, deprecated: 'withdrawn' } : one,
          ),
        }));
      } else if ('project' in event) {
        const { at: date, project: id, overall: overallScore, checks } = event;
        const entries = Object.entries(checks).map(([name, score]) => ({ name, score }));
        index.putProject({ id, scorecard: { date, overallScore, checks: entries } });
        await lookUpProjects(Date.parse(date))(new Map([[id, []]]));
      } else if ('remove' in event) {
        const gone = new Set(event.remove);
        put(event.of, (known) => ({
          ...known,
          versions: known.versions.filter(({ version }) => !gone.has(version)),
        }));
      } else {
        const affected = Object.entries(event.affects).map(([name, range]) => ({ system, name, range }));
        index.learnAdvisory({ id: event.advisory, title: 'Malware', aliases: [], affected, heldBack: false });
      }
    },
    async judge(time: number, known: Inspection | undefined) {
      const signal = new AbortController().signal;
      const inspected = { ...key, ...(lock.isNew === true ? { newDirect: true } : {}) };
      const [gathered] = await gatherFacts([{ package: inspected, before: known }], {
        releases,
        signal,
        lookUpProjects: lookUpProjects(time),
        at: time,
        knowsDigests: async () => false,
      });
      if (gathered === undefined) throw new Error('nothing was gathered');
      const inspection: Inspection = {
        inspectedAt: new Date(time).toISOString(),
        signals: signalsOf(gathered.facts, CONFIG.policy, known),
        unknown: gathered.unknown,
        ...(gathered.facts.requirements === undefined ? {} : { requirements: gathered.facts.requirements }),
      };
      return { inspection, findings: await findingsOf(key, index, inspection) };
    },
  };
}

/** The insights client over the answers of an index. */
export async function insightsOver(index: LocalIndex) {
  const http = {
    async send({ method, url, body }: { method: string; url: string; body?: Buffer | string | undefined }) {
      const { pathname, search } = new URL(url);
      const answer = index.answer({ method, url: pathname + search, body: body?.toString() });
      return { ...answer, body: Buffer.from(answer.body) };
    },
    close: async () => {},
  };
  const { api } = await openInsightsApi(CONFIG.insights, { http });
  return createInsights({ api, cache: createMemoryCache(), recordTtlMs: 1, missTtlMs: 1 });
}

function versionOf({
  version,
  at,
  attested,
  project,
  requires,
  optional,
  capabilities,
}: Publication): IndexedVersion {
  return {
    version,
    publishedAt: new Date(at).toISOString(),
    dependencies: { ...requires },
    ...(optional === undefined ? {} : { optionalDependencies: { ...optional } }),
    ...(capabilities === undefined
      ? {}
      : {
          capabilities: capabilities.map((capability) => ({ capability, directCount: 1, indirectCount: 0 })),
        }),
    ...(project === undefined
      ? {}
      : {
          projects: [
            {
              id: project,
              relationType: 'SOURCE_REPO' as const,
              relationProvenance: 'UNVERIFIED_METADATA' as const,
            },
          ],
        }),
    attestations:
      attested === undefined
        ? []
        : [
            {
              type: 'https://slsa.dev/provenance/v1',
              url: '',
              verified: true,
              sourceRepository: `https://${attested}`,
              commit: '',
            },
          ],
  };
}

/** The findings of a target that holds the version, without those about advisories. */
async function findingsOf(
  { system, name, version }: VersionKey,
  index: LocalIndex,
  inspection: Inspection,
): Promise<readonly Finding[]> {
  const ecosystem = purlTypeOf(system);
  const purl = writePurl(ecosystem, name, version);
  const indexed = index.findPackage({ system, name })?.versions.find((one) => one.version === version);
  const locked: ResolvedPackage = {
    id: `${name}@${version}`,
    ecosystem,
    name,
    version,
    purl,
    direct: true,
    groups: [],
    line: 1,
    dependencies: [],
    resolution:
      indexed === undefined
        ? { outcome: 'missing', seenBefore: true, reason: 'gone' }
        : {
            outcome: 'resolved',
            record: {
              versionKey: { system, name, version },
              isDefault: false,
              isDeprecated: indexed.deprecated !== undefined,
              licenses: [],
              advisoryIds: [],
            },
          },
  };
  const file = { path: 'lockfile', sha256: '', format: '', packages: [locked], problems: [] };
  const { findings, unjudged } = await judge({
    target: { id: 'fleet', labels: {} },
    inventory: { lockfiles: [file], unread: [] },
    advisories: new Map(),
    graphs: new Map(),
    policy: CONFIG.policy,
    inspections: new Map([[purl, inspection]]),
  });
  if (unjudged.length > 0) throw new Error(JSON.stringify(unjudged));
  return findings;
}
