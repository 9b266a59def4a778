import { describe, expect, test } from 'vitest';
import { sealEnvelope } from '../../src/jobs/envelope.ts';
import { findBaseImage } from '../../src/jobs/find-base-image.ts';
import { ingestLockfiles } from '../../src/jobs/ingest-lockfiles.ts';
import { followUp } from '../../src/jobs/job.ts';
import { judgeScan } from '../../src/jobs/judge-scan.ts';
import { INGEST_LOCKFILES } from '../../src/jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../../src/jobs/payloads/judge-scan.ts';
import type { BaseImage } from '../../src/model/image/image.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import { context, FakeError, inventory, locked, ports } from './facts.ts';

const id = (digit: string) => `sha256:${digit.repeat(64)}`;
const IMAGE = {
  reference: 'shop:1.0',
  platform: 'linux/amd64',
  digest: id('f'),
  layers: [[id('1')], [id('2')]],
};
const NODE: BaseImage = { chainId: id('1'), layers: 1, repositories: ['acme/node', 'library/node'] };
const NEW_NODE: BaseImage = { chainId: id('2'), layers: 2, repositories: ['library/node'] };
const ALPINE: BaseImage = { chainId: id('3'), layers: 1, repositories: ['library/alpine'] };

const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;

async function found(
  base: BaseImage | undefined | Error,
  state: TargetState | undefined,
  at: string,
  lastAttempt = true,
) {
  const run = await findBaseImage.run(
    { scan: `scan-${at.slice(0, 10)}`, target: { id: 'shop', labels: {} }, requestedAt: at, image: IMAGE },
    ports({
      insights: {
        baseImage: async (_layers, _signal, former) => {
          expect(former).toEqual(state?.image?.base ?? state?.image?.before);
          if (base instanceof Error) throw base;
          return base;
        },
      },
      routes: ['hook'],
      ...(state === undefined ? {} : { state }),
    }),
    context(lastAttempt),
  );
  return {
    ...run,
    after: run.state !== undefined && 'state' in run.state ? run.state.state : state,
    changes: run.result.changes.map(({ transition, finding }) => [transition, finding.title]),
  };
}

