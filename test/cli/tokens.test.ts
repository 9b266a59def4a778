import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFleetCli } from './fleet/fleet-cli.ts';
import { lockhound } from './lockhound.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());

it('creates, lists and revokes tokens', async () => {
  expect((await lockhound(['tokens'])).out).toBe(
    'No tokens: `lockhound serve` answers programs of this machine only.\n',
  );
  const options = ['--name', 'ci', '--role', 'submit', '--targets', 'team-a/*', '--expires', '90d'];
  const { code, out } = await lockhound(['tokens', 'create', ...options]);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^lockhound_[0-9a-f]{12}_[\w-]{43}\n\nThis is shown once\./),
  ]);
  const id = out.slice(10, 22);
  const listed = await lockhound(['tokens']);
  expect(listed.out).toMatch(
    new RegExp(`^${id} {2}ci {2}submit\n {2}targets: team-a/\\*\n {2}created .*, expires .*, never used\n`),
  );
  expect(listed.out).not.toContain(out.slice(23, 40));
  expect((await lockhound(['tokens', 'revoke', id])).out).toBe(`${id} is revoked\n`);
  const again = await lockhound(['tokens', 'revoke', id]);
  expect([again.code, again.note]).toEqual([2, expect.stringContaining(`there is no token ${id}`)]);
  expect((await lockhound(['tokens', 'create', '--name', 'x', '--expires', 'soon'])).code).toBe(2);
});
