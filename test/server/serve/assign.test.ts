import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueIdOf } from '../../../src/operations/findings/filter.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { MAX_ASSIGNMENTS } from '../../../src/store/assignments.ts';
import { tracked } from '../../store/fleet/fleet-room.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
let api: Awaited<ReturnType<typeof room.serve>>;
const tokens: Record<'admin' | 'team' | 'reader', string> = { admin: '', team: '', reader: '' };
const left = tracked('a/shop', 'left@1.0.0', 'high');
const other = tracked('b/bank', 'right@1.0.0', 'low');
const [leftId, otherId] = [issueIdOf(left.finding), issueIdOf(other.finding)];

beforeAll(async () => {
  room = await openServeRoom();
  const [fleet] = room.fleets;
  if (fleet === undefined) throw new RangeError();
  await fleet.save('a/shop', [], { findings: [left] });
  await fleet.save('b/bank', [], { findings: [tracked('b/bank', 'left@1.0.0', 'high'), other] });
  const created = newTokens(createApiTokenStore(room.redis, fleet.keys));
  tokens.admin = (await created.create({ name: 'sam', role: 'admin' })).token;
  tokens.team = (await created.create({ name: 'team', role: 'admin', targets: ['a/*'] })).token;
  tokens.reader = (await created.create({ name: 'reader', role: 'read' })).token;
  api = await room.serve({}, tokens.admin);
});
afterAll(() => room.close());

const ask = (path: string, who: keyof typeof tokens = 'admin', body?: object) =>
  api.request(`/api/v1/${path}`, {
    headers: { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
const assign = (body: object, who: keyof typeof tokens = 'admin') => ask('findings/assign', who, body);
const listed = async (query: string, who: keyof typeof tokens = 'admin'): Promise<readonly string[]> => {
  const { json } = await ask(`findings?orderBy=target&${query}`, who);
  return json.findings.map(
    ({
      target,
      finding,
      assigned,
    }: {
      target: string;
      finding: { package: { name: string } };
      assigned?: { to: string };
    }) => [target, finding.package.name, assigned?.to ?? '-'].join(' '),
  );
};

describe('assigning issues', () => {
  it('names who works on them, in every target and answer', async () => {
    expect((await assign({ issues: [leftId, leftId], to: ' Web team ' })).json).toEqual({
      issues: 1,
      to: 'Web team',
    });
    expect(await listed('')).toEqual(['a/shop left Web team', 'b/bank left Web team', 'b/bank right -']);
    expect(await listed('assignee=Web%20team')).toHaveLength(2);
    expect(await listed('assignee=web')).toEqual([]);
    expect(await listed('unassigned=true')).toEqual(['b/bank right -']);
    expect(await listed('', 'team')).toEqual(['a/shop left Web team']);
    const { issues } = (await ask('findings/issues?by=package')).json;
    expect(issues[0].first.assigned).toMatchObject({
      to: 'Web team',
      by: expect.stringContaining('sam'),
      at: expect.any(String),
    });
    const place = `targets/a%2Fshop/findings/${encodeURIComponent(left.finding.fingerprint)}`;
    expect((await ask(place)).json.assigned.to).toBe('Web team');
    const { groups } = (await ask('findings/breakdown?by=assignee')).json;
    expect(groups.map(({ name, total }: { name?: string; total: number }) => [name, total])).toEqual([
      ['Web team', 2],
      [undefined, 1],
    ]);
  });

  it("ends, and is nobody's then", async () => {
    await assign({ issues: [otherId], to: 'sam' });
    expect((await assign({ issues: [otherId] })).json).toEqual({ issues: 1 });
    expect(await listed('assignee=sam')).toEqual([]);
  });

  it.each([
    ['an issue that nothing has', { issues: [leftId, '0'.repeat(16)], to: 'x' }, 404],
    ['no id', { issues: ['left'], to: 'x' }, 400],
    ['too many issues', { issues: Array(101).fill(leftId), to: 'x' }, 400],
    ['a name that is too long', { issues: [leftId], to: 'x'.repeat(101) }, 400],
    ['a name of two lines', { issues: [leftId], to: 'x\ny' }, 400],
  ])('is refused for %s, and nothing changes', async (_, body, status) => {
    expect((await assign(body)).status).toBe(status);
    expect(await listed('assignee=x')).toEqual([]);
  });

  it('is refused to those who may not administer all targets', async () => {
    expect((await assign({ issues: [leftId], to: 'x' }, 'reader')).status).toBe(403);
    expect((await assign({ issues: [leftId], to: 'x' }, 'team')).status).toBe(403);
  });

  it('shows an issue as assigned to nobody when its record is damaged', async () => {
    const key = room.fleets[0]?.keys.assignments ?? '';
    await room.redis.hset(key, leftId, '{"to":');
    const { json } = await ask('findings?assignee=Web%20team');
    expect(json.findings).toEqual([]);
    await assign({ issues: [leftId], to: 'Web team' });
    expect(await listed('assignee=Web%20team')).toHaveLength(2);
  });

  it('has a limit', async () => {
    const key = room.fleets[0]?.keys.assignments ?? '';
    const many = Array.from({ length: MAX_ASSIGNMENTS }, (_, index) => [
      index.toString(16).padStart(16, '0'),
      '{}',
    ]);
    await room.redis.del(key);
    await room.redis.hset(key, ...many.flat());
    expect((await assign({ issues: [leftId], to: 'x' })).status).toBe(409);
  });
});
