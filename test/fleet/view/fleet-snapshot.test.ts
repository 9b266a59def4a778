import { describe, expect, it } from 'vitest';
import {
  COMPARE_FINDINGS,
  COMPARE_TARGETS,
  EMPTY_FLEET,
  FINDING_ORDERS,
  type FindingOrder,
  type FleetSnapshot,
  type FleetUpdate,
  updateFleet,
} from '../../../src/fleet/view/fleet-snapshot.ts';
import {
  summaryFrom,
  type ViewedContent,
  viewedContent,
  viewedTarget,
} from '../../../src/fleet/view/viewed-target.ts';
import { NO_EXPLOIT_DATA } from '../../../src/model/exploits/exploit-data.ts';
import { SEVERITIES } from '../../../src/model/scan/severity.ts';
import type { OperationContext } from '../../../src/operations/context.ts';
import type { FindingFilters } from '../../../src/operations/findings/filter.ts';
import { selectFindings } from '../../../src/operations/findings/select.ts';
import { LOCAL_OPERATOR, type Principal, principalOf } from '../../../src/operations/principal.ts';
import { seededRandom } from '../../seeded-random.ts';
import { AT, tracked } from '../../store/fleet/fleet-room.ts';

const TARGETS = Array.from({ length: 12 }, (_, index) => `org/t${index}`);

/** Random content of a target: its findings have random packages, severities and states, and its team changes. */
function contentOf(target: string, random: () => number): ViewedContent {
  const pick = <Item>(list: readonly Item[]) => list[Math.floor(random() * list.length)] as Item;
  const names = Array.from({ length: Math.floor(random() * 8) }, () => `p${Math.floor(random() * 20)}@1.0.0`);
  const findings = [...new Set(names)].map((id) =>
    tracked(target, id, pick(SEVERITIES), {
      status: pick(['open', 'open', 'resolved'] as const),
      changedAt: pick([AT, '2026-02-01T00:00:00.000Z', '2026-02-02T00:00:00.000Z']),
    }),
  );
  const state = { schema: 1, requestedAt: AT, findings } as unknown as Parameters<typeof summaryFrom>[0];
  const labels = { team: pick(['web', 'data']) };
  return viewedContent(viewedTarget(target, { ...summaryFrom(state), labels }), state, NO_EXPLOIT_DATA);
}

/** Random content of one to three targets; some are gone. */
function updateOf(random: () => number): FleetUpdate {
  const count = 1 + Math.floor(random() * 3);
  const targets = Array.from(
    { length: count },
    () => TARGETS[Math.floor(random() * TARGETS.length)] as string,
  );
  return new Map(
    targets.map((target) => [target, random() < 0.2 ? undefined : contentOf(target, random)] as const),
  );
}

describe('updateFleet', () => {
  it('has the lists of everything that was read last', async () => {
    const random = seededRandom(5);
    const contents = new Map<string, ViewedContent>();
    let fleet = EMPTY_FLEET;
    for (let round = 0; round < 100; round += 1) {
      const update = updateOf(random);
      for (const [target, content] of update) {
        if (content === undefined) contents.delete(target);
        else contents.set(target, content);
      }
      fleet = await updateFleet(fleet, update, 1_000);
      const findings = [...contents.values()].flatMap((one) => one.findings);
      for (const order of FINDING_ORDERS) {
        expect(fleet.findingLists[order]).toEqual(findings.toSorted(COMPARE_FINDINGS[order]));
      }
      const targets = [...contents.values()].map(({ target }) => target);
      expect(fleet.targetLists.worst).toEqual(targets.toSorted(COMPARE_TARGETS.worst));
      expect([...fleet.targets.values()].toSorted(COMPARE_TARGETS.target)).toEqual(fleet.targetLists.target);
    }
  });

  it('leaves out the least severe and the resolved ones of too many, in all lists', async () => {
    const random = seededRandom(6);
    let fleet = EMPTY_FLEET;
    for (let round = 0; round < 100; round += 1) {
      fleet = await updateFleet(fleet, updateOf(random), 10);
      const { severity, ...others } = fleet.findingLists;
      expect(severity.length).toBeLessThanOrEqual(10);
      for (const list of Object.values(others)) {
        expect(list.toSorted(COMPARE_FINDINGS.severity)).toEqual(severity);
      }
    }
    const all = new Map(TARGETS.map((target) => [target, contentOf(target, random)] as const));
    fleet = await updateFleet(fleet, all, 10);
    const worst = [...all.values()].flatMap((one) => one.findings).toSorted(COMPARE_FINDINGS.severity);
    const openFirst = worst.toSorted(
      (left, right) => Number(left.status !== 'open') - Number(right.status !== 'open'),
    );
    expect(new Set(fleet.findingLists.severity)).toEqual(new Set(openFirst.slice(0, 10)));
    const leftOut = [...fleet.leftOut.values()].reduce((sum, count) => sum + count, 0);
    expect(leftOut).toBe(worst.length - 10);
  });
});

describe('remembered lists of findings', () => {
  const some = principalOf({ name: 'some', role: 'read', targets: ['org/t1*'], via: 'token' });
  type Question = readonly [filters: FindingFilters, order: FindingOrder, principal: Principal];
  const questions: readonly Question[] = [
    [{}, 'severity', LOCAL_OPERATOR],
    [{ state: 'all', notes: true }, 'changedAt', LOCAL_OPERATOR],
    [{ label: ['team=web'] }, 'severity', LOCAL_OPERATOR],
    [{ severity: 'high', search: 'P1 org' }, 'target', LOCAL_OPERATOR],
    [{ target: 'org/t3', state: 'all' }, 'severity', LOCAL_OPERATOR],
    [{ since: '2026-02-01T00:00:00Z' }, 'changedAt', LOCAL_OPERATOR],
    [{}, 'severity', some],
  ];
  const selection = (snapshot: () => FleetSnapshot) => {
    const context = { snapshot: async () => snapshot() } as unknown as OperationContext;
    return async (...[filters, order, principal]: Question) =>
      await selectFindings(context, filters, principal, { order });
  };

  it('are those that a new selection has, after every change', async () => {
    const random = seededRandom(8);
    let fleet = EMPTY_FLEET;
    const select = selection(() => fleet);
    let found = 0;
    for (let round = 0; round < 60; round += 1) {
      // Lists follow several changes at once, too.
      for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
        fleet = await updateFleet(fleet, updateOf(random), 40);
      }
      for (const question of questions) {
        const list = await select(...question);
        expect(list).toEqual(await selection(() => fleet)(...question));
        found += list.length;
      }
    }
    expect(found).toBeGreaterThan(1_000);
  });

  it('are not made anew for changes of other findings', async () => {
    const random = seededRandom(9);
    let fleet = await updateFleet(EMPTY_FLEET, new Map([['org/t1', contentOf('org/t1', random)]]), 40);
    const select = selection(() => fleet);
    const before = await select({ target: 'org/t1', state: 'all' }, 'severity', LOCAL_OPERATOR);
    fleet = await updateFleet(fleet, new Map([['org/t2', contentOf('org/t2', random)]]), 40);
    expect(await select({ target: 'org/t1', state: 'all' }, 'severity', LOCAL_OPERATOR)).toBe(before);
    fleet = await updateFleet(fleet, new Map([['org/t1', undefined]]), 40);
    expect(await select({ target: 'org/t1', state: 'all' }, 'severity', LOCAL_OPERATOR)).toEqual([]);
  });
});