describe('find-base-image', () => {
  test('finds nothing at first, and each change of the base against the scan before', async () => {
    const first = await found(NODE, undefined, day(1));
    expect(first.changes).toEqual([]);
    expect(first.after?.image).toMatchObject({ digest: id('f'), layers: 2, base: NODE, requestedAt: day(1) });
    const rebuilt = await found(NEW_NODE, first.after, day(2));
    expect(rebuilt.changes).toEqual([['opened', 'Built on another version of library/node than before']]);
    expect(rebuilt.result.findings).toMatchObject([
      {
        rule: 'base-image',
        level: 'note',
        severity: 'low',
        package: { ecosystem: 'image', name: 'library/node', version: id('2') },
        base: { before: NODE, now: NEW_NODE, layersAbove: 0 },
        issue: id('1'),
        locations: [{ path: 'container image' }],
      },
    ]);
    // A note is sent to no route by default; the change is in the verdict.
    const same = await found(NEW_NODE, rebuilt.after, day(3));
    expect(same.changes).toEqual([]);
    expect(same.after?.findings.map(({ status }) => status)).toEqual(['open']);
    const moved = await found(ALPINE, same.after, day(4));
    expect(moved.changes).toContainEqual(['opened', 'Built on library/alpine, and before on library/node']);
    expect(moved.changes).toContainEqual([
      'resolved',
      'Built on another version of library/node than before',
    ]);
  });

  test('finds that no public image has the base any more, and that one has it again', async () => {
    const first = await found(NODE, undefined, day(1));
    const gone = await found(undefined, first.after, day(2));
    expect(gone.changes).toEqual([
      ['opened', 'Built on no public image that the index has, and before on library/node'],
    ]);
    const still = await found(undefined, gone.after, day(3));
    expect([still.changes, still.after?.image?.before]).toEqual([[], NODE]);
    const back = await found(NODE, still.after, day(4));
    expect(back.changes).toEqual([['resolved', expect.stringContaining('Built on no public image')]]);
    expect(back.after?.image).not.toHaveProperty('before');
    // An image that never had a public base is no finding.
    expect((await found(undefined, undefined, day(1))).changes).toEqual([]);
  });

  test('a look-up that fails is tried again, then a gap that changes nothing', async () => {
    const gone = await found(undefined, (await found(NODE, undefined, day(1))).after, day(2));
    const fault = new FakeError('fake', 'the service is down', { retryable: true });
    await expect(found(fault, gone.after, day(3), false)).rejects.toMatchObject({ retryable: true });
    const failed = await found(fault, gone.after, day(3));
    expect(failed.state).toBeUndefined();
    expect(failed.changes).toEqual([]);
    expect(failed.result).toMatchObject({
      complete: false,
      kept: 1,
      gaps: [{ kind: 'image', subject: 'shop:1.0', reason: 'the service is down' }],
      image: { digest: id('f') },
    });
    expect(findBaseImage.log?.({} as never, failed.result)?.warning).toContain('the service is down');
  });

  test('a verdict that was requested earlier comes too late', async () => {
    const { after } = await found(NODE, undefined, day(5));
    expect(await found(ALPINE, after, day(4))).toMatchObject({ changes: [], result: { superseded: true } });
  });

  test('keeps 20 repositories of a base', async () => {
    const repositories = Array.from({ length: 1_000 }, (_, index) => `copy-${index}`);
    const { after } = await found({ ...NODE, repositories }, undefined, day(1));
    expect(after?.image?.base?.repositories).toHaveLength(20);
  });

  test('a scan of lockfiles keeps the image and its finding, and is followed by the step when it names an image', async () => {
    const first = await found(NODE, undefined, day(1));
    const { after } = await found(ALPINE, first.after, day(2));
    const { payload } = followUp(JUDGE_SCAN, {
      scan: 's',
      target: { id: 'shop', labels: {} },
      requestedAt: day(3),
      dividedAt: 0,
      advisoryParts: 0,
      expansionParts: 0,
    });
    const outcomes = new Map([['ingest-lockfiles/s', { ...inventory([locked('a')]), image: IMAGE }]]);
    const run = await judgeScan.run(
      payload as never,
      ports({ outcomes, ...(after === undefined ? {} : { state: after }) }),
      context(),
    );
    const state = run.state !== undefined && 'state' in run.state ? run.state.state : undefined;
    expect(run.result.changes).toEqual([]);
    expect(state?.image).toEqual(after?.image);
    expect(state?.findings.map(({ finding, status }) => [finding.rule, status])).toEqual([
      ['base-image', 'open'],
    ]);
    expect(run.next).toMatchObject([{ job: 'find-base-image', key: 's.image', payload: { image: IMAGE } }]);
  });
});

describe('ingest-lockfiles with an image', () => {
  const request = { scan: 's', target: { id: 'shop', labels: {} }, lockfiles: [], requestedAt: day(1) };

  test('without lockfiles the image alone is judged, under the id of the scan', async () => {
    const run = await ingestLockfiles.run({ ...request, image: IMAGE }, ports({}), context());
    expect(run.next).toMatchObject([{ job: 'find-base-image', key: 's' }]);
    expect(run.state).toBeUndefined();
  });

  test.each([
    ['no lockfile and no image', {}, 'payload.lockfiles: expected a lockfile, or an `image`'],
    ['no digest', { image: { ...IMAGE, layers: [['a']] } }, 'payload.image.layers.0.0: expected `sha256:`'],
    [
      'too many look-ups',
      {
        image: {
          ...IMAGE,
          layers: Array.from({ length: 3 }, () => Array.from({ length: 700 }, () => id('a'))),
        },
      },
      'payload.image: expected at most 2000 chain identifiers',
    ],
  ])('refuses %s', (_name, given, message) => {
    expect(() => sealEnvelope(INGEST_LOCKFILES, { ...request, ...given })).toThrow(message);
  });
});
